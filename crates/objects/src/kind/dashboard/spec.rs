//! The members of the specification of a dashboard.
//!
//! In: JSON. Out: values of its types, not checked. Limits: the constants below, which others apply.

use crate::kind::search::SearchTime;
use serde::{Deserialize, Serialize};

/// Most panels: a page with more can be read by nobody, and each is a search.
pub const PANELS_MAX: usize = 40;
/// Most parameters.
pub const PARAMETERS_MAX: usize = 20;
/// Columns of the grid.
pub const GRID_COLUMNS: u16 = 12;
/// Most rows of a table or of a list of messages.
pub const ROWS_MAX: u32 = 500;

/// The specification of a dashboard.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Dashboard {
    /// The logspace of panels that name none; empty for the first one that the reader may search.
    #[serde(default)]
    pub logspace: String,
    /// The times that the page begins with.
    #[serde(default)]
    pub time: SearchTime,
    /// Seconds between two answers that the page asks for; 0 for none.
    #[serde(default)]
    pub refresh_s: u32,
    /// The parameters of queries.
    #[serde(default)]
    pub parameters: Vec<DashboardParameter>,
    /// The panels.
    #[serde(default)]
    pub panels: Vec<Panel>,
}

/// A parameter, written as `${name}` in queries.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct DashboardParameter {
    /// The name.
    pub name: String,
    /// The label of its field; empty for the name.
    #[serde(default)]
    pub title: String,
    /// The type of its values.
    #[serde(default, rename = "type")]
    pub kind: ParameterType,
    /// The value when none is given; empty for any.
    #[serde(default)]
    pub default: String,
}

/// The types of parameters.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    /// A text, without wildcards.
    #[default]
    Text,
    /// A number: digits with a sign and a point.
    Number,
}

/// A panel.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// The id, which stays the same when the panel moves.
    pub id: String,
    /// The title.
    #[serde(default)]
    pub title: String,
    /// The way its answer is shown.
    pub kind: PanelKind,
    /// First column of the grid, from 0.
    pub x: u16,
    /// First row of the grid, from 0.
    pub y: u16,
    /// Width in columns.
    pub w: u16,
    /// Height in rows.
    pub h: u16,
    /// The logspace; empty for that of the dashboard.
    #[serde(default)]
    pub logspace: String,
    /// The query with its pipes; empty for a text.
    #[serde(default)]
    pub query: String,
    /// Times of its own; left out: those of the dashboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<PanelTime>,
    /// The text of a panel of text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Options of its kind.
    #[serde(default)]
    pub options: PanelOptions,
}

/// The kinds of panels.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum PanelKind {
    /// One number.
    Number,
    /// Lines over time.
    Line,
    /// Bars.
    Bar,
    /// Shares of a whole.
    Pie,
    /// A table.
    Table,
    /// Messages.
    Messages,
    /// Hours of the day by days of the week.
    Heat,
    /// A text.
    Text,
}

/// Times of a panel.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct PanelTime {
    /// The start; empty for no limit.
    #[serde(default)]
    pub from: String,
    /// The end; empty for no limit.
    #[serde(default)]
    pub to: String,
}

/// Options of panels.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct PanelOptions {
    /// Most rows of a table or of a list of messages; 0 for the page's default.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows: u32,
    /// Columns of a list of messages; empty for the page's default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// True to show a number beside that of the same time before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compare: bool,
    /// The unit behind a number, such as `ms`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
