//! The definitions of a configuration that its templates use: other templates, functions, filters, databases.
//!
//! In: names and expressions in the text of a template. Out: the objects they refer to. Holds nothing: these are
//! interfaces.
//! Limits: none.

use super::{
    condition::{Condition, ConditionError},
    tree::Template,
};
use crate::{geo::GeoDatabase, version::Version};
use std::{collections::HashMap, sync::Arc};

/// The definitions that a template may refer to.
pub trait Surroundings {
    /// Returns the version of the configuration.
    fn version(&self) -> Version;
    /// Returns the template of a name.
    fn template(&self, name: &str) -> Option<Arc<Template>>;
    /// Returns all templates that have a name: for `$(template ...)` whose name is a macro.
    fn templates(&self) -> Arc<HashMap<String, Arc<Template>>>;
    /// Returns the compiled `template-function` of a name.
    fn function(&self, name: &str) -> Option<Arc<Template>>;
    /// Returns the database that `$(geoip2 --database ...)` names. It may still be empty, and be filled later.
    fn geo_database(&self, path: &str) -> Arc<GeoDatabase>;
    /// Returns the filter expression of `$(if ...)` and `$(grep ...)`.
    fn condition(&self, expression: &str) -> Result<Arc<dyn Condition>, ConditionError>;
}
