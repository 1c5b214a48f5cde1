//! Several matrices have their orders in a list, and each mistake shows on its item.

#[glass::op(inv_many)]
struct Missing;

#[glass::op(inv_many, n = 12)]
struct Named;

#[glass::op(inv_many, orders = 12)]
struct Alone;

#[glass::op(inv_many, orders = [12])]
struct Short;

#[glass::op(potrf_many, orders = [6, 6, 6, 6, 6])]
struct Long;

#[glass::op(potrf_many, orders = [12, 0, N, 6u32])]
struct Items;

fn main() {
    let _ = (Missing::sources(), Named::sources(), Alone::sources());
    let _ = (Short::sources(), Long::sources(), Items::sources());
}
