//! The phase of a key: its condition does not hold, holds but not for long enough, or an instance is firing.
//!
//! In: judgements at the ends of windows. Out: reports. Holds: the start of the condition, or an ordinal.

use super::contract::{Context, Moment};
use crate::{
    snapshot::{RestoreError, SnapshotReader, SnapshotWriter},
    transition::Change,
};

/// The phase of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Phase {
    /// The condition does not hold.
    #[default]
    Idle,
    /// It holds since a time.
    Pending { since_us: i64 },
    /// An instance is firing.
    Firing { ordinal: u64 },
}

/// The condition of a key at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judgement {
    /// The rule should fire.
    Holds,
    /// It should not fire, and what fires goes on.
    Between,
    /// An instance that fires should be resolved.
    Ended,
}

impl Phase {
    /// Returns the phase after a judgement, and reports what changed. An instance goes on until it ends.
    pub(super) fn judged(
        self,
        key: &[u8],
        judgement: Judgement,
        moment: Moment,
        context: &mut Context<'_>,
    ) -> Phase {
        match (self, judgement) {
            (Phase::Idle, Judgement::Holds) if context.rule.hold_us > 0 => {
                Phase::Pending { since_us: moment.at_us }
            }
            (Phase::Idle, Judgement::Holds) => Phase::fire(key, moment, context),
            (Phase::Pending { since_us }, Judgement::Holds)
                if moment.at_us.saturating_sub(since_us) >= context.rule.hold_us =>
            {
                Phase::fire(key, moment, context)
            }
            (Phase::Firing { ordinal }, Judgement::Ended) => {
                context.report(key, ordinal, Change::Resolved, moment);
                Phase::Idle
            }
            (Phase::Pending { .. }, Judgement::Between | Judgement::Ended) => Phase::Idle,
            (same, _) => same,
        }
    }

    /// Fires an instance.
    pub(super) fn fire(key: &[u8], moment: Moment, context: &mut Context<'_>) -> Phase {
        let ordinal = context.next_ordinal();
        context.report(key, ordinal, Change::Fired, moment);
        Phase::Firing { ordinal }
    }

    pub(super) fn save(self, out: &mut SnapshotWriter) {
        match self {
            Phase::Idle => out.number(0),
            Phase::Pending { since_us } => {
                out.number(1);
                out.time(since_us);
            }
            Phase::Firing { ordinal } => {
                out.number(2);
                out.number(ordinal);
            }
        }
    }

    pub(super) fn load(from: &mut SnapshotReader<'_>) -> Result<Phase, RestoreError> {
        Ok(match from.number()? {
            0 => Phase::Idle,
            1 => Phase::Pending { since_us: from.time()? },
            2 => Phase::Firing { ordinal: from.number()? },
            _ => return Err(RestoreError::Damaged),
        })
    }
}
