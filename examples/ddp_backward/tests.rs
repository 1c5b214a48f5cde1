use super::*;
use program::exit::full::Full;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng;

fn parser(arguments: &[&str]) -> lexopt::Parser {
    lexopt::Parser::from_args(arguments)
}

/// Problems of a robot that nobody recorded: dynamics near the identity, definite costs.
fn invented(nx: usize, nu: usize, n_knots: usize) -> Problems {
    let len = 3;
    let mut random = Pcg64Mcg::seed_from_u64((100 * nx + nu) as u64);
    let mut numbers = |n: usize| -> Vec<f64> {
        (0..len * n_knots * n).map(|_| program::random::symmetric(&mut random)).collect()
    };
    let symmetric = |values: Vec<f64>, n: usize| -> Vec<f64> {
        let entry = |at: usize| {
            let (i, j) = (at % n, at / n % n);
            let (low, high) = (i.max(j) + i.min(j) * n, at / (n * n) * n * n);
            0.1 * values[high + low] + if i == j { n as f64 } else { 0.0 }
        };
        (0..values.len()).map(entry).collect()
    };
    let dynamics = |values: Vec<f64>| -> Vec<f64> {
        let entry = |(at, value): (usize, f64)| 0.1 * value + f64::from(at % nx == at / nx % nx);
        values.into_iter().enumerate().map(entry).collect()
    };
    let cost = problems::Cost {
        xx: symmetric(numbers(nx * nx), nx),
        ux: numbers(nu * nx),
        uu: symmetric(numbers(nu * nu), nu),
        x: numbers(nx),
        u: numbers(nu),
        terminal_xx: symmetric(numbers(nx * nx), nx)[..len * nx * nx].to_vec(),
        terminal_x: numbers(nx)[..len * nx].to_vec(),
    };
    let (fx, fu) = (dynamics(numbers(nx * nx)), numbers(nx * nu));
    Problems { sizes: problems::Sizes { nx, nu, n_knots }, len, n_sources: len, fx, fu, cost }
}

#[test]
fn every_built_in_robot_is_right_on_every_device() {
    // The op for all knots takes 32 of them.
    for (nx, nu, n_knots) in [(14, 7, 32), (12, 4, 5), (12, 6, 32), (36, 12, 32)] {
        let problems = invented(nx, nu, n_knots);
        let answers = reference::solve(&problems).unwrap();
        let expected = rounding::expected(&problems, &answers);
        for device in Device::all().0 {
            if device.is_software() && nx > 14 {
                println!("skipped: {} compiles the kernels of {nx} states for minutes", device.name());
                continue;
            }
            for dtype in [DType::F32, DType::F64] {
                for way in robots::named(nx, nu, dtype).unwrap() {
                    if table::plans(way.tasks, &device, problems.len).is_none() {
                        assert_eq!((device.target(), dtype), (glass::Target::Wgpu, DType::F64));
                        continue;
                    }
                    if let Some(misfit) = way.misfit(problems.sizes) {
                        assert_eq!((way.name, n_knots), ("pass", 5));
                        assert_eq!(misfit, "is built for 32 knots, the problems have 5");
                        continue;
                    }
                    let right = Right { sizes: problems.sizes, answers: &answers, expected: &expected };
                    let outcome = (way.evaluate)(&device, &Batch { problems: &problems, right });
                    let subject = format!("{device:?}, {nx}, {nu}, {dtype}, {}", way.name);
                    if let Some(refusal) = outcome.as_ref().err().filter(|error| error.is_refusal()) {
                        assert_eq!(device.target(), glass::Target::Wgpu, "{subject}");
                        println!("skipped: {subject}: {refusal}");
                        continue;
                    }
                    assert!(outcome.is_ok(), "{subject}: {}", outcome.unwrap_err());
                }
            }
        }
    }
}

