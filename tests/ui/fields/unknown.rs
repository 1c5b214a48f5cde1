//! A misspelt name is shown with the nearest known one.

#[glass::contract(n_ot = 7, k = 14, n_out = 7, lanes_per_outputs = 8, symmetric = yes)]
struct Feedback;

fn main() {
    let _ = Feedback::sources();
}
