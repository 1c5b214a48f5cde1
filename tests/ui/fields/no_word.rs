//! Words are bare.

#[glass::contract(n_out = 7, k = 14, dtype = "f32", layout = 32, transpose = [a], alpha = 2.0, beta = -1, tier = 'w', form = Form::Serial)]
struct Feedback;

fn main() {
    let _ = Feedback::sources();
}
