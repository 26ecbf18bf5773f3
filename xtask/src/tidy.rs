//! Checks of the architecture and the style guide that no compiler makes.
//!
//! In: the tracked files. Out: one line a finding. Limits: see each check. For some checks the existing
//! findings are listed in files, and their number may only go down: see [`ratchet`].

mod edges;
mod english;
mod errors;
mod files;
mod functions;
mod modules;
mod ratchet;
mod signatures;
mod source;
mod tree;
mod words;

use ratchet::Ratchet;
use source::Source;
use std::path::Path;

/// Runs all checks; false when anything was found.
pub(crate) fn run(root: &Path) -> bool {
    with_sources(root, check)
}

/// Lowers the listed numbers to the actual ones.
pub(crate) fn lower(root: &Path) -> bool {
    with_sources(root, |root, sources| {
        let results = ratchets(sources).into_iter().map(|ratchet| (ratchet.lower(root), ratchet.name));
        let failed: Vec<_> = results.filter_map(|(result, name)| Some((result.err()?, name))).collect();
        failed.iter().for_each(|(error, name)| println!("tidy: xtask/ratchet/{name}: {error}"));
        failed.is_empty()
    })
}

fn with_sources(root: &Path, run: fn(&Path, &[Source]) -> bool) -> bool {
    match source::read(root) {
        Ok(sources) => run(root, &sources),
        Err(error) => {
            println!("tidy: {error}");
            false
        }
    }
}

/// The Rust files among them.
fn rust(sources: &[Source]) -> Vec<&Source> {
    sources.iter().filter(|source| source.path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// The checks whose existing findings are listed in files.
fn ratchets(sources: &[Source]) -> Vec<Ratchet> {
    let rust = rust(sources);
    let parsed = tree::parse(&rust);
    let signatures = signatures::check(&parsed);
    let row = |name, remedy, tally| Ratchet { name, remedy, tally };
    vec![
        row("cycles", "let one of the two directions go", modules::check(&parsed)),
        row("folder-size", "group its files by noun", files::folders(&rust)),
        row("crate-size", "move a part that imports little to a crate of its own", files::crates(&rust)),
        row("bool-parameters", "take an enum", signatures.bool_parameters),
        row("text-errors", "return an error type of the verb", signatures.text_errors),
        row("disguised-errors", "return an error type of the verb", errors::check(&parsed)),
        row("bare-severities", "use the named constant", signatures.bare_severities),
        row("unclear-types", "take the name of the glossary", signatures.unclear_types),
        row("logic-in-lists", "move it to a file of its own", signatures.logic_in_lists),
        row("old-words", "say it in words of today", english::words(sources)),
        row(
            "doc-beginnings",
            "begin with a verb in the third person or a noun",
            english::beginnings(sources),
        ),
    ]
}

fn check(root: &Path, sources: &[Source]) -> bool {
    let rust = rust(sources);
    let ratchets = ratchets(sources);
    let mut findings = edges::check(root);
    findings.extend(crate::picture::check(root));
    findings.extend(files::check(&rust));
    findings.extend(functions::check(&rust));
    findings.extend(words::check(sources));
    findings.extend(ratchets.iter().flat_map(|ratchet| ratchet.check(root)));
    findings.iter().for_each(|finding| println!("tidy: {finding}"));
    let on_file: Vec<String> =
        ratchets.iter().map(|ratchet| format!("{} {}", ratchet.name, ratchet.tally.total())).collect();
    println!("tidy: {} files, {} findings; on file: {}", sources.len(), findings.len(), on_file.join(", "));
    findings.is_empty()
}
