//! Dashboards: panels on a grid, each with a query, and the parameters that their queries share.
//!
//! In: `{logspace, time, refresh_s, parameters, panels}`. Out: the same with defaults written out, and the query of each panel
//! with values in the place of parameters. Limits: [`PANELS_MAX`], [`PARAMETERS_MAX`], those of each member.

mod check;
mod spec;
mod values;

pub use spec::{
    Dashboard, DashboardParameter, GRID_COLUMNS, PANELS_MAX, PARAMETERS_MAX, Panel, PanelKind, PanelOptions,
    PanelTime, ParameterType, ROWS_MAX,
};
pub use values::{ParameterError, Values};

use super::checked::{Checked, SpecError};
use serde::Deserialize;
use serde_json::Value;

/// Checks a specification.
pub(super) fn check(spec: &Value) -> Result<Checked, SpecError> {
    if !spec.is_object() {
        return Err(SpecError::new("", "a JSON object is needed"));
    }
    let read = Dashboard::deserialize(spec).map_err(|error| SpecError::new("", error.to_string()))?;
    check::dashboard(&read)?;
    let titles: Vec<&str> =
        read.panels.iter().map(|panel| panel.title.trim()).filter(|title| !title.is_empty()).collect();
    let summary = titles.join(", ").chars().take(super::search::SUMMARY_CHARS_MAX).collect();
    let spec = serde_json::to_value(&read).map_err(|error| SpecError::new("", error.to_string()))?;
    Ok(Checked { spec, summary })
}

/// The line and the column at which a text that begins with a specification has not its form.
pub(super) fn form_error(text: &[u8]) -> Option<(usize, usize)> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<Dashboard>();
    let error = values.next()?.err()?;
    Some((error.line(), error.column()))
}

#[cfg(test)]
mod tests;
