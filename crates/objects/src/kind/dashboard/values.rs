//! Values of parameters, and the queries of panels with them.
//!
//! In: a dashboard, values by name. Out: the text of a query for each panel. Limits: [`VALUE_BYTES_MAX`].

use super::spec::{Dashboard, Panel, PanelKind, ParameterType};
use query::{ParameterValue, Query, QueryError};
use std::{collections::BTreeMap, fmt};

/// Longest value of a parameter, in bytes.
const VALUE_BYTES_MAX: usize = 1_024;

/// Most rows of a table that a chart is drawn from.
const CHART_ROWS_MAX: usize = 2_000;
/// Rows of a table, and messages, when the panel names no number.
const ROWS_DEFAULT: u32 = 50;
/// Intervals of a panel that shows counts over time without a pipe.
const INTERVALS: usize = 60;

/// Values of parameters, checked.
#[derive(Clone, Debug)]
pub struct Values(BTreeMap<String, ParameterValue>);

/// The reasons why values are refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterError {
    /// The dashboard has no such parameter.
    Unknown {
        /// The name.
        name: String,
    },
    /// The dashboard has no such panel.
    Panel {
        /// The id.
        id: String,
    },
    /// The value is too long.
    Length {
        /// The name.
        name: String,
    },
    /// The parameter takes numbers, and the value is none.
    Number {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterError::Unknown { name } => write!(f, "the dashboard has no parameter {name:?}"),
            ParameterError::Panel { id } => write!(f, "the dashboard has no panel {id:?}"),
            ParameterError::Length { name } => {
                write!(f, "the value of the parameter {name} has more than {VALUE_BYTES_MAX} bytes")
            }
            ParameterError::Number { name, value } => {
                write!(f, "the parameter {name} takes a number such as 500 or -0.5, and {value:?} is none")
            }
        }
    }
}

impl std::error::Error for ParameterError {}

impl Dashboard {
    /// Returns the values of all parameters: those that are given, the defaults of the others. An empty value is the default,
    /// and an empty default is any value.
    pub fn values(&self, given: &BTreeMap<String, String>) -> Result<Values, ParameterError> {
        if let Some(name) =
            given.keys().find(|name| !self.parameters.iter().any(|known| known.name == **name))
        {
            return Err(ParameterError::Unknown { name: name.chars().take(100).collect() });
        }
        let mut values = BTreeMap::new();
        for parameter in &self.parameters {
            let name = parameter.name.clone();
            let text = given.get(&name).map(|text| text.trim()).filter(|text| !text.is_empty());
            let text = text.unwrap_or(&parameter.default);
            if text.len() > VALUE_BYTES_MAX {
                return Err(ParameterError::Length { name });
            }
            let value = match parameter.kind {
                _ if text.is_empty() => ParameterValue::Any,
                ParameterType::Text => ParameterValue::Text(text.to_owned()),
                ParameterType::Number => {
                    let number = || ParameterError::Number { name: name.clone(), value: text.to_owned() };
                    ParameterValue::number(text).ok_or_else(number)?
                }
            };
            values.insert(name, value);
        }
        Ok(Values(values))
    }
}

impl Dashboard {
    /// Removes panels of text, and those that are not wanted; names the logspace of each of the others.
    pub fn select(
        &mut self,
        logspace: Option<&str>,
        wanted: Option<&[String]>,
    ) -> Result<(), ParameterError> {
        if let Some(wanted) = wanted {
            if let Some(id) = wanted.iter().find(|id| !self.panels.iter().any(|panel| panel.id == **id)) {
                return Err(ParameterError::Panel { id: id.chars().take(100).collect() });
            }
            self.panels.retain(|panel| wanted.contains(&panel.id));
        }
        self.panels.retain(|panel| panel.kind != PanelKind::Text);
        let logspace = logspace.filter(|name| !name.is_empty()).unwrap_or(&self.logspace);
        for panel in self.panels.iter_mut().filter(|panel| panel.logspace.is_empty()) {
            logspace.clone_into(&mut panel.logspace);
        }
        Ok(())
    }

    /// Returns the ends of the time range of a panel: its own, those that are given, those of the dashboard.
    pub fn times(
        &self,
        panel: &Panel,
        given: (Option<&str>, Option<&str>),
    ) -> (Option<String>, Option<String>) {
        let (from, to) = match (&panel.time, given) {
            (Some(own), _) => (Some(own.from.as_str()), Some(own.to.as_str())),
            (None, (None, None)) => (Some(self.time.from.as_str()), Some(self.time.to.as_str())),
            (None, given) => given,
        };
        (from.map(str::to_owned), to.map(str::to_owned))
    }
}

impl Panel {
    /// Returns the text of the query with values in the place of parameters, and with values that fields must have.
    pub fn query_with(&self, values: &Values, fields: &[(String, String)]) -> Result<String, QueryError> {
        let text = query::bind(&self.query, &|name| values.0.get(name).cloned())?;
        query::with_values(&text, fields)
    }

    /// Returns the most rows to ask for, and the number of intervals of a count over time.
    pub fn sizes(&self, query: &Query) -> (usize, usize) {
        let rows = if self.options.rows == 0 { ROWS_DEFAULT } else { self.options.rows } as usize;
        let has_pipes = !query.written_pipes().is_empty();
        match self.kind {
            PanelKind::Table | PanelKind::Messages => (rows, 0),
            PanelKind::Number => (usize::from(has_pipes), 0),
            _ if has_pipes => (CHART_ROWS_MAX, 0),
            _ => (0, INTERVALS),
        }
    }
}
