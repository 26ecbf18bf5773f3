//! `snmp()` of the language: traps of version 2c.
//!
//! In: its options. Out: a receiver over UDP, and the datagram for a message. Holds: nothing.
//! Limits: version 3 is refused; lost datagrams are not noticed.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::Diagnostic;
use config::tree::Call;
use delivery::{DestinationDriver, SocketKind};
use message::{Batch, Render, Stamp};
use std::sync::Arc;
use wire::{Framing, ObjectId, SnmpKind, Trap};

/// Default port of traps.
const PORT: u16 = 162;

impl<'t> Lowering<'t> {
    /// Makes the receiver of `snmp()`, and the renderer of its datagrams.
    pub(crate) fn snmp(&mut self, options: &Options<'t>) -> Option<(DestinationDriver, Box<dyn Render>)> {
        if let Some(option) =
            options.own("version").filter(|_| options.word("version").as_deref() == Some("v3"))
        {
            let message = "version 3 of SNMP is not supported yet: its keys and engines are not known here";
            self.report.push(Diagnostic::error(option.span, message).help("version(\"v2c\")"));
            return None;
        }
        let kind = SocketKind::Udp(options.own_text("host")?, options.port(["port", "port"], PORT));
        let (driver, _) = self.socket(options, kind, Framing::Datagram)?;
        let mut objects = Vec::new();
        // In the order of the configuration: the time since the start comes first, then the id of the trap.
        let written = options.call.options().filter(|option| is_object(option));
        for option in written {
            options.all(&option.key()).for_each(drop);
            objects.push(self.snmp_object(option, options)?);
        }
        let community = options.own_text("community").unwrap_or_else(|| "public".to_owned());
        let datagram =
            Datagram { community: community.into_bytes(), objects, trap: Trap::default(), text: Vec::new() };
        Some((driver, Box::new(datagram)))
    }

    /// Parses `snmp-obj("1.3.6...", "Octetstring", "$MSG")`.
    fn snmp_object(&mut self, option: &'t Call, options: &Options<'t>) -> Option<Object> {
        let [name, kind, value] = option.args.as_slice() else {
            let message = format!("`{}()` takes a name, a type and a template", option.name.text);
            self.report.push(Diagnostic::error(option.span, message));
            return None;
        };
        let known = name.text().and_then(ObjectId::parse);
        let Some(known) = known else {
            let message = "this is no name of an object: numbers with dots between them";
            self.report.push(Diagnostic::error(name.span(), message).help("such as \"1.3.6.1.2.1.1.3.0\""));
            return None;
        };
        let Some(kind) = kind.text().and_then(SnmpKind::from_name) else {
            let names = SnmpKind::NAMES.map(|(name, _)| name).join(", ");
            let message = "this is no type of an object";
            self.report.push(Diagnostic::error(kind.span(), message).help(format!("one of {names}")));
            return None;
        };
        let template = self.template_argument(value).map(Arc::new)?;
        Some((known, kind, self.template_renderer(template, options)))
    }
}

fn is_object(option: &Call) -> bool {
    matches!(option.key().as_str(), "snmp-obj" | "trap-obj")
}

/// Name, type and value of a variable.
type Object = (ObjectId, SnmpKind, Box<dyn Render>);

/// Renders a message as a trap.
struct Datagram {
    community: Vec<u8>,
    objects: Vec<Object>,
    trap: Trap,
    /// A value before it is sent.
    text: Vec<u8>,
}

impl Render for Datagram {
    fn begin(&mut self, now: Stamp) {
        self.objects.iter_mut().for_each(|(.., value)| value.begin(now));
    }

    fn render(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        for (name, kind, value) in &mut self.objects {
            self.text.clear();
            value.render(batch, index, sequence, &mut self.text);
            self.trap.add(name, *kind, &self.text);
        }
        self.trap.finish(&self.community, (sequence & 0x7fff_ffff) as i32, out);
    }

    fn render_name(&mut self, batch: &Batch, index: usize, sequence: u64, out: &mut Vec<u8>) {
        self.render(batch, index, sequence, out);
    }
}
