// One operation on the words of an arena. Integers wrap; an integer divided by 0 is 0.

struct Args {
    operation: u32,
    format: u32,
    left: u32,
    right: u32,
    result: u32,
    gate: u32,
    _pad_0: u32,
    _pad_1: u32,
}

const NO_GATE = 0xffffffffu;
const U32 = 1u;
const I32 = 2u;
const LITERAL = 0u;
const COPY = 1u;
const SQUARE_ROOT = 2u;
const ADD = 3u;
const SUBTRACT = 4u;
const MULTIPLY = 5u;
const DIVIDE = 6u;
const MIN = 7u;
const MAX = 8u;
const EQUAL = 9u;
const NOT_EQUAL = 10u;
const LESS = 11u;
const LESS_OR_EQUAL = 12u;
const GREATER = 13u;
const GREATER_OR_EQUAL = 14u;

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(1) var<uniform> args: Args;

fn glass_scalar_f32(left: f32, right: f32) -> u32 {
    switch args.operation {
        case SQUARE_ROOT: { return bitcast<u32>(sqrt(left)); }
        case ADD: { return bitcast<u32>(left + right); }
        case SUBTRACT: { return bitcast<u32>(left - right); }
        case MULTIPLY: { return bitcast<u32>(left * right); }
        case DIVIDE: { return bitcast<u32>(left / right); }
        case MIN: { return bitcast<u32>(min(left, right)); }
        case MAX: { return bitcast<u32>(max(left, right)); }
        case EQUAL: { return u32(left == right); }
        case NOT_EQUAL: { return u32(left != right); }
        case LESS: { return u32(left < right); }
        case LESS_OR_EQUAL: { return u32(left <= right); }
        case GREATER: { return u32(left > right); }
        case GREATER_OR_EQUAL: { return u32(left >= right); }
        default: { return 0u; }
    }
}

fn glass_scalar_u32(left: u32, right: u32) -> u32 {
    switch args.operation {
        case ADD: { return left + right; }
        case SUBTRACT: { return left - right; }
        case MULTIPLY: { return left * right; }
        case DIVIDE: {
            if (right == 0u) { return 0u; }
            return left / right;
        }
        case MIN: { return min(left, right); }
        case MAX: { return max(left, right); }
        case EQUAL: { return u32(left == right); }
        case NOT_EQUAL: { return u32(left != right); }
        case LESS: { return u32(left < right); }
        case LESS_OR_EQUAL: { return u32(left <= right); }
        case GREATER: { return u32(left > right); }
        case GREATER_OR_EQUAL: { return u32(left >= right); }
        default: { return 0u; }
    }
}

fn glass_scalar_i32(left: i32, right: i32) -> u32 {
    switch args.operation {
        case ADD: { return bitcast<u32>(left + right); }
        case SUBTRACT: { return bitcast<u32>(left - right); }
        case MULTIPLY: { return bitcast<u32>(left * right); }
        case DIVIDE: {
            if (right == 0) { return 0u; }
            // The quotient of the smallest integer and -1 wraps.
            if (right == -1) { return bitcast<u32>(0 - left); }
            return bitcast<u32>(left / right);
        }
        case MIN: { return bitcast<u32>(min(left, right)); }
        case MAX: { return bitcast<u32>(max(left, right)); }
        case EQUAL: { return u32(left == right); }
        case NOT_EQUAL: { return u32(left != right); }
        case LESS: { return u32(left < right); }
        case LESS_OR_EQUAL: { return u32(left <= right); }
        case GREATER: { return u32(left > right); }
        case GREATER_OR_EQUAL: { return u32(left >= right); }
        default: { return 0u; }
    }
}

@compute @workgroup_size(1)
fn glass_scalar() {
    if (args.gate != NO_GATE) {
        if (arena[args.gate] == 0u) {
            return;
        }
    }
    if (args.operation == LITERAL) {
        arena[args.result] = args.left;
        return;
    }
    let left = arena[args.left];
    if (args.operation == COPY) {
        arena[args.result] = left;
        return;
    }
    let right = arena[args.right];
    switch args.format {
        case U32: { arena[args.result] = glass_scalar_u32(left, right); }
        case I32: { arena[args.result] = glass_scalar_i32(bitcast<i32>(left), bitcast<i32>(right)); }
        default: { arena[args.result] = glass_scalar_f32(bitcast<f32>(left), bitcast<f32>(right)); }
    }
}
