//! A kernel as text in the words of no language, for snapshots and faults.

use super::{COUNT, Constant, Frame, IntExpr, Kernel, Note, PastEnd, Stmt};
use crate::spec::{Format, Merge};
use std::fmt;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {}", self.symbol)?;
        match &self.frame {
            Frame::Batch { tier, staging } => {
                writeln!(f, "frame {} tier, {} staging", tier.as_str(), staging.as_str())?;
            }
            Frame::Level(level) => writeln!(f, "frame level to {}", level.destination.as_str())?,
            Frame::Vector(vector) => write!(f, "frame {} of {}", vector.part.as_str(), vector.op)?,
            Frame::LastBlock(fold) => {
                writeln!(f, "frame level, its last block folds {}", fold.body.name)?;
                print(&fold.body.stmts, 1, f)?;
            }
        }
        writeln!(f, "body {}, {} worker(s)", self.body.name, self.body.n_workers)?;
        if !self.body.temporaries.is_empty() {
            writeln!(f, "arrays {:?}", self.body.temporaries)?;
        }
        print(&self.body.stmts, 1, f)
    }
}

fn print(stmts: &[Stmt], depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    stmts.iter().try_for_each(|stmt| line(stmt, depth, f))
}

fn line(stmt: &Stmt, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)?;
    match stmt {
        Stmt::Comment(text) => writeln!(f, "# {text}"),
        Stmt::Int { name, value } => writeln!(f, "int {name} = {value}"),
        Stmt::Load { names, operand, index } => {
            writeln!(f, "{} = load operand {operand}[{index}]", names.join(", "))
        }
        Stmt::LoadBelow { names, operand, index, past_end } => {
            let rest = match past_end {
                PastEnd::Zero => "+0",
                PastEnd::Last => "the last one",
            };
            writeln!(f, "{} = load operand {operand}[{index}], {rest} from {COUNT} on", names.join(", "))
        }
        Stmt::TakeHanded { names, operand, index, stride } => {
            let names = names.join(", ");
            writeln!(
                f,
                "{names} = take operand {operand}[{index}] and every {stride}th after it, nothing from {COUNT} on"
            )
        }
        Stmt::LoadWord { name, operand, index } => {
            writeln!(f, "word {name} = load operand {operand}[{index}]")
        }
        Stmt::Place { name, word, limit, fault, note } => {
            write!(f, "int {name} = {word} up to {limit}, else 0 and {fault}")?;
            noted(note.as_ref(), f)
        }
        Stmt::CopyAhead { elements, first_slot } => {
            let elements = elements.iter().map(|(operand, index)| format!("operand {operand}[{index}]"));
            writeln!(f, "copy ahead to slots from {first_slot}: {}", elements.collect::<Vec<_>>().join(", "))
        }
        Stmt::Await { n_pending } => writeln!(f, "await all but {n_pending} groups"),
        Stmt::Take { name, slot } => writeln!(f, "{name} = take slot {slot}"),
        Stmt::Broadcast { name, value, worker } => writeln!(f, "{name} = {value} of worker {worker}"),
        Stmt::Release { operands } => {
            let operands: Vec<_> = operands.iter().map(|operand| format!("operand {operand}")).collect();
            writeln!(f, "release {}", operands.join(", "))
        }
        Stmt::Var { name, init } => writeln!(f, "var {name} = {}", init.as_deref().unwrap_or("+0")),
        Stmt::Let { name, function, args } => writeln!(f, "{name} = {function:?}({})", args.join(", ")),
        Stmt::Evaluate { name, format: Format::F32, of } => writeln!(f, "{name} = {of}"),
        Stmt::Evaluate { name, of, .. } => writeln!(f, "word {name} = {of}"),
        Stmt::RowProducts { name, matrix, vector } => {
            writeln!(f, "{name} = row `worker` of {matrix} * {vector}, +0 from {COUNT} on")
        }
        Stmt::RowProduct { name, matrix, vector, row } => {
            writeln!(f, "{name} = row {row} of {matrix} * {vector}")
        }
        Stmt::Constant { name, constant: Constant::Zero } => writeln!(f, "{name} = +0"),
        Stmt::Constant { name, constant: Constant::Half } => writeln!(f, "{name} = 0.5"),
        Stmt::Constant { name, constant: Constant::One } => writeln!(f, "{name} = 1"),
        Stmt::Constant { name, constant: Constant::BunchKaufman } => {
            writeln!(f, "{name} = (1 + sqrt 17) / 8")
        }
        Stmt::Fma { acc, a, b, is_negated } => {
            let sign = if *is_negated { "-" } else { "" };
            writeln!(f, "{acc} = fma({sign}{a}, {b}, {acc})")
        }
        Stmt::Add { acc, value } => writeln!(f, "{acc} = {acc} + {value}"),
        Stmt::Raise { acc, value, keeps_nan } => {
            let or_nan = if *keeps_nan { " or NaN" } else { "" };
            writeln!(f, "{acc} = max({acc}, {value}){or_nan}")
        }
        Stmt::Combine { acc, lanes, merge: None } => {
            writeln!(f, "{acc} = tree of {lanes} lanes over {acc}")
        }
        Stmt::Combine { acc, lanes, merge: Some(merge) } => {
            writeln!(f, "{acc} = {merge:?} of {lanes} lanes over {acc}")
        }
        Stmt::MeetSubgroups { acc, .. } => {
            writeln!(f, "{acc} = what subgroup `worker` has together, or nothing")
        }
        Stmt::Deal { accs, n_warps } => {
            let rest =
                |merge: &Option<Merge>| merge.map_or("+0".to_owned(), |merge| merge.identity().to_string());
            let accs = accs.iter().map(|(acc, merge)| format!("{acc} (else {})", rest(merge)));
            let accs = accs.collect::<Vec<_>>().join(", ");
            writeln!(f, "lane `l` of each of {n_warps} warps takes from warp `l`: {accs}")
        }
        Stmt::MergeWord { acc, merge, of } => writeln!(f, "{acc} = {merge:?} of {acc} and {of}"),
        Stmt::Finish { name, acc, old, epilogue } => {
            let old = old.as_deref().unwrap_or("-");
            let (alpha, beta) = (epilogue.alpha, epilogue.beta);
            writeln!(f, "{name} = finish {acc}, old {old}, run-time alpha {alpha}, beta {beta}")
        }
        Stmt::Status { word } => writeln!(f, "{} = 0", status(*word)),
        Stmt::Pivot { kind, value, pivot, reciprocal, note } => {
            write!(f, "{pivot}, {reciprocal} = {kind:?} pivot of {value}")?;
            noted(note.as_ref(), f)
        }
        Stmt::Store { operand, index, value } => writeln!(f, "store operand {operand}[{index}] = {value}"),
        Stmt::StoreUnless { operand, index, value, fault } => {
            writeln!(f, "store operand {operand}[{index}] = {value} unless {fault}")
        }
        Stmt::StoreStatus { operand, word } => {
            writeln!(f, "store operand {operand}[{word}] = {}", status(*word))
        }
        Stmt::Word { name, start } => writeln!(f, "word {name} = {start}"),
        Stmt::TakeLarger { acc, word, value, index } => {
            writeln!(f, "{acc}, {word} = {value}, {index} if {value} > {acc}")
        }
        Stmt::TakeAt { acc, word, index, value } => {
            writeln!(f, "{acc} = {value} if {word} == {index}")
        }
        Stmt::TakeWord { acc, word, flag } => writeln!(f, "{acc} = {word} if {flag} != 0"),
        Stmt::Complement { name, word, flag } => {
            writeln!(f, "word {name} = {word}, inverted if {flag} != 0")
        }
        Stmt::IsNegative { name, word } => writeln!(f, "{name} = 1 if {word} is negative, else 0"),
        Stmt::CountSign { word, sign, value } => writeln!(f, "{word} counts a {sign:?} {value}"),
        Stmt::StoreWord { operand, index, word } => {
            writeln!(f, "store operand {operand}[{index}] = {word}")
        }
        Stmt::Loop { var, start, end, step, unroll, stmts } => {
            let by = if *step == 1 { String::new() } else { format!(" by {step}") };
            let unroll = unroll.map_or_else(String::new, |passes| format!(", {passes} at once"));
            writeln!(f, "loop {var} in {start}..{end}{by}{unroll}")?;
            print(stmts, depth + 1, f)
        }
        Stmt::Guard { name, limit, stmts } => {
            writeln!(f, "if {name} < {limit}")?;
            print(stmts, depth + 1, f)
        }
        Stmt::Existing { name, awaits_gate, stmts } => {
            let gate = if *awaits_gate { " and the gate is on" } else { "" };
            writeln!(f, "if {name} < {COUNT}{gate}")?;
            print(stmts, depth + 1, f)
        }
        Stmt::Whole { whole, parts } => {
            writeln!(f, "if the chunk is whole")?;
            print(whole, depth + 1, f)?;
            writeln!(f, "{:1$}else", "", 2 * depth)?;
            print(parts, depth + 1, f)
        }
        Stmt::StoreVector { operand, index, values } => {
            writeln!(f, "store operand {operand}[{index}] = {}", values.join(", "))
        }
        Stmt::Block { stmts } => {
            writeln!(f, "block")?;
            print(stmts, depth + 1, f)
        }
        Stmt::Barrier => writeln!(f, "barrier"),
    }
}

fn noted(note: Option<&Note>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match note {
        Some(Note { word: 0, number }) => writeln!(f, ", number {number}"),
        Some(Note { word, number }) => writeln!(f, ", number {number} in {}", status(*word)),
        None => writeln!(f, ", unchecked"),
    }
}

/// The first status word is mostly the only one.
fn status(word: usize) -> String {
    if word == 0 { "status".to_owned() } else { format!("status {word}") }
}

impl fmt::Display for IntExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntExpr::Affine(index) => write!(f, "{index}"),
            IntExpr::Div(index, by) if index.as_name().is_some() => write!(f, "{index} / {by}"),
            IntExpr::Div(index, by) => write!(f, "({index}) / {by}"),
            IntExpr::Rem(index, by) => write!(f, "({index}) % {by}"),
            IntExpr::Min(name, limit) => write!(f, "min({name}, {limit})"),
            IntExpr::IfLess { left, right, then, otherwise } => {
                write!(f, "if {left} < {right} {{ {then} }} else {{ {otherwise} }}")
            }
        }
    }
}
