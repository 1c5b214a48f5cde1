//! The second value of a field is the mistake, whatever its kind.

#[glass::contract(n_out = 7, k = 14, k = 15, targets = [cuda], dtype = f32, targets = [], k = "x")]
struct Feedback;

fn main() {
    let _ = Feedback::sources();
}
