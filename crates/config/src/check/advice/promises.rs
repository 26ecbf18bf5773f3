//! Warnings about sources that acknowledge messages in paths that may drop them, and about lanes for severe messages in paths
//! that hold these back.
//!
//! In: a tree. Out: warnings per path. Limits: it checks the destinations that a path names, not those of blocks
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
    for path in paths(tree).filter(|path| is_written(tree, path.span)) {
        let drops: fn(&&Call) -> bool = if is_controlled(tree, path) { drops_by_choice } else { drops };
        warn(tree, path, drops, report);
        warn_of_lanes(tree, path, report);
    }
}

/// Returns whether a path has flow control, by itself or globally.
fn is_controlled(tree: &Tree, path: &Path) -> bool {
    let everywhere = tree.statements.iter().any(|statement| match statement {
        Statement::Options(options) => {
            options.iter().any(|option| option.key() == "log-flow-control" && option.truth() == Some(true))
        }
        _ => false,
    });
    let has = |wanted| path.flags.iter().any(|flag| flag.flag == wanted);
    has(LogFlag::FlowControl) || everywhere && !has(LogFlag::NoFlowControl)
}

/// Returns `on-full()` of each queue of a destination; with `lanes()`, that of the other messages comes last.
fn policies<'t>(call: &'t Call) -> Vec<Option<&'t str>> {
    let own = call.option("on-full").and_then(Call::text);
    let Some(lanes) = call.option("lanes") else { return vec![own] };
    let of_lane = |lane: &'t Call| lane.option("on-full").and_then(Call::text).or(own);
    // Severities without options, with options, and the rest.
    let plain = lanes.plain().next().map(|_| own);
    let replaced = lanes.options().filter(|lane| lane.key() == "lane").map(of_lane);
    let rest = lanes.option("rest").map_or(own, of_lane);
    plain.into_iter().chain(replaced).chain([rest]).collect()
}

/// Returns true when `on-full()` of a destination, or of one of its lanes, drops messages of all paths.
fn drops_by_choice(call: &&Call) -> bool {
    policies(call).into_iter().flatten().any(|policy| policy.starts_with("drop"))
}

/// Returns whether a destination drops messages of a path without flow control.
fn drops(call: &&Call) -> bool {
    let holds = HOLDING.contains(&call.key().as_str()) || call.option("disk-buffer").is_some();
    policies(call).into_iter().any(|policy| policy.map_or(!holds, |policy| policy != "hold"))
}

/// Warns of a path whose flow control holds severe messages back, too, although they have lanes of their own.
fn warn_of_lanes(tree: &Tree, path: &Path, report: &mut Report) {
    let mut used = Vec::new();
    references(path, &mut used);
    let destinations = used.iter().filter(|reference| reference.kind() == Kind::Destination);
    for call in destinations.flat_map(|reference| drivers(tree, reference)) {
        let Some(lanes) = call.option("lanes") else { continue };
        let rest = policies(call).pop().flatten();
        let holds = rest == Some("hold") || rest.is_none() && is_controlled(tree, path);
        if holds && call.option("disk-buffer").is_none() {
            let message = "severe messages wait as well when the queue of the other ones is full: it holds the sources back";
            report.push(
                Diagnostic::warning(lanes.name.span, message)
                    .related(path.span, "the sources of this path then wait for it")
                    .help("let what does not fit be dropped: rest(on-full(drop-newest)) in lanes(); or give the destination a disk-buffer()"),
            );
        }
    }
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
