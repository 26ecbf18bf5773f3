//! Records what happens to a message on its path through the configuration.
//!
//! In: events of the router. Out: a tree of [`Node`]s. Holds: the branches and steps that are open.
//! Limits: none of its own; paths have a deepest level.

use super::{
    fields::{Reader, changes, shown},
    story::{Answer, Field, Node},
};
use crate::assemble::folder_name;
use delivery::{DestinationDriver, DestinationSpec, SocketKind, SocketTarget};
use message::{Batch, Render, Selection, Severity};
use pipeline::route::{Event, Label, Refusal, Tracer};
use std::collections::HashMap;
use template::Renderer;
use transport::stats::SEVERITIES;

/// Records the events of one message.
pub(super) struct Recorder {
    reader: Reader,
    destinations: HashMap<String, DestinationSpec>,
    logspaces: HashMap<String, LogspaceName>,
    sequences: HashMap<String, u64>,
    open: Vec<Open>,
    nodes: Vec<Node>,
}

/// The name of a logspace.
pub(super) enum LogspaceName {
    /// It is the same for every message.
    Plain(String),
    /// It has macros.
    OfMessage(Box<dyn Render>),
}

impl LogspaceName {
    fn of_message(&mut self, batch: &Batch, index: usize, sequence: u64) -> String {
        match self {
            LogspaceName::Plain(name) => name.clone(),
            LogspaceName::OfMessage(names) => {
                let mut text = Vec::new();
                names.render(batch, index, sequence, &mut text);
                folder_name(&text)
            }
        }
    }
}

/// A message for a destination.
struct Outgoing<'a> {
    /// The destination's id.
    name: &'a str,
    batch: &'a Batch,
    selection: &'a Selection,
    flow_control: bool,
}

/// A branch or a step that has begun.
struct Open {
    label: Label,
    /// True for a path with flow control.
    flow_control: bool,
    condition: Option<Answer>,
    /// The fields before it; none when no message reached it.
    before: Option<Vec<Field>>,
    nodes: Vec<Node>,
}

