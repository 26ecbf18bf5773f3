//! The checks of a dashboard: its grid, its parameters, the query of each panel.
//!
//! In: a dashboard. Out: nothing, or the first fault with the member that has it. Limits: the constants below.

use super::{
    spec::{Dashboard, GRID_COLUMNS, PANELS_MAX, PARAMETERS_MAX, Panel, PanelKind, ROWS_MAX},
    values::Values,
};
use crate::kind::{
    checked::SpecError,
    search::{check_columns, check_logspace, check_times},
};
use query::{Command, ParseOptions, Query, is_parameter_name};
use std::collections::BTreeMap;

/// Longest title, in characters.
const TITLE_CHARS_MAX: usize = 200;
/// Longest text of a panel, in bytes.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Longest id of a panel, in characters.
const ID_CHARS_MAX: usize = 32;
/// Longest unit, in characters.
const UNIT_CHARS_MAX: usize = 16;
/// Last row of the grid that a panel may begin in.
const ROW_MAX: u16 = 1_000;
/// Most rows of the grid that a panel has.
const HEIGHT_MAX: u16 = 40;
/// An hour, in microseconds.
const HOUR_US: i64 = 3_600_000_000;
/// Shortest and longest time between two answers that the page asks for by itself, in seconds.
const REFRESH_S: std::ops::RangeInclusive<u32> = 5..=86_400;

pub(super) fn dashboard(dashboard: &Dashboard) -> Result<(), SpecError> {
    check_logspace("logspace", &dashboard.logspace)?;
    check_times("time", &dashboard.time.from, &dashboard.time.to)?;
    if dashboard.refresh_s != 0 && !REFRESH_S.contains(&dashboard.refresh_s) {
        let what = format!("{} to {} seconds, or 0 for none", REFRESH_S.start(), REFRESH_S.end());
        return Err(SpecError::new("refresh_s", what));
    }
    let values = parameters(dashboard)?;
    if dashboard.panels.len() > PANELS_MAX {
        return Err(SpecError::new("panels", format!("at most {PANELS_MAX} panels")));
    }
    for (index, panel) in dashboard.panels.iter().enumerate() {
        let at = |member: &str| format!("panels.{index}.{member}");
        let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if panel.id.is_empty() || panel.id.len() > ID_CHARS_MAX || !panel.id.chars().all(is_id) {
            let what = format!("1 to {ID_CHARS_MAX} of the characters a-z 0-9 - are needed");
            return Err(SpecError::new(&at("id"), what));
        }
        if dashboard.panels[..index].iter().any(|other| other.id == panel.id) {
            return Err(SpecError::new(&at("id"), format!("another panel has the id {:?}", panel.id)));
        }
        check_line(&at("title"), &panel.title, TITLE_CHARS_MAX)?;
        position(dashboard, index)?;
        content(panel, &at, &values)?;
        options(panel, &at)?;
    }
    Ok(())
}

fn parameters(dashboard: &Dashboard) -> Result<Values, SpecError> {
    if dashboard.parameters.len() > PARAMETERS_MAX {
        return Err(SpecError::new("parameters", format!("at most {PARAMETERS_MAX} parameters")));
    }
    for (index, parameter) in dashboard.parameters.iter().enumerate() {
        let at = |member: &str| format!("parameters.{index}.{member}");
        if !is_parameter_name(&parameter.name) {
            let what = "a letter, then letters, digits and _ in lower case are needed";
            return Err(SpecError::new(&at("name"), what));
        }
        if dashboard.parameters[..index].iter().any(|other| other.name == parameter.name) {
            return Err(SpecError::new(&at("name"), "a name is there twice"));
        }
        check_line(&at("title"), &parameter.title, TITLE_CHARS_MAX)?;
    }
    dashboard.values(&BTreeMap::new()).map_err(|error| SpecError::new("parameters", error.to_string()))
}

/// Refuses a panel that leaves the grid or lies on another one.
fn position(dashboard: &Dashboard, index: usize) -> Result<(), SpecError> {
    let panel = &dashboard.panels[index];
    let at = |member: &str| format!("panels.{index}.{member}");
    let is_within = panel.w >= 1 && u32::from(panel.x) + u32::from(panel.w) <= u32::from(GRID_COLUMNS);
    if !is_within {
        let what = format!("the grid has {GRID_COLUMNS} columns; x and w must lie within");
        return Err(SpecError::new(&at("w"), what));
    }
    if panel.h == 0 || panel.h > HEIGHT_MAX || panel.y > ROW_MAX {
        let what = format!("a panel has 1 to {HEIGHT_MAX} rows and begins in row 0 to {ROW_MAX}");
        return Err(SpecError::new(&at("h"), what));
    }
    let lies_on = |other: &&Panel| {
        panel.x < other.x + other.w
            && other.x < panel.x + panel.w
            && panel.y < other.y + other.h
            && other.y < panel.y + panel.h
    };
    match dashboard.panels[..index].iter().find(lies_on) {
        Some(other) => {
            let what = format!("the panel {:?} lies on the panel {:?}", panel.id, other.id);
            Err(SpecError::new(&at("y"), what))
        }
        None => Ok(()),
    }
}

