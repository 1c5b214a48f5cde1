// Moves a batch of 32-bit elements between the contiguous and the interleaved layout, bits unchanged.
//
// A workgroup owns one tile of 32 problems and walks its elements in chunks of at most 64. A chunk is read in
// the order of its source and written in the order of its destination, so both sides are coalesced; the
// exchange happens in workgroup memory, whose odd row length keeps the banks apart. Padding is neither read nor
// written.

struct Args {
    n_elements: u32,
    n_problems: u32,
    _pad_0: u32,
    _pad_1: u32,
}

const TILE = 32u;
const CHUNK = 64u;
const THREADS = 256u;

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@group(0) @binding(2) var<uniform> args: Args;

var<workgroup> staged: array<u32, 2080>;

@compute @workgroup_size(256)
fn glass_layout_interleave(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first_problem = (group.x + group.y * groups.x) * TILE;
    if (first_problem >= args.n_problems) {
        return;
    }
    let n_valid = min(TILE, args.n_problems - first_problem);
    let tile = first_problem * args.n_elements;
    for (var chunk = 0u; chunk < args.n_elements; chunk += CHUNK) {
        let n_chunk = min(CHUNK, args.n_elements - chunk);
        let row = n_chunk | 1u;
        for (var word = lane; word < n_chunk * n_valid; word += THREADS) {
            let problem = word / n_chunk;
            let element = word - problem * n_chunk;
            staged[problem * row + element] = source[tile + problem * args.n_elements + chunk + element];
        }
        workgroupBarrier();
        for (var word = lane; word < n_chunk * TILE; word += THREADS) {
            let problem = word % TILE;
            if (problem < n_valid) {
                destination[tile + chunk * TILE + word] = staged[problem * row + word / TILE];
            }
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn glass_layout_deinterleave(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first_problem = (group.x + group.y * groups.x) * TILE;
    if (first_problem >= args.n_problems) {
        return;
    }
    let n_valid = min(TILE, args.n_problems - first_problem);
    let tile = first_problem * args.n_elements;
    for (var chunk = 0u; chunk < args.n_elements; chunk += CHUNK) {
        let n_chunk = min(CHUNK, args.n_elements - chunk);
        let row = n_chunk | 1u;
        for (var word = lane; word < n_chunk * TILE; word += THREADS) {
            let problem = word % TILE;
            if (problem < n_valid) {
                staged[problem * row + word / TILE] = source[tile + chunk * TILE + word];
            }
        }
        workgroupBarrier();
        for (var word = lane; word < n_chunk * n_valid; word += THREADS) {
            let problem = word / n_chunk;
            let element = word - problem * n_chunk;
            destination[tile + problem * args.n_elements + chunk + element] = staged[problem * row + element];
        }
        workgroupBarrier();
    }
}