impl Recorder {
    pub(super) fn new(
        renderer: Renderer,
        destinations: Vec<DestinationSpec>,
        logspaces: HashMap<String, LogspaceName>,
    ) -> Recorder {
        let destinations = destinations.into_iter().map(|spec| (spec.id.clone(), spec)).collect();
        Recorder {
            reader: Reader::new(renderer),
            destinations,
            logspaces,
            sequences: HashMap::new(),
            open: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Returns the fields of a message.
    pub(super) fn fields(&mut self, batch: &Batch, index: usize) -> Vec<Field> {
        self.reader.fields(batch, index)
    }

    /// Takes the nodes recorded since the last call.
    pub(super) fn take(&mut self) -> Vec<Node> {
        std::mem::take(&mut self.nodes)
    }

    /// Returns nodes for messages that parsers gave to `internal()`.
    pub(super) fn made_for_internal(&mut self, batches: Vec<Batch>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for batch in &batches {
            for index in 0..batch.len() {
                let fields = self.reader.fields(batch, index);
                nodes.push(Node::Made { for_internal: true, fields, events: Vec::new() });
            }
        }
        nodes
    }

    /// Opens a branch or a step; details are set in the returned node.
    fn begin(&mut self, label: &Label, batch: &Batch, input: &Selection) -> &mut Open {
        let index = input.iter().next();
        let before = index.map(|index| self.reader.fields(batch, index));
        let (label, nodes) = (label.clone(), Vec::new());
        self.open.push_mut(Open { label, flow_control: false, condition: None, before, nodes })
    }

    /// Adds a node to the innermost open branch or step.
    fn push(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(open) => open.nodes.push(node),
            None => self.nodes.push(node),
        }
    }

    /// Evaluates the parts of a filter for the message as it was before. The filter's own result comes from
    /// the router.
    fn judge(&mut self, label: &Label, batch: &Batch, input: &Selection) -> Option<Answer> {
        let index = input.iter().next()?;
        let test = label.test.as_ref()?;
        let mut copy = batch.clone();
        let renderer = self.reader.renderer(batch);
        Some(test.judge(&mut copy, index, renderer).into())
    }

    fn end(&mut self, batch: &Batch, left: &Selection) {
        let Some(open) = self.open.pop() else { return };
        let Open { label, condition, before, nodes: events, .. } = open;
        let Some(before) = before else {
            // The step itself is left out, only its results are kept.
            events.into_iter().for_each(|node| self.push(node));
            return;
        };
        let after = left.iter().next().map(|index| self.reader.fields(batch, index));
        let changes = after.as_ref().map(|after| changes(&before, after)).unwrap_or_default();
        let (what, place, goes_on) = (label.what, label.place, after.is_some());
        self.push(Node::Step { what, place, condition, changes, goes_on, events });
    }

    /// Closes a branch, and returns its node unless nothing happened in it. The caller knows whether it is the last.
    fn leave(&mut self, matched: &Selection) -> Option<Node> {
        let Open { label, flow_control, condition, before, nodes: events } = self.open.pop()?;
        if before.is_none() && events.is_empty() {
            return None;
        }
        let taken = before.is_some().then(|| !matched.is_empty());
        let (what, place) = (label.what, label.place);
        Some(Node::Branch { what, place, flow_control, condition, taken, last: false, events })
    }

    /// Returns the id of the lane of a destination that gets messages of a severity, unless it is that of all others.
    fn lane(&self, name: &str, severity: Severity) -> Option<String> {
        let mut lanes =
            (severity.0..SEVERITIES as u8).map(|least| format!("{name}.{}", Severity(least).name()));
        lanes.find(|lane| self.destinations.contains_key(lane))
    }

    fn deliver(&mut self, outgoing: &Outgoing<'_>) {
        let Outgoing { name, batch, selection, flow_control } = *outgoing;
        for index in selection.iter() {
            let lane = self.lane(name, batch.messages[index].pri.severity());
            let name = lane.as_deref().unwrap_or(name);
            let sequence = self.sequences.entry(name.to_owned()).or_default();
            *sequence += 1;
            let sequence = *sequence;
            // If receivers share the messages, the first one represents all of them.
            let shared = format!("{name}.0");
            let known = if self.destinations.contains_key(name) { name } else { &shared };
            let (target, text) = match self.destinations.get_mut(known) {
                Some(spec) => (
                    target(&mut spec.driver, batch, index, sequence),
                    rendered(spec.rendering.template.as_mut(), batch, index, sequence),
                ),
                None => {
                    let logspace = self.logspaces.get_mut(name);
                    let logspace =
                        logspace.map(|of| of.of_message(batch, index, sequence)).unwrap_or_default();
                    (format!("logspace {logspace}"), shown(batch.fixed(index, message::Field::Message)))
                }
            };
            let driver = name.to_owned();
            self.push(Node::Delivery { driver, target, text, flow_control });
        }
    }
}

impl Tracer for Recorder {
    fn record(&mut self, event: Event<'_>) {
        match event {
            Event::Enter { label, batch, input, controlled } => {
                self.begin(label, batch, input).flow_control = controlled;
            }
            Event::Begin { label, batch, input } => {
                let condition = self.judge(label, batch, input);
                self.begin(label, batch, input).condition = condition;
            }
            Event::Ask { label, batch, input, .. } => {
                let condition = self.judge(label, batch, input);
                if let Some(open) = self.open.last_mut() {
                    open.condition = condition;
                }
            }
            Event::Refuse { label, why } => {
                let why = match why {
                    Refusal::Final => "another branch or a path with flags(final) took the message before",
                    Refusal::Fallback => "flags(fallback): another one took the message",
                };
                let (what, place) = (label.what.clone(), label.place.clone());
                self.push(Node::Refused { what, place, why });
            }
            Event::Leave { matched, last: is_last } => {
                if let Some(mut node) = self.leave(matched) {
                    if let Node::Branch { taken: Some(true), last, .. } = &mut node {
                        *last = is_last;
                    }
                    self.push(node);
                }
            }
            Event::End { batch, left } => self.end(batch, left),
            Event::Made { batch } => {
                self.begin(&Label::default(), batch, &Selection::all(batch.len()));
            }
            Event::Gone => {
                if let Some(open) = self.open.pop() {
                    let fields = open.before.unwrap_or_default();
                    self.push(Node::Made { for_internal: false, fields, events: open.nodes });
                }
            }
            Event::Deliver { name, batch, selection, controlled } => {
                self.deliver(&Outgoing { name, batch, selection, flow_control: controlled });
            }
        }
    }
}

/// Describes the target that a destination would write a message to.
fn target(driver: &mut DestinationDriver, batch: &Batch, index: usize, sequence: u64) -> String {
    match driver {
        DestinationDriver::File(file) => {
            format!("file {}", file_name(file.name.as_mut(), batch, index, sequence))
        }
        DestinationDriver::Socket(socket) => peer(socket),
        DestinationDriver::Spoof(spoof) => format!("{} as the sender", peer(&spoof.socket)),
        DestinationDriver::Relp(relp) => format!("relp over {}", peer(&relp.socket)),
        DestinationDriver::Sltp(sltp) => format!("sltp over {}", peer(&sltp.socket)),
        DestinationDriver::Gelf(gelf) => format!("gelf over {}", peer(&gelf.socket)),
        DestinationDriver::Mail(mail) => format!("mail over {}", peer(&mail.socket)),
        DestinationDriver::Pipe(pipe) => format!("pipe {}", pipe.path.display()),
        DestinationDriver::Pseudofile(file) => format!("file {}", file.path.display()),
        DestinationDriver::Program(program) => format!("program {}", program.command),
        DestinationDriver::Terminals(terminals) => format!("terminals of {}", terminals.user),
        DestinationDriver::Stdout => "standard output".to_owned(),
        DestinationDriver::Receiver(receiver) => {
            let mut group = String::new();
            receiver.begin(batch.received);
            match receiver.row(batch, index, sequence, &mut group) {
                Ok(cells) => receiver.describe(&group, &cells),
                Err(error) => format!(
                    "{}: a dead letter ({}): {}",
                    receiver.instance(),
                    error.reason.name(),
                    error.text
                ),
            }
        }
    }
}

fn peer(socket: &SocketTarget) -> String {
    let tls = if socket.tls.is_some() { "tls" } else { "tcp" };
    match &socket.kind {
        SocketKind::Tcp(host, port) => format!("{tls} {host}:{port}"),
        SocketKind::Udp(host, port) => format!("udp {host}:{port}"),
        SocketKind::Dtls(host, port, _) => format!("dtls {host}:{port}"),
        SocketKind::UnixStream(path) => format!("unix stream {}", path.display()),
        SocketKind::UnixDatagram(path) => format!("unix datagrams {}", path.display()),
    }
}

fn rendered(render: &mut dyn Render, batch: &Batch, index: usize, sequence: u64) -> String {
    let mut out = Vec::new();
    render.begin(batch.received);
    render.render(batch, index, sequence, &mut out);
    shown(out.strip_suffix(b"\n").unwrap_or(&out))
}

fn file_name(render: &mut dyn Render, batch: &Batch, index: usize, sequence: u64) -> String {
    let mut out = Vec::new();
    render.begin(batch.received);
    render.render_name(batch, index, sequence, &mut out);
    shown(&out)
}
