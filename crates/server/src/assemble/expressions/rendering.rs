//! Templates that are filled in for one message after the other.
//!
//! In: batches. Out: text, appended. Holds: a compiled template, and the times that it has printed last.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::tree::Name;
use message::{AddTyped, Batch, CastError, Render, RenderPairs, RenderTyped, Stamp, Transport};
use std::sync::Arc;
use template::{Escape, RenderOptions, Renderer, Site, Template, ValuePairs};

/// Renders messages by a template.
pub(crate) struct TemplateRenderer {
    template: Arc<Template>,
    renderer: Renderer,
    constant: Option<String>,
    /// True if it may use `${SEQNUM}`.
    is_numbered: bool,
}

impl TemplateRenderer {
    pub(crate) fn new(template: Arc<Template>, options: RenderOptions, site: Arc<Site>) -> TemplateRenderer {
        let constant = template.constant().and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        let is_numbered = !template.is_simple();
        TemplateRenderer { template, renderer: Renderer::new(options, site), constant, is_numbered }
    }
}

impl Render for TemplateRenderer {
    fn begin(&mut self, now: Stamp) {
        self.renderer.now = now;
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        if self.is_numbered {
            self.renderer.seqnum = seqnum(batch, index, sequence);
        }
        self.template.render(batch, index, &mut self.renderer, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        self.template.render_escaped(batch, index, &mut self.renderer, Escape::FileName, out);
    }

    fn constant(&self) -> Option<&str> {
        self.constant.as_deref()
    }
}

/// Renders the names and values that a selection finds in messages.
struct PairsRenderer {
    pairs: ValuePairs,
    renderer: Renderer,
}

impl RenderPairs for PairsRenderer {
    fn begin(&mut self, now: Stamp) {
        self.renderer.now = now;
    }

    fn pairs(&mut self, batch: &Batch, index: usize, sequence: u64, add: &mut dyn FnMut(&str, &[u8])) {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        for (name, value, _) in self.pairs.pairs(batch, index, &mut self.renderer) {
            add(&name, &value);
        }
    }
}

impl RenderTyped for PairsRenderer {
    fn begin(&mut self, now: Stamp) {
        self.renderer.now = now;
    }

    fn typed_pairs(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        add: &mut AddTyped<'_>,
    ) -> Result<(), CastError> {
        self.renderer.seqnum = seqnum(batch, index, sequence);
        self.pairs.typed_pairs(batch, index, &mut self.renderer, add)
    }
}

/// Returns `${SEQNUM}`: it counts messages of this machine; 0 means the sequence id that a message was received
/// with. A generated message has no receiver and belongs to no machine.
pub(crate) fn seqnum(batch: &Batch, index: usize, sequence: u64) -> u32 {
    let origin = batch.origin(index);
    match origin.transport {
        Transport::Local if origin.transport_name.is_empty() => 0,
        Transport::Local | Transport::UnixDgram | Transport::UnixStream => sequence as u32,
        Transport::Udp | Transport::Tcp | Transport::Tls => 0,
    }
}

impl<'t> Lowering<'t> {
    /// Makes a renderer with the time options of a driver.
    pub(crate) fn template_renderer(
        &mut self,
        template: Arc<Template>,
        options: &Options<'t>,
    ) -> Box<dyn Render> {
        let render = self.render_options(options);
        Box::new(TemplateRenderer::new(template, render, self.environment.site.clone()))
    }

    /// Makes a renderer of a selection with the time options of a driver.
    pub(crate) fn pairs_renderer(
        &mut self,
        pairs: ValuePairs,
        options: &Options<'t>,
    ) -> Box<dyn RenderPairs> {
        let renderer = Renderer::new(self.render_options(options), self.environment.site.clone());
        Box::new(PairsRenderer { pairs, renderer })
    }

    /// Makes a renderer of a selection whose values keep their types, with the options of a driver for times and casts.
    pub(crate) fn typed_renderer(
        &mut self,
        pairs: ValuePairs,
        options: &Options<'t>,
    ) -> Box<dyn RenderTyped> {
        let renderer = Renderer::new(self.render_options(options), self.environment.site.clone());
        Box::new(PairsRenderer { pairs, renderer })
    }

    /// Compiles a template that the server brings along.
    pub(crate) fn built_in_template(&mut self, text: &str, options: &Options<'t>) -> Option<Arc<Template>> {
        self.template(&Name { text: text.to_owned(), span: options.call.name.span }).map(Arc::new)
    }
}
