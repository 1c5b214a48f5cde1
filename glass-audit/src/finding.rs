//! Why a capture is rejected.

use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! reasons {
    ($($(#[doc = $text:literal])* $name:ident = $code:literal,)*) => {
        /// Every reason for which a capture is rejected.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[doc = $text])* $name,)*
        }

        impl Reason {
            /// Its spelling in receipts.
            pub fn code(self) -> &'static str {
                match self {
                    $(Reason::$name => $code,)*
                }
            }
        }
    };
}

reasons! {
    /// A file is of another format, or parameters contradict it.
    Protocol = "protocol",
    /// Another program than the declared one ran.
    Binary = "binary",
    /// Files of the machine changed during the run.
    ArtifactsChanged = "artifacts-changed",
    /// A failed row is gone.
    FailureMissing = "failure-missing",
    /// A visit occurs twice.
    DuplicateVisit = "duplicate-visit",
    /// A visit is absent.
    RowMissing = "row-missing",
    /// A row that nothing declares.
    RowUnknown = "row-unknown",
    /// Visits or lanes are not in the order of the table, or not balanced.
    OrderTable = "order-table",
    /// Another view answered than was asked for.
    ViewAck = "view-ack",
    /// A sample is no positive number, or their count is not the declared one.
    SampleDomain = "sample-domain",
    /// The oracle did not see the complete output.
    OracleCoverage = "oracle-coverage",
    /// A result exceeds its bound, or memory was written that should not have been, or was not.
    Oracle = "oracle",
    /// Inputs are not those of the pilots.
    InputHash = "input-hash",
    /// A digest is not that of the kernel's text.
    SourceHash = "source-hash",
    /// A text and its digests agree, but the declaration froze another text.
    PlanSource = "plan-source",
    /// A plan is not the declared one.
    PlanHash = "plan-hash",
    /// Compiler options are not the declared ones.
    OptionsHash = "options-hash",
    /// The machine code is not that of the pilots.
    ModuleHash = "module-hash",
    /// A control variant differs outside its declared region.
    ControlDiff = "control-diff",
    /// A time per call is not the sample over its calls.
    Divisor = "divisor",
    /// Declared bytes or operations are not those of the shape.
    Bytes = "bytes",
    /// Operand sets do not make the regime.
    Regime = "regime",
    /// More bytes in less time than the memory moves.
    Ceiling = "ceiling",
    /// Problems are not owned once each.
    Ownership = "ownership",
    /// Registers, shared or local memory beyond what is allowed or planned.
    Resources = "resources",
    /// Tensor-core instructions where scalar ones are claimed.
    TensorCore = "tensor-core",
    /// The clock fell and the round was not measured again.
    Clock = "clock",
    /// A published ratio is not that of the samples.
    RatioMismatch = "ratio-mismatch",
    /// A declared peer that the machine has was left out.
    PeerMissing = "peer-missing",
    /// A slower peer is named as the fastest.
    PeerFastest = "peer-fastest",
    /// A claimed gain is not in the samples.
    Claim = "claim",
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// One fault of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Of which kind.
    pub reason: Reason,
    /// Where, and what was found instead of what.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason.code(), self.message)
    }
}

/// Collects faults in the order in which they are found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) found: Vec<Finding>,
    /// Statements that held or not.
    pub(crate) n_validations: usize,
}

impl Findings {
    /// States what has to hold.
    pub(crate) fn require(&mut self, reason: Reason, holds: bool, message: impl FnOnce() -> String) {
        self.n_validations += 1;
        if !holds {
            self.found.push(Finding { reason, message: message() });
        }
    }
}
