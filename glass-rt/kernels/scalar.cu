// One operation on the words of an arena. Integers wrap; an integer divided by 0 is 0.

#define NO_GATE 0xffffffffu

enum Format { F32 = 0, U32 = 1, I32 = 2 };

enum Operation {
    LITERAL = 0,
    COPY = 1,
    SQUARE_ROOT = 2,
    ADD = 3,
    SUBTRACT = 4,
    MULTIPLY = 5,
    DIVIDE = 6,
    MIN = 7,
    MAX = 8,
    EQUAL = 9,
    NOT_EQUAL = 10,
    LESS = 11,
    LESS_OR_EQUAL = 12,
    GREATER = 13,
    GREATER_OR_EQUAL = 14
};

template <typename T> static __device__ __forceinline__ unsigned int compare(unsigned int operation, T left, T right) {
    switch (operation) {
    case EQUAL: return left == right;
    case NOT_EQUAL: return left != right;
    case LESS: return left < right;
    case LESS_OR_EQUAL: return left <= right;
    case GREATER: return left > right;
    case GREATER_OR_EQUAL: return left >= right;
    default: return 0u;
    }
}

static __device__ __forceinline__ unsigned int of_f32(unsigned int operation, float left, float right) {
    switch (operation) {
    case SQUARE_ROOT: return __float_as_uint(__fsqrt_rn(left));
    case ADD: return __float_as_uint(__fadd_rn(left, right));
    case SUBTRACT: return __float_as_uint(__fsub_rn(left, right));
    case MULTIPLY: return __float_as_uint(__fmul_rn(left, right));
    case DIVIDE: return __float_as_uint(__fdiv_rn(left, right));
    case MIN: return __float_as_uint(fminf(left, right));
    case MAX: return __float_as_uint(fmaxf(left, right));
    default: return compare(operation, left, right);
    }
}

static __device__ __forceinline__ unsigned int of_u32(unsigned int operation, unsigned int left, unsigned int right) {
    switch (operation) {
    case ADD: return left + right;
    case SUBTRACT: return left - right;
    case MULTIPLY: return left * right;
    case DIVIDE: return right == 0u ? 0u : left / right;
    case MIN: return left < right ? left : right;
    case MAX: return left > right ? left : right;
    default: return compare(operation, left, right);
    }
}

static __device__ __forceinline__ unsigned int of_i32(unsigned int operation, unsigned int left, unsigned int right) {
    const int signed_left = (int)left;
    const int signed_right = (int)right;
    switch (operation) {
    // Two's complement wraps as unsigned integers do.
    case ADD:
    case SUBTRACT:
    case MULTIPLY: return of_u32(operation, left, right);
    case DIVIDE:
        if (signed_right == 0) return 0u;
        // The quotient of the smallest integer and -1 wraps.
        if (signed_right == -1) return 0u - left;
        return (unsigned int)(signed_left / signed_right);
    case MIN: return signed_left < signed_right ? left : right;
    case MAX: return signed_left > signed_right ? left : right;
    default: return compare(operation, signed_left, signed_right);
    }
}

extern "C" __global__ void __launch_bounds__(1) glass_scalar(
    unsigned int *arena, unsigned int operation, unsigned int format, unsigned int left, unsigned int right,
    unsigned int result, unsigned int gate) {
#if __CUDA_ARCH__ >= 900
    // Waits for the kernels before, while which it may have been started; then the next one may start.
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    if (gate != NO_GATE && arena[gate] == 0u) return;
    if (operation == LITERAL) {
        arena[result] = left;
        return;
    }
    const unsigned int a = arena[left];
    if (operation == COPY) {
        arena[result] = a;
        return;
    }
    const unsigned int b = arena[right];
    switch (format) {
    case U32: arena[result] = of_u32(operation, a, b); break;
    case I32: arena[result] = of_i32(operation, a, b); break;
    default: arena[result] = of_f32(operation, __uint_as_float(a), __uint_as_float(b)); break;
    }
}
