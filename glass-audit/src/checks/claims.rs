//! Claims against the samples.

use super::{METRICS, Recomputed};
use crate::capture::Capture;
use crate::finding::{Findings, Reason};
use crate::statistics::Verdict;

const OVER: [&str; 2] = ["A", "peers"];

/// What is claimed can be judged at all.
pub(super) fn known(capture: &Capture, findings: &mut Findings) {
    for claim in &capture.declaration.claims {
        let mut choice = |what: &str, given: &str, known: &[&str]| {
            findings.require(Reason::Protocol, known.contains(&given), || {
                format!("a claim for {} names the {what} `{given}`; known: {known:?}", claim.cell)
            });
        };
        choice("rival", &claim.over, &OVER);
        choice("metric", &claim.metric, &METRICS);
        let cells = capture.declaration.cells.iter().filter(|cell| !cell.is_aa);
        choice("cell", &claim.cell, &cells.map(|cell| cell.id.as_str()).collect::<Vec<_>>());
    }
}

/// Every declared claim is in the samples; nothing asks that a candidate wins where nobody claimed it.
pub(super) fn declared(capture: &Capture, recomputed: &Recomputed, findings: &mut Findings) {
    for claim in &capture.declaration.claims {
        let (cell, metric) = (&claim.cell, &claim.metric);
        let verdicts: Vec<Option<Verdict>> = match claim.over.as_str() {
            "A" => vec![recomputed.verdict(cell, metric)],
            "peers" => {
                let peers = recomputed.cells.get(cell).into_iter().flat_map(|cell| cell.peers.keys());
                peers.map(|peer| recomputed.verdict_of_peer(cell, peer, metric)).collect()
            }
            _ => Vec::new(),
        };
        let holds = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Some(Verdict::Faster));
        findings.require(Reason::Claim, holds, || {
            format!(
                "{cell}, {metric}, over {}: the samples say {verdicts:?}; of {} declared rounds {} of the cell and {} of \
                 the pair of equals are valid",
                claim.over,
                recomputed.n_rounds,
                recomputed.n_valid_rounds(cell),
                recomputed.n_rounds_of_equals
            )
        });
    }
}
