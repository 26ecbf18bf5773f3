//! The requests and the answers of runs.
//!
//! In: JSON. Out: values of its types. Holds nothing.

use super::panel::PanelAnswer;
use crate::json::types::{ClockName, default_timeout};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use utoipa::ToSchema;

/// The times, the logspace and the values with which the panels are searched.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRequest {
    /// Start of the time range; left out with `to`: the times of the dashboard.
    pub(super) from: Option<String>,
    /// End of the time range.
    pub(super) to: Option<String>,
    /// The clock of the times; left out: that of the dashboard.
    pub(super) clock: Option<ClockName>,
    /// The logspace of panels that name none; left out: that of the dashboard.
    #[serde(rename = "in")]
    pub(super) logspace: Option<String>,
    /// Values of parameters; those that are left out have their defaults.
    #[serde(default)]
    pub(super) params: BTreeMap<String, String>,
    /// Values that the messages of all panels must have.
    #[serde(default)]
    pub(super) filters: Vec<FieldValue>,
    /// Only these panels, by id; left out: all.
    pub(super) panels: Option<Vec<String>>,
    /// Longest time of the search of a panel, milliseconds.
    #[serde(default = "default_timeout")]
    pub(super) timeout_ms: u64,
}

/// A value of a field.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldValue {
    /// The field.
    pub(super) field: String,
    /// The value.
    pub(super) value: String,
}

/// A dashboard that is not saved, and how it is searched.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftRequest {
    /// The specification of a dashboard.
    #[schema(value_type = Object)]
    pub(super) spec: Value,
    /// The rest, as for a saved dashboard.
    pub(super) run: RunRequest,
}

/// The answers of panels.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes an answer that is written piece by piece")]
pub(crate) struct RunAnswer {
    /// The time of the snapshot, and of `now` in queries and times; microseconds since 1970.
    taken_us: i64,
    /// The snapshot of each logspace, as that of an answer of `/search`.
    #[schema(value_type = Object)]
    snapshot: HashMap<String, Value>,
    /// The panels, in the order of the dashboard.
    panels: Vec<PanelAnswer>,
}
