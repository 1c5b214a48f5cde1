var<workgroup> is_on: u32;
var<workgroup> sums: array<f32, THREADS>;

@compute @workgroup_size(THREADS)
fn finish(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        is_on = 1u;
        if (args.gate != 0xffffffffu) { is_on = arena[args.gate]; }
    }
    if (workgroupUniformLoad(&is_on) == 0u) { return; }
    for (var s = 0u; s < N_SUMS; s++) {
        var sum = 0f;
        for (var g = lane; g < args.n_groups; g += THREADS) { sum += partials[s * args.n_groups + g]; }
        workgroupBarrier();
        sums[lane] = sum;
        for (var offset = THREADS / 2u; offset > 0u; offset /= 2u) {
            workgroupBarrier();
            if (lane < offset) { sums[lane] += sums[lane + offset]; }
        }
        if (lane == 0u) { acc[s] = sums[0]; }
    }
    if (lane == 0u) { step(); }
}
