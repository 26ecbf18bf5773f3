//! The named templates and filters of a configuration, for what refers to them by name.
//!
//! In: definitions, in the order of the configuration. Out: the same, by name. Limits: none of its own.

use crate::{
    Filter,
    filter::{self, FilterTextError, Names},
};
use std::{collections::HashMap, sync::Arc};
use template::{
    Condition, ConditionError, Surroundings, Template, Version,
    geo::{GeoDatabase, GeoDatabases},
};

/// The objects that a configuration has defined so far.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Version of the configuration.
    pub version: Version,
    /// `template NAME ...`.
    pub templates: HashMap<String, Arc<Template>>,
    /// `template-function NAME ...`.
    pub functions: HashMap<String, Arc<Template>>,
    /// `filter NAME { ... }`.
    pub filters: HashMap<String, Arc<Filter>>,
    /// The databases that templates ask about addresses.
    pub geo: GeoDatabases,
}

impl Definitions {
    /// Makes an empty set of definitions.
    pub fn new(version: Version) -> Definitions {
        Definitions { version, ..Definitions::default() }
    }
}

impl Surroundings for Definitions {
    fn version(&self) -> Version {
        self.version
    }

    fn template(&self, name: &str) -> Option<Arc<Template>> {
        self.templates.get(name).cloned()
    }

    fn templates(&self) -> Arc<HashMap<String, Arc<Template>>> {
        Arc::new(self.templates.clone())
    }

    fn function(&self, name: &str) -> Option<Arc<Template>> {
        self.functions.get(&name.replace('_', "-")).cloned()
    }

    fn geo_database(&self, path: &str) -> Arc<GeoDatabase> {
        self.geo.get(path)
    }

    fn condition(&self, expression: &str) -> Result<Arc<dyn Condition>, ConditionError> {
        let error = |error: FilterTextError| ConditionError { offset: error.offset, reason: error.reason };
        Ok(Arc::new(Filter::new(filter::parse(expression, self).map_err(error)?)))
    }
}

impl Names for Definitions {
    fn surroundings(&self) -> &dyn Surroundings {
        self
    }

    fn filter(&self, name: &str) -> Option<Arc<Filter>> {
        self.filters.get(name).cloned()
    }
}

#[cfg(test)]
mod tests;