/// Checks the query of a panel, or its text.
fn content(panel: &Panel, at: &dyn Fn(&str) -> String, values: &Values) -> Result<(), SpecError> {
    if panel.kind == PanelKind::Text {
        if panel.text.len() > TEXT_BYTES_MAX {
            return Err(SpecError::new(&at("text"), format!("at most {TEXT_BYTES_MAX} bytes")));
        }
        let is_empty = panel.query.is_empty() && panel.logspace.is_empty() && panel.time.is_none();
        return match is_empty {
            true => Ok(()),
            false => Err(SpecError::new(&at("query"), "a panel of text has no query, logspace or time")),
        };
    }
    if !panel.text.is_empty() {
        return Err(SpecError::new(&at("text"), "only a panel of kind text has a text"));
    }
    check_logspace(&at("logspace"), &panel.logspace)?;
    if let Some(time) = &panel.time {
        check_times(&at("time"), &time.from, &time.to)?;
    }
    let named = |what: String| {
        let title = if panel.title.is_empty() { &panel.id } else { &panel.title };
        SpecError::new(&at("query"), format!("panel {title:?}: {what}"))
    };
    // The columns of errors are those of the text as it was written.
    query::bind(&panel.query, &|_| Some(query::ParameterValue::Text("x".to_owned())))
        .map_err(|error| named(error.to_string()))?;
    let bound = panel.query_with(values, &[]).map_err(|error| named(error.to_string()))?;
    let query = Query::parse(&bound, &ParseOptions::default()).map_err(|error| named(error.to_string()))?;
    match fault_of_shape(panel.kind, &query) {
        Some(what) => Err(named(what.to_owned())),
        None => Ok(()),
    }
}

/// Returns the reason why the result of a query cannot be shown in a kind of panel.
fn fault_of_shape(kind: PanelKind, query: &Query) -> Option<&'static str> {
    let columns = query.columns().map(<[query::Name]>::len);
    let has_pipes = !query.written_pipes().is_empty();
    let makes = |is_wanted: &dyn Fn(&Command) -> bool| {
        query.written_pipes().iter().any(|pipe| is_wanted(&pipe.command))
    };
    let is_timed = makes(&|command| matches!(command, Command::Timechart { .. }));
    let is_hourly = makes(&|command| match command {
        Command::Timechart { span_us: Some(us), .. } => *us <= HOUR_US,
        _ => false,
    });
    let is_grouped = makes(&|command| match command {
        Command::Top { .. } | Command::Patterns(_) => true,
        Command::Stats { by, .. } => !by.is_empty(),
        _ => false,
    });
    match kind {
        PanelKind::Number if has_pipes && (columns.is_none() || is_timed || is_grouped) => {
            Some("a number needs a query without pipes, or stats without by, such as `* | stats count()`")
        }
        PanelKind::Line if has_pipes && !is_timed => {
            Some("lines need a query without pipes, or timechart, such as `* | timechart count() by host`")
        }
        PanelKind::Heat if !is_hourly => {
            Some("a heat map needs timechart with an hour or less, such as `* | timechart 1h count()`")
        }
        PanelKind::Bar if has_pipes && !is_timed && !is_grouped => {
            Some("bars need a query without pipes, or top, stats by or timechart, such as `* | top host`")
        }
        PanelKind::Pie if !is_grouped || columns.is_none_or(|count| count < 2) => {
            Some("a pie needs top or stats by, such as `* | top 6 host`")
        }
        PanelKind::Table if columns.is_none() => {
            Some("a table needs pipes that make one, such as `* | top host` or `* | fields @received, host`")
        }
        PanelKind::Messages if columns.is_some() => {
            Some("a list of messages takes no pipes that make a table")
        }
        _ => None,
    }
}

fn options(panel: &Panel, at: &dyn Fn(&str) -> String) -> Result<(), SpecError> {
    let options = &panel.options;
    let refuse = |member: &str, what: &str| Err(SpecError::new(&at(&format!("options.{member}")), what));
    let has_rows = matches!(panel.kind, PanelKind::Table | PanelKind::Messages);
    if options.rows > ROWS_MAX || (options.rows != 0 && !has_rows) {
        return refuse("rows", &format!("1 to {ROWS_MAX}, of a table or a list of messages"));
    }
    if !options.columns.is_empty() && panel.kind != PanelKind::Messages {
        return refuse("columns", "only a list of messages has columns");
    }
    check_columns(&at("options.columns"), &options.columns)?;
    if panel.kind != PanelKind::Number && (options.compare || !options.unit.is_empty()) {
        return refuse("unit", "only a number has a unit or is compared");
    }
    check_line(&at("options.unit"), &options.unit, UNIT_CHARS_MAX)
}

fn check_line(member: &str, text: &str, chars_max: usize) -> Result<(), SpecError> {
    match text.chars().count() <= chars_max && !text.chars().any(char::is_control) {
        true => Ok(()),
        false => Err(SpecError::new(member, format!("at most {chars_max} characters in one line"))),
    }
}
