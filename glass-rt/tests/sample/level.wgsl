const ELEMENTS = 2u;

struct Args { n: u32, n_groups: u32, x_start: u32, y_start: u32, slot: u32, gate: u32, accumulate: u32, padding: u32 }

var<workgroup> is_on: u32;
var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn level(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) extent: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (lane == 0u) {
        is_on = 1u;
        if (args.gate != 0xffffffffu) { is_on = arena[args.gate]; }
    }
    if (workgroupUniformLoad(&is_on) == 0u) { return; }
    let group = id.x + extent.x * (id.y + extent.y * id.z);
    if (group >= args.n_groups) { return; }
    let base = group * 256u * ELEMENTS;
    var acc = 0f;
    for (var i = lane; i < 256u * ELEMENTS; i += 256u) {
        if (i < args.n - base) { acc = add(acc, base + i); }
    }
    sums[lane] = acc;
    for (var offset = 128u; offset > 0u; offset /= 2u) {
        workgroupBarrier();
        if (lane < offset) { sums[lane] += sums[lane + offset]; }
    }
    if (lane == 0u) { store(group, sums[0]); }
}
