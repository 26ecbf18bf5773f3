//! The surroundings of templates in tests: named templates, and conditions that compare a text.

use crate::{Condition, ConditionError, Renderer, Surroundings, Template, Version, geo::GeoDatabase};
use message::Batch;
use std::{collections::HashMap, sync::Arc};

/// A version, and templates by name.
#[derive(Default)]
pub(super) struct Known {
    pub(super) version: Version,
    pub(super) templates: HashMap<String, Arc<Template>>,
}

impl Surroundings for Known {
    fn version(&self) -> Version {
        self.version
    }

    fn template(&self, name: &str) -> Option<Arc<Template>> {
        self.templates.get(name).cloned()
    }

    fn templates(&self) -> Arc<HashMap<String, Arc<Template>>> {
        Arc::new(self.templates.clone())
    }

    fn function(&self, _name: &str) -> Option<Arc<Template>> {
        None
    }

    fn geo_database(&self, _path: &str) -> Arc<GeoDatabase> {
        Arc::default()
    }

    /// Reads `TEMPLATE eq TEXT` and `TEMPLATE ge TEXT`.
    fn condition(&self, expression: &str) -> Result<Arc<dyn Condition>, ConditionError> {
        let error = |reason: String| ConditionError { offset: 0, reason };
        let words: Vec<&str> = expression.split(' ').collect();
        let [left, operator @ ("eq" | "ge"), right] = words[..] else {
            return Err(error(format!("cannot read {expression}")));
        };
        let left = Template::parse(left, self).map_err(|wrong| error(wrong.to_string()))?;
        Ok(Arc::new(Comparison { left, or_after: operator == "ge", right: right.into() }))
    }
}

/// A condition that compares a text.
#[derive(Debug)]
struct Comparison {
    left: Template,
    or_after: bool,
    right: Vec<u8>,
}

impl Condition for Comparison {
    fn holds(&self, batch: &Batch, index: usize, renderer: &mut Renderer) -> bool {
        let left = self.left.value(batch, index, renderer);
        *left == *self.right || self.or_after && *left > *self.right
    }
}
