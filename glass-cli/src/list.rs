//! `glass list`.

use glass_audit::Failure;
use glass_codegen::catalogue::{Availability, LONG, Op};
use glass_codegen::contract::Field;
use std::io::Write;

/// Prints one line for every op.
pub(crate) fn run(out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{:<22} {:<32} {:<18} {:<16} options", "op", "sizes", "tiers", "forms")?;
    let with = |availability: Availability| {
        Op::ALL.iter().copied().filter(move |op| op.entry().availability() == availability)
    };
    for op in with(Availability::Now) {
        let entry = op.entry();
        let orders = entry.options.iter().filter(|option| **option == Field::Orders);
        let sizes = entry.sizes.iter().map(|size| &size.field).chain(orders);
        let sizes: Vec<_> = sizes.map(|field| field.as_str()).collect();
        let options: Vec<_> =
            entry.fields().into_iter().filter(|field| !is_size(*field, &sizes)).map(Field::as_str).collect();
        let tiers = if entry.no_thread.is_none() { "thread warp block" } else { "warp block" };
        let forms = if entry.sums.can_reduce() { "serial reduced" } else { "serial" };
        writeln!(
            out,
            "{:<22} {:<32} {tiers:<18} {forms:<16} {}",
            op.as_str(),
            sizes.join(" "),
            options.join(" ")
        )?;
    }
    let long: Vec<_> = LONG.iter().map(|op| op.as_str()).collect();
    writeln!(out, "\nreductions of vectors of any length, `#[glass::reduce(NAME)]`: {}", long.join(", "))?;
    let later: Vec<_> = with(Availability::Later).map(Op::as_str).collect();
    writeln!(out, "\nknown, not provided yet: {}", later.join(", "))?;
    Ok(())
}

fn is_size(field: Field, sizes: &[&str]) -> bool {
    sizes.contains(&field.as_str())
}
