//! What became of a cell from one capture to another.

use super::capture::{Capture, Cell, Regime};

/// What a cell may lose beyond its own spread.
pub(super) const MARGIN: f64 = 0.05;

/// A cell of either capture.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Compared(Compared),
    /// Measured before, and not now.
    Missing,
    /// Measured now, and not before.
    Appeared,
    /// The new capture has wrong results there.
    Invalid(String),
    /// The old one had.
    InvalidBefore,
    /// Both measured it, as different things.
    Incomparable(String),
    /// In no regime that has a score.
    Unscored,
}

#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) regime: Regime,
    /// In the words of the regime, before and now.
    pub(super) scores: [String; 2],
    /// By how much more of its yardstick the cell takes now, as a part of what it took before.
    pub(super) slowdown: f64,
    /// What it may.
    pub(super) allowed: f64,
    /// The content hash is another one.
    pub(super) has_other_text: bool,
    /// The mapping, where it is another one.
    pub(super) mappings: Option<[String; 2]>,
}

impl Compared {
    pub(super) fn is_lost(&self) -> bool {
        self.slowdown > self.allowed
    }
}

impl Outcome {
    /// Whether the guard has to stop a change for it.
    pub(super) fn is_fault(&self) -> bool {
        match self {
            Outcome::Compared(compared) => compared.is_lost(),
            Outcome::Missing | Outcome::Invalid(_) | Outcome::Incomparable(_) => true,
            Outcome::Appeared | Outcome::InvalidBefore | Outcome::Unscored => false,
        }
    }
}

/// Every cell of the old capture in its order, then those that appeared.
pub(super) fn verdicts(old: &Capture, new: &Capture) -> Vec<Verdict> {
    let before = old.cells.iter().map(|cell| {
        let name = cell.name();
        let outcome = match new.cell(&name) {
            Some(now) => outcome((old, cell), (new, now)),
            None => Outcome::Missing,
        };
        Verdict { name, outcome }
    });
    let appeared = new.cells.iter().filter(|cell| old.cell(&cell.name()).is_none());
    let appeared = appeared.map(|cell| {
        let outcome =
            if cell.check == PASS { Outcome::Appeared } else { Outcome::Invalid(cell.check.clone()) };
        Verdict { name: cell.name(), outcome }
    });
    before.chain(appeared).collect()
}

/// How the bench spells a complete and right result.
const PASS: &str = "pass";

fn outcome((old, before): (&Capture, &Cell), (new, now): (&Capture, &Cell)) -> Outcome {
    if now.check != PASS {
        return Outcome::Invalid(now.check.clone());
    }
    if before.check != PASS {
        return Outcome::InvalidBefore;
    }
    let different = |what: &str, before: String, now: String| {
        (before != now).then(|| format!("{what} {now}, {before} before"))
    };
    let difference = different("regime", before.regime.to_string(), now.regime.to_string())
        .or_else(|| different("bytes", before.declared_bytes.to_string(), now.declared_bytes.to_string()))
        .or_else(|| different("clock", before.clock.clone(), now.clock.clone()));
    if let Some(difference) = difference {
        return Outcome::Incomparable(difference);
    }
    if now.regime == Regime::Mixed {
        return Outcome::Unscored;
    }
    let [(took, score_before), (takes, score_now)] =
        [(old, before), (new, now)].map(|(capture, cell)| yardstick(capture, cell));
    Outcome::Compared(Compared {
        regime: now.regime,
        scores: [score_before, score_now],
        slowdown: takes / took - 1.0,
        allowed: now.spread() + MARGIN,
        has_other_text: before.hash != now.hash,
        mappings: (before.mapping != now.mapping).then(|| [before.mapping.clone(), now.mapping.clone()]),
    })
}

/// What a cell takes, measured by what the same run tells about its day, and the score in words.
fn yardstick(capture: &Capture, cell: &Cell) -> (f64, String) {
    let ns = cell.ns();
    match cell.regime {
        Regime::DramCold => {
            let fraction = cell.declared_bytes as f64 / ns / capture.copy_gbs();
            (1.0 / fraction, format!("{fraction:.3} C"))
        }
        Regime::Launch => {
            let ratio = ns / capture.empty_ns();
            (ratio, format!("{ratio:.2} empty"))
        }
        Regime::L2Warm | Regime::Mixed => (ns, format!("{:.2} us", ns / 1e3)),
    }
}
