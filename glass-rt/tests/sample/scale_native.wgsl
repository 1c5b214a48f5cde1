struct Args {
    n_problems: u32,
    alpha: f32,
    padding_0: f32,
    padding_1: f32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<immediate> args: Args;

@compute @workgroup_size(64)
fn scale(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let problem = (group.x + group.y * groups.x) * 64u + lane;
    if (problem < args.n_problems) {
        y[problem] = args.alpha * x[problem] + 100f;
    }
}
