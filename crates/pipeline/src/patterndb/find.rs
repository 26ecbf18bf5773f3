//! Finds the pattern of a text in the tree.
//!
//! In: a tree and a text. Out: the number of the pattern and the ranges of its values. A pattern that matches the whole
//! text wins; otherwise the first one that matches its beginning. At each node the literal child is tried first, then
//! the parsers in order; dead ends are abandoned. A CR before an LF of the pattern is skipped.
//! Holds: the nodes on the current path, in lists that are reused for the next text: nothing is allocated for a text.
//! Limits: no node is visited twice, so a text costs at most one step per node of the tree.

use super::tree::{Node, ROOT, Tree};

/// A value that was found: its parser, and its range in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Capture {
    pub(super) node: u32,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// One step of a search, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Visit {
    /// The node that was entered, or the parent of the parser that took something.
    pub(super) node: u32,
    pub(super) parser: Option<u32>,
    /// Number of bytes that matched.
    pub(super) length: usize,
    /// Range of the value in the text.
    pub(super) value: (usize, usize),
}

/// The state of a search.
#[derive(Debug, Default)]
pub(super) struct Finder {
    frames: Vec<Frame>,
    /// Values on the path to the node that was found.
    pub(super) captures: Vec<Capture>,
    partial: Vec<Capture>,
    /// The steps of the last search, when they are wanted.
    pub(super) visits: Option<Vec<Visit>>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    node: u32,
    /// Offset in the text at which the children continue.
    at: usize,
    /// The next child: 0 is the literal one, then come the parsers.
    next: usize,
    captures: usize,
    visits: usize,
}

/// The result of entering a node.
enum EnterResult {
    Found,
    Below,
    Stopped,
}

impl Finder {
    /// Makes a finder that records its steps.
    pub(super) fn recording() -> Finder {
        Finder { visits: Some(Vec::new()), ..Finder::default() }
    }

    /// Returns the number of the pattern that takes a text, or at least its beginning.
    pub(super) fn find(&mut self, tree: &Tree, text: &[u8]) -> Option<u32> {
        self.frames.clear();
        self.captures.clear();
        if let Some(visits) = &mut self.visits {
            visits.clear();
        }
        let mut partial = None;
        if let EnterResult::Found = self.enter(tree, ROOT, text, 0) {
            return tree.nodes[ROOT as usize].value;
        }
        while let Some(frame) = self.frames.last_mut() {
            let node = &tree.nodes[frame.node as usize];
            let (at, next) = (frame.at, frame.next);
            frame.next += 1;
            let child = if next == 0 {
                literal_child(tree, frame.node, text, at)
            } else if let Some(parser) = node.parsers.get(next - 1) {
                let (captures, visits) = (frame.captures, frame.visits);
                self.forget(captures, visits);
                self.parse(tree, *parser, text, at)
            } else {
                let captures = frame.captures;
                self.captures.truncate(captures);
                if partial.is_none() && node.value.is_some() {
                    partial = node.value;
                    self.partial.clone_from(&self.captures);
                }
                self.frames.pop();
                continue;
            };
            if let Some((child, at)) = child
                && let EnterResult::Found = self.enter(tree, child, text, at)
            {
                return tree.nodes[child as usize].value;
            }
        }
        std::mem::swap(&mut self.captures, &mut self.partial);
        partial
    }

    fn forget(&mut self, captures: usize, visits: usize) {
        self.captures.truncate(captures);
        if let Some(list) = &mut self.visits {
            list.truncate(visits);
        }
    }

    /// Enters a node whose text or value starts at an offset of the text.
    #[inline]
    fn enter(&mut self, tree: &Tree, id: u32, text: &[u8], at: usize) -> EnterResult {
        let node = &tree.nodes[id as usize];
        let rest = text.get(at..).unwrap_or_default();
        let (taken, matched) = common(&node.literal, rest);
        if let Some(visits) = &mut self.visits {
            visits.push(Visit { node: id, parser: None, length: taken, value: (0, 0) });
        }
        if matched < node.literal.len() {
            return EnterResult::Stopped;
        }
        if taken == rest.len() {
            return if node.value.is_some() { EnterResult::Found } else { EnterResult::Stopped };
        }
        let visits = self.visits.as_ref().map_or(0, Vec::len);
        self.frames.push(Frame { node: id, at: at + taken, next: 0, captures: self.captures.len(), visits });
        EnterResult::Below
    }

    /// Lets a parser match as much as it can. Returns the offset at which its children continue.
    #[inline]
    fn parse(&mut self, tree: &Tree, parser: u32, text: &[u8], at: usize) -> Option<(u32, usize)> {
        let scanner = tree.nodes[parser as usize].parser.as_deref()?;
        let taken = scanner.take(&text[at..])?;
        let (from, to) = (at + taken.from, at + taken.to);
        if !scanner.name.is_empty() {
            self.captures.push(Capture { node: parser, from, to });
        }
        if let Some(visits) = &mut self.visits {
            let node = self.frames.last().map_or(ROOT, |frame| frame.node);
            visits.push(Visit { node, parser: Some(parser), length: taken.length, value: (from, to) });
        }
        Some((parser, at + taken.length))
    }
}

/// Returns the numbers of all patterns that match the whole text.
pub(super) fn find_all(tree: &Tree, text: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut waiting = vec![(ROOT, 0)];
    while let Some((id, at)) = waiting.pop() {
        let node: &Node = &tree.nodes[id as usize];
        let rest = text.get(at..).unwrap_or_default();
        let (taken, matched) = common(&node.literal, rest);
        if matched < node.literal.len() {
            continue;
        }
        if taken == rest.len() {
            found.extend(node.value);
            continue;
        }
        let at = at + taken;
        // The list is processed from its end: the first to be tried is pushed last.
        for parser in node.parsers.iter().rev() {
            let scanner = tree.nodes[*parser as usize].parser.as_deref();
            let taken = scanner.and_then(|scanner| scanner.take(&text[at..]));
            waiting.extend(taken.map(|taken| (*parser, at + taken.length)));
        }
        waiting.extend(literal_child(tree, id, text, at));
    }
    found
}

/// Returns the literal child that may continue at an offset of the text, and that offset.
#[inline]
fn literal_child(tree: &Tree, node: u32, text: &[u8], at: usize) -> Option<(u32, usize)> {
    let at = if text[at..].starts_with(b"\r\n") { at + 1 } else { at };
    Some((tree.child(node, *text.get(at)?)?, at))
}

/// Returns the number of bytes of a text and of a literal that are the same from the start.
#[inline]
fn common(literal: &[u8], text: &[u8]) -> (usize, usize) {
    if text.starts_with(literal) {
        return (literal.len(), literal.len());
    }
    let (mut taken, mut matched) = (0, 0);
    while taken < text.len() && matched < literal.len() {
        if text[taken] == b'\r' && literal[matched] == b'\n' {
            taken += 1;
        }
        if text.get(taken) != Some(&literal[matched]) {
            break;
        }
        taken += 1;
        matched += 1;
    }
    (taken.min(text.len()), matched)
}
