//! The mapping of a kernel in words.

use glass::rt::kernel::{Form, Plan, Tier};

/// Tier and form.
pub(crate) fn describe(plan: &Plan) -> String {
    let tier = match plan.tier {
        Tier::Thread => "thread",
        Tier::Warp => "warp",
        Tier::Block => "block",
    };
    match plan.form {
        Form::Serial => format!("{tier}, serial"),
        Form::Reduced { lanes_per_output } => format!("{tier}, reduced over {lanes_per_output}"),
    }
}
