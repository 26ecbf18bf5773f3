//! `example-msg-generator()`: messages that the server makes itself.
//!
//! In: its options. Out: a [`Generator`]. Holds: nothing.

use crate::assemble::{
    expressions::rendering::TemplateRenderer,
    lowering::Lowering,
    options::{driver::Options, values::values},
};
use intake::Generator;
use message::{FieldName, Render};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

impl<'t> Lowering<'t> {
    /// Makes the source that the options describe.
    pub(crate) fn generator(&mut self, options: &Options<'t>) -> Generator {
        let text = options.own("template").and_then(|_| self.driver_template(options, "template"));
        let site = self.environment.site.clone();
        let render = self.render_options(options);
        let template = text.map(|template| -> Arc<Mutex<dyn Render>> {
            Arc::new(Mutex::new(TemplateRenderer::new(template, render, site)))
        });
        Generator {
            count: options.number("num").and_then(|number| u64::try_from(number).ok()).unwrap_or(0),
            every: options.seconds("freq").unwrap_or(Duration::from_secs(1)),
            template,
            values: options
                .own("values")
                .map(values)
                .unwrap_or_default()
                .into_iter()
                .map(|(name, kind, text)| (FieldName::parse(&name), kind, text))
                .collect(),
        }
    }
}
