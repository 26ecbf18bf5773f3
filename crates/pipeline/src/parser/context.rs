//! `add-contextual-data()`: values from a table about a message.
//!
//! In: a table of selectors, names and values; a selector: a rendered text, the first glob that matches
//! such a text, or the first filter that is true. Out: the values of the selector, or those of the default one.
//! Messages without either pass unchanged.
//! Holds: the table, which the owner of its file may replace at any time; a batch sees one table.
//! Limits: four million rows.

mod table;

pub use table::{ContextError, ContextReading, ContextTable, RowFault};

use super::Parser;
use crate::filter::Filter;
use message::{Batch, FieldName, Selection, Span, ValueKind};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};
use template::{Condition, Renderer, Template};

/// A table that can be replaced.
#[derive(Debug, Default)]
pub struct Contexts(RwLock<Arc<ContextTable>>);

impl Contexts {
    /// Makes a holder of a table.
    pub fn new(table: ContextTable) -> Contexts {
        Contexts(RwLock::new(Arc::new(table)))
    }

    /// Replaces the table.
    pub fn replace(&self, table: ContextTable) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    fn table(&self) -> Arc<ContextTable> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How rows of the table are selected.
#[derive(Clone, Debug)]
pub enum Selector {
    /// The rendered text is the selector.
    Text(Arc<Template>),
    /// The selectors of the table are globs: the first that matches the rendered text.
    Glob(Arc<Template>),
    /// The name of the first filter that holds.
    Filters(Vec<(String, Arc<Filter>)>),
}

/// Adds values of a table.
#[derive(Debug)]
pub struct Context {
    /// The selector of rows.
    pub selector: Selector,
    /// `default-selector()`.
    pub default: Option<String>,
    /// The table.
    pub contexts: Arc<Contexts>,
}

/// The spans of the names and values that were added to a batch already, by row.
type AddedRows = HashMap<usize, (Span, Span)>;

impl Context {
    fn rows<'t>(
        &self,
        table: &'t ContextTable,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
    ) -> &'t [usize] {
        let found = match &self.selector {
            Selector::Text(template) => table.rows(&template.value(batch, index, renderer)),
            Selector::Glob(template) => table.rows_of_glob(&template.value(batch, index, renderer)),
            Selector::Filters(filters) => {
                let holds = |filter: &Filter, renderer: &mut Renderer| filter.holds(batch, index, renderer);
                let name = filters.iter().find(|(_, filter)| holds(filter, renderer)).map(|(name, _)| name);
                name.map_or(&[][..], |name| table.rows(name.as_bytes()))
            }
        };
        match &self.default {
            Some(default) if found.is_empty() => table.rows(default.as_bytes()),
            _ => found,
        }
    }
}

impl Parser for Context {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let table = self.contexts.table();
        let mut added = AddedRows::new();
        let mut made = Vec::new();
        for index in within.iter() {
            for &row in self.rows(&table, batch, index, renderer) {
                let (name, value) = table.row(row);
                if value.constant().is_none() {
                    made.clear();
                    let kind = value.render_typed(batch, index, renderer, &mut made);
                    batch.set_field(index, name, &made, kind);
                    continue;
                }
                let (name_at, value_at) = *added.entry(row).or_insert_with(|| {
                    let text = value.constant().unwrap_or_default();
                    (batch.add_extra(name.as_str().as_bytes()), batch.add_extra(text))
                });
                match name {
                    FieldName::Fixed(field) => batch.set_fixed(index, *field, value_at),
                    _ => batch.push_value(index, name_at, value_at, ValueKind::String),
                }
            }
        }
        within.clone()
    }
}
