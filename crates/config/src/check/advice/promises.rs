//! Warnings about sources that acknowledge messages in paths that may drop them.
//!
//! In: a tree. Out: a warning per path. Limits: it checks the destinations that a path names, not those of blocks
//! that it cannot see into.

use super::walk::{is_written, object, paths, references};
use crate::diagnostic::{Diagnostic, Report};
use crate::tree::{Call, Item, Kind, LogFlag, Path, Reference, Statement, Tree};

/// Sources that answer their senders.
const ANSWERING: &[&str] =
    &["relp", "sltp", "http", "webhook", "beats", "opentelemetry", "syslog-ng-otlp", "axosyslog-otlp"];
/// Destinations that hold their sources back instead of dropping.
const HOLDING: &[&str] = &["file", "logspace"];

pub(super) fn advise(tree: &Tree, report: &mut Report) {
    let everywhere = tree.statements.iter().any(|statement| match statement {
        Statement::Options(options) => {
            options.iter().any(|option| option.key() == "log-flow-control" && option.truth() == Some(true))
        }
        _ => false,
    });
    for path in paths(tree).filter(|path| is_written(tree, path.span)) {
        let has = |wanted| path.flags.iter().any(|flag| flag.flag == wanted);
        let is_controlled = has(LogFlag::FlowControl) || everywhere && !has(LogFlag::NoFlowControl);
        let drops: fn(&&Call) -> bool = if is_controlled { drops_by_choice } else { drops };
        warn(tree, path, drops, report);
    }
}

/// Returns true when `on-full()` of a destination drops messages of all paths.
fn drops_by_choice(call: &&Call) -> bool {
    let policy = call.option("on-full").and_then(Call::text);
    policy.is_some_and(|policy| policy.starts_with("drop"))
}

/// Returns whether a destination drops messages of a path without flow control.
fn drops(call: &&Call) -> bool {
    let holds = match call.option("on-full").and_then(Call::text) {
        Some(policy) => policy == "hold",
        None => HOLDING.contains(&call.key().as_str()) || call.option("disk-buffer").is_some(),
    };
    !holds
}

/// Warns of a path with a source that answers and a destination that drops.
fn warn(tree: &Tree, path: &Path, drops: fn(&&Call) -> bool, report: &mut Report) {
    let mut used = Vec::new();
    references(path, &mut used);
    let of = |kind: Kind| used.iter().filter(move |reference| reference.kind() == kind);
    let answers = |call: &&Call| {
        let level = call.option("acknowledge").and_then(|option| option.texts().into_iter().next());
        ANSWERING.contains(&call.key().as_str()) && level.as_deref() != Some("received")
    };
    let answering = of(Kind::Source).flat_map(|reference| drivers(tree, reference)).find(answers);
    let dropping = of(Kind::Destination).find(|reference| drivers(tree, reference).iter().any(drops));
    if let (Some(source), Some(destination)) = (answering, dropping) {
        let message = format!(
            "{}() tells its senders that messages are safe, but this path may drop them when a queue is full",
            source.name.text
        );
        report.push(
            Diagnostic::warning(path.span, message)
                .related(destination.span(), "this destination drops what does not fit its queue")
                .help("let the destination hold its sources back: on-full(hold), or flags(flow-control) of the path; or give it a disk-buffer()"),
        );
    }
}

/// Returns the drivers of an object.
fn drivers<'t>(tree: &'t Tree, reference: &'t Reference) -> Vec<&'t Call> {
    let items: &[Item] = match reference {
        Reference::InPlace(_, items, _) => items,
        Reference::Named(kind, name) => object(tree, *kind, &name.text).map_or(&[], |object| &object.items),
    };
    let calls = items.iter().filter_map(|item| match item {
        Item::Call(call) => Some(call),
        Item::Step(_) => None,
    });
    calls.collect()
}
