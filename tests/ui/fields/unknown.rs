//! A misspelt name is shown with the nearest known one; each argument is one mistake, whatever else it lacks.

#[glass::contract(n_ot = 7, k = 14, n_out = 7, lanes_per_outputs = 8, symmetric = yes)]
struct Feedback;

#[glass::contract(symmetric, n_ot =, a::b = 3, n_out = 7, k = 14, glass(k))]
struct WithoutValue;

fn main() {
    let _ = (Feedback::sources(), WithoutValue::sources());
}
