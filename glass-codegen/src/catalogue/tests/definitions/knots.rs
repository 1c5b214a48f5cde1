//! Knots of a backward pass, alone and one after the other.

use super::*;

#[test]
fn knots() {
    let (nx, nu) = (4, 2);
    for reg in ["none", "shift", "diag_shift"] {
        let prepare = |problem: &mut Problem<'_>| {
            definite(problem, "vxx_next", nx, true);
            definite(problem, "lxx", nx, true);
            definite(problem, "luu", nu, false);
        };
        check_with(&op(&format!("riccati_step, nx = {nx}, nu = {nu}, reg = {reg}")), prepare, |solved| {
            let [v, g, fx, fu] = ["vxx_next", "vx_next", "fx", "fu"].map(|name| solved.old(name));
            let [lxx, lux, luu, lx, lu] = ["lxx", "lux", "luu", "lx", "lu"].map(|name| solved.old(name));
            let [k, d, vxx, vx] = ["k", "d", "vxx", "vx"].map(|name| solved.result(name));
            let between = |left: &Matrix<'_>, i: usize, right: &Matrix<'_>, j: usize| {
                sum(nx, |x| sum(nx, |y| left.at(x, i) * v.at(x, y) * right.at(y, j)))
            };
            let quu = |i: usize, j: usize| {
                let entry = mirrored(&luu, i, j) + between(&fu, i, &fu, j);
                match reg {
                    "shift" if i == j => entry + RHO,
                    "diag_shift" if i == j => entry * (1.0 + RHO),
                    _ => entry,
                }
            };
            let qux = |i: usize, j: usize| lux.at(i, j) + between(&fu, i, &fx, j);
            let qu = |i: usize| lu.at(i, 0) + sum(nx, |x| fu.at(x, i) * g.at(x, 0));
            for i in 0..nu {
                assert_near(sum(nu, |t| quu(i, t) * d.at(t, 0)), qu(i), "Quu d");
                (0..nx).for_each(|j| assert_near(sum(nu, |t| quu(i, t) * k.at(t, j)), qux(i, j), "Quu K"));
            }
            for j in 0..nx {
                let gradient = lx.at(j, 0) + sum(nx, |x| fx.at(x, j) * g.at(x, 0));
                assert_near(vx.at(j, 0), gradient - sum(nu, |t| qux(t, j) * d.at(t, 0)), "Vx");
                for i in 0..nx {
                    let hessian = lxx.at(i, j) + between(&fx, i, &fx, j);
                    assert_near(vxx.at(i, j), hessian - sum(nu, |t| qux(t, i) * k.at(t, j)), "Vxx");
                }
            }
        });
    }
}

/// Every knot is a step from the value that the knot behind it has left.
#[test]
fn horizons() {
    let (nx, nu, knots) = (3, 2, 3);
    let prepare = |problem: &mut Problem<'_>| {
        definite(problem, "vxx_end", nx, true);
        // Costs without a product of states and controls are convex where their parts are.
        let lux = problem.operand("lux");
        problem.values[lux].fill(0.0);
        for (name, n) in [("lxx", nx), ("luu", nu)] {
            let operand = problem.operand(name);
            for (element, value) in problem.values[operand].iter_mut().enumerate() {
                *value = if element % (n * n) % (n + 1) == 0 { 2.0 } else { 0.0 };
            }
        }
    };
    check_with(&op(&format!("riccati_pass, nx = {nx}, nu = {nu}, knots = {knots}")), prepare, |solved| {
        let [fx, fu, lx, lu] = ["fx", "fu", "lx", "lu"].map(|name| solved.old(name));
        let [k, d, vxx, vx] = ["k", "d", "vxx", "vx"].map(|name| solved.result(name));
        let (end_xx, end_x) = (solved.old("vxx_end"), solved.old("vx_end"));
        for knot in 0..knots {
            let v = |i: usize, j: usize| match knot + 1 < knots {
                true => vxx.at(i, (knot + 1) * nx + j),
                false => end_xx.at(i, j),
            };
            let g = |i: usize| if knot + 1 < knots { vx.at(i, knot + 1) } else { end_x.at(i, 0) };
            let (a, b) = (|i, j| fx.at(i, knot * nx + j), |i, j| fu.at(i, knot * nu + j));
            let quu = |i: usize, j: usize| {
                (if i == j { 2.0 } else { 0.0 }) + sum(nx, |x| sum(nx, |y| b(x, i) * v(x, y) * b(y, j)))
            };
            let qux = |i: usize, j: usize| sum(nx, |x| sum(nx, |y| b(x, i) * v(x, y) * a(y, j)));
            let (gain, step) = (|i, j| k.at(i, knot * nx + j), |i| d.at(i, knot));
            for i in 0..nu {
                let qu = lu.at(i, knot) + sum(nx, |x| b(x, i) * g(x));
                assert_near(sum(nu, |t| quu(i, t) * step(t)), qu, "Quu d");
                (0..nx).for_each(|j| assert_near(sum(nu, |t| quu(i, t) * gain(t, j)), qux(i, j), "Quu K"));
            }
            for j in 0..nx {
                let gradient = lx.at(j, knot) + sum(nx, |x| a(x, j) * g(x));
                assert_near(vx.at(j, knot), gradient - sum(nu, |t| qux(t, j) * step(t)), "Vx");
                for i in 0..nx {
                    let cost = if i == j { 2.0 } else { 0.0 };
                    let hessian = cost + sum(nx, |x| sum(nx, |y| a(x, i) * v(x, y) * a(y, j)));
                    assert_near(
                        vxx.at(i, knot * nx + j),
                        hessian - sum(nu, |t| qux(t, i) * gain(t, j)),
                        "Vxx",
                    );
                }
            }
        }
    });
}