#[test]
fn a_bad_pivot_is_reported_with_problem_and_knot() {
    let (nx, nu, n_knots) = (12, 4, 32);
    let mut problems = invented(nx, nu, n_knots);
    let answers = reference::solve(&problems).unwrap();
    // The third diagonal entry of Luu: problem 1 at knot 9, and problem 0 at knot 7, which comes later.
    for at in [n_knots + 9, 7] {
        problems.cost.uu[at * nu * nu + 2 * nu + 2] = -1e6;
    }
    let expected = vec![[1.0; 3]; 3 * n_knots];
    for way in robots::named(nx, nu, DType::F32).unwrap() {
        let right = Right { sizes: problems.sizes, answers: &answers, expected: &expected };
        let error = (way.evaluate)(&Device::host(), &Batch { problems: &problems, right }).unwrap_err();
        let message = "problem 1, knot 9: pivot 3 of Quu is not positive";
        assert_eq!(error.to_string(), message, "{}", way.name);
    }
}

#[test]
fn wrong_answers_fail_the_run() {
    let problems = invented(12, 6, 32);
    let mut answers = reference::solve(&problems).unwrap();
    let expected = rounding::expected(&problems, &answers);
    answers.value[7] *= 1.001;
    for way in robots::named(12, 6, DType::F32).unwrap() {
        let right = Right { sizes: problems.sizes, answers: &answers, expected: &expected };
        let error = (way.evaluate)(&Device::host(), &Batch { problems: &problems, right }).unwrap_err();
        assert!(error.to_string().starts_with("problem 0, knot 0: relative error of V is "), "{error}");
    }
}

#[test]
fn a_device_that_grants_too_little_is_named_and_no_failure() {
    let limit = glass::Error::Limit { subject: "k".into(), what: "operands", required: 14, available: 8 };
    let wrong = passes::Indefinite { problem_idx: 1, knot: 2, pivot: 3 };
    for (unmeasured, is_right, line) in [
        (
            limit.into(),
            true,
            "refused host f32, knot, file: glass: k: operands: 14 needed; allowed: at most 8",
        ),
        (
            wrong.into(),
            false,
            "FAILED: host f32, knot, file: problem 1, knot 2: pivot 3 of Quu is not positive",
        ),
    ] {
        let mut row = Row::new(&Device::host(), DType::F32, "knot");
        row.batches.push(("file", 8, Err(unmeasured)));
        assert_eq!(row.is_right(), is_right);
        let mut out = Vec::new();
        table::write(&mut out, &[row], &[]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().any(|written| written == line), "{text}");
    }
}

#[test]
fn sizes_without_kernels_are_refused_by_name() {
    let message = robots::named(13, 4, DType::F32).unwrap_err();
    assert!(message.starts_with("13 states and 4 controls given"), "{message}");
}

#[test]
fn the_shipped_file_runs_and_the_table_has_every_part() {
    let mut out = Vec::new();
    let is_right = run(parser(&["--batch", "33"]), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    println!("{text}");
    assert!(is_right);
    for part in [
        "8, file",
        "33, perturbed",
        "host f64, chain: ",
        "host f32, pass: ",
        "glass_riccati_step_f64_nx14_nu7",
        "V = (V + V') / 2",
        "Errors: ",
        "glass_potrf_f32_n7",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_closed_pipe_a_quiet_one() {
    for (arguments, room) in [(&["--help"][..], 10), (&["--batch", "1", "--dtype", "f32"], 0)] {
        for (kind, is_quiet) in [(io::ErrorKind::StorageFull, false), (io::ErrorKind::BrokenPipe, true)] {
            let failure = run(parser(arguments), &mut Full { room, kind }).unwrap_err();
            assert!(matches!(&failure, Failure::Output(error) if error.kind() == kind), "{failure:?}");
            let (message, code) = failure.report();
            assert_eq!((message.is_none(), code), (is_quiet, 1));
        }
    }
}

#[test]
fn unusable_arguments_write_nothing() {
    let mut out = Vec::new();
    let (message, code) = run(parser(&["--data", "examples/data"]), &mut out).unwrap_err().report();
    assert_eq!(message.as_deref(), Some("examples/data: is no regular file"));
    assert_eq!((out.len(), code), (0, 2));
}
