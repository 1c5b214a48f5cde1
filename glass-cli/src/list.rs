//! `glass list`.

use glass_codegen::catalogue::{Availability, Op};
use glass_codegen::contract::Field;

/// Prints one line for every op.
pub(crate) fn run() -> Result<(), String> {
    println!("{:<22} {:<32} {:<18} {:<16} options", "op", "sizes", "tiers", "forms");
    let (now, later): (Vec<Op>, Vec<Op>) =
        Op::ALL.iter().copied().partition(|op| op.entry().availability() == Availability::Now);
    for op in now {
        let entry = op.entry();
        let orders = entry.options.iter().filter(|option| **option == Field::Orders);
        let sizes = entry.sizes.iter().map(|size| &size.field).chain(orders);
        let sizes: Vec<_> = sizes.map(|field| field.as_str()).collect();
        let options: Vec<_> =
            entry.fields().into_iter().filter(|field| !is_size(*field, &sizes)).map(Field::as_str).collect();
        let tiers = if entry.no_thread.is_none() { "thread warp block" } else { "warp block" };
        let forms = if entry.sums.can_reduce() { "serial reduced" } else { "serial" };
        println!("{:<22} {:<32} {tiers:<18} {forms:<16} {}", op.as_str(), sizes.join(" "), options.join(" "));
    }
    let later: Vec<_> = later.into_iter().map(Op::as_str).collect();
    println!("\nknown, not provided yet: {}", later.join(", "));
    Ok(())
}

fn is_size(field: Field, sizes: &[&str]) -> bool {
    sizes.contains(&field.as_str())
}
