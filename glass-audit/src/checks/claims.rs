//! Claims against the samples.

use super::Recomputed;
use crate::capture::Capture;
use crate::finding::{Findings, Reason};
use crate::statistics::Verdict;

/// Every declared claim is in the samples; nothing asks that a candidate wins where nobody claimed it.
pub(super) fn declared(capture: &Capture, recomputed: &Recomputed, findings: &mut Findings) {
    for claim in &capture.declaration.claims {
        let (cell, metric) = (&claim.cell, &claim.metric);
        let verdicts: Vec<Option<Verdict>> = match claim.over.as_str() {
            "A" => vec![recomputed.verdict(cell, metric)],
            _ => {
                let peers = recomputed.cells.get(cell).into_iter().flat_map(|cell| cell.peers.keys());
                peers.map(|peer| recomputed.verdict_of_peer(cell, peer, metric)).collect()
            }
        };
        let holds = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Some(Verdict::Faster));
        findings.require(Reason::Claim, holds, || {
            format!("{cell}, {metric}, over {}: the samples say {verdicts:?}", claim.over)
        });
    }
}
