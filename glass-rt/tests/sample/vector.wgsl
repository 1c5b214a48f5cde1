var<workgroup> is_on: u32;
var<workgroup> sums: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn chunk(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) extent: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = id.x + extent.x * (id.y + extent.y * id.z);
    if (lane == 0u) {
        if (args.cleared != 0xffffffffu && group == 0u) { arena[args.cleared] = 0u; }
        is_on = 1u;
        if (args.gate != 0xffffffffu) { is_on = arena[args.gate]; }
    }
    if (workgroupUniformLoad(&is_on) == 0u) { return; }
    if (group >= args.n_groups) { return; }
    let base = group * THREADS * ELEMENTS;
    for (var i = lane; i < THREADS * ELEMENTS; i += THREADS) {
        if (i < args.n - base) { element(base + i); }
    }
    for (var s = 0u; s < N_SUMS; s++) {
        workgroupBarrier();
        sums[lane] = acc[s];
        for (var offset = THREADS / 2u; offset > 0u; offset /= 2u) {
            workgroupBarrier();
            if (lane < offset) { sums[lane] += sums[lane + offset]; }
        }
        if (lane == 0u) { store(s * args.n_groups + group, sums[0]); }
    }
}
