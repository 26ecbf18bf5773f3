//! What a class asks of a message: values by name, macros, templates.
//!
//! In: a message. Out: values. Holds: compiled templates. Limits: at most [`TEMPLATES_MAX`] are kept.

use crate::assemble::{expressions::rendering::seqnum, lowering::Lowering};
use message::{Batch, FieldName, Stamp, ValueKind};
use pipeline::Definitions;
use python::{Named, TemplateFault, Values, ValuesFactory};
use std::{collections::HashMap, sync::Arc};
use template::{RenderOptions, Renderer, Site, Template, ValuePairs, Version, is_macro};

/// Most templates that are kept compiled.
const TEMPLATES_MAX: usize = 1000;
/// Everything that a message has and that is not computed.
const SCOPES: [&str; 3] = ["nv-pairs", "dot-nv-pairs", "sdata"];

/// The definitions and options that the values of a driver are made of.
pub(crate) struct MessageValues {
    pairs: ValuePairs,
    options: RenderOptions,
    site: Arc<Site>,
    definitions: Arc<Definitions>,
}

impl MessageValues {
    pub(crate) fn new(pairs: ValuePairs, options: RenderOptions, lowering: &Lowering<'_>) -> MessageValues {
        let definitions = Arc::new(lowering.definitions.clone());
        MessageValues { pairs, options, site: lowering.environment.site.clone(), definitions }
    }

    /// Returns the selection of all values of a message.
    pub(crate) fn all(version: Version) -> ValuePairs {
        let mut pairs = ValuePairs::new(version);
        for scope in SCOPES {
            pairs.scope(scope);
        }
        pairs
    }
}

impl ValuesFactory for MessageValues {
    fn values(&self) -> Box<dyn Values> {
        Box::new(Rendered {
            pairs: self.pairs.clone(),
            renderer: Renderer::new(self.options.clone(), self.site.clone()),
            definitions: self.definitions.clone(),
            templates: HashMap::new(),
        })
    }
}

struct Rendered {
    pairs: ValuePairs,
    renderer: Renderer,
    definitions: Arc<Definitions>,
    templates: HashMap<String, Template>,
}

impl Rendered {
    fn render(
        &mut self,
        batch: &Batch,
        index: usize,
        text: &str,
    ) -> Result<(Vec<u8>, ValueKind), TemplateFault> {
        if !self.templates.contains_key(text) {
            let template = Template::parse(text, self.definitions.as_ref());
            let template = template.map_err(|error| TemplateFault(error.to_string()))?;
            if self.templates.len() >= TEMPLATES_MAX {
                self.templates.clear();
            }
            self.templates.insert(text.to_owned(), template);
        }
        let mut value = Vec::new();
        let kind = match self.templates.get(text) {
            Some(template) => template.render_typed(batch, index, &mut self.renderer, &mut value),
            None => ValueKind::default(),
        };
        Ok((value, kind))
    }
}

impl Values for Rendered {
    fn begin(&mut self, now: Stamp) {
        self.renderer.now = now;
    }

    fn pairs(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        add: &mut dyn FnMut(&str, &[u8], ValueKind),
    ) {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        for (name, value, kind) in self.pairs.pairs(batch, index, &mut self.renderer) {
            add(&name, &value, kind);
        }
    }

    fn is_macro(&self, name: &str) -> bool {
        is_macro(name)
    }

    fn named(&mut self, batch: &Batch, index: usize, sequence: u64, name: &str) -> Named {
        if is_macro(name) {
            self.renderer.seqnum = seqnum(batch, index, sequence);
            return match self.render(batch, index, &format!("${{{name}}}")) {
                Ok((value, kind)) => Named::Macro(value, kind),
                Err(_) => Named::Nothing,
            };
        }
        let field = match name {
            "FULLHOST" => FieldName::parse("HOST"),
            "FULLHOST_FROM" => FieldName::parse("HOST_FROM"),
            name => FieldName::parse(name),
        };
        match field.as_str() {
            same if same == name => Named::Nothing,
            other => Named::Alias(other.to_owned()),
        }
    }

    fn template(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        text: &str,
    ) -> Result<Vec<u8>, TemplateFault> {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        Ok(self.render(batch, index, text)?.0)
    }
}
