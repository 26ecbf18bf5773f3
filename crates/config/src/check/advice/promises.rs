//! Warnings about sources that acknowledge messages in paths that may drop them.
//!
//! In: a tree. Out: a warning a path. Limits: it looks at the destinations that a path names, not at those of blocks
//! that it cannot see into.

use super::walk::{is_written, object, paths, references};
use crate::diagnostic::{Diagnostic, Report};
use crate::tree::{Call, Item, Kind, LogFlag, Path, Reference, Statement, Tree};

/// Sources that answer their senders.
const ANSWERING: &[&str] = &["relp", "http"];
/// Destinations that hold their sources back in place of dropping.
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
        if has(LogFlag::FlowControl) || everywhere && !has(LogFlag::NoFlowControl) {
            continue;
        }
        warn(tree, path, report);
    }
}

fn warn(tree: &Tree, path: &Path, report: &mut Report) {
    let mut used = Vec::new();
    references(path, &mut used);
    let of = |kind: Kind| used.iter().filter(move |reference| reference.kind() == kind);
    let answers = |call: &&Call| {
        let level = call.option("acknowledge").and_then(|option| option.texts().into_iter().next());
        ANSWERING.contains(&call.key().as_str()) && level.as_deref() != Some("received")
    };
    let answering = of(Kind::Source).flat_map(|reference| drivers(tree, reference)).find(answers);
    let drops =
        |call: &&Call| !HOLDING.contains(&call.key().as_str()) && call.option("disk-buffer").is_none();
    let dropping = of(Kind::Destination).find(|reference| drivers(tree, reference).iter().any(drops));
    if let (Some(source), Some(destination)) = (answering, dropping) {
        let message = format!(
            "{}() tells its senders that messages are safe, but this path may drop them when a queue is full",
            source.name.text
        );
        report.push(
            Diagnostic::warning(path.span, message)
                .related(destination.span(), "this destination drops what does not fit its queue")
                .help("add flags(flow-control) to the path, or disk-buffer() to the destination"),
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
