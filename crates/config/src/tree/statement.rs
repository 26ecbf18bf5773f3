//! The statements of a configuration, and the other parts of its top level.
//!
//! In: built by the parser. Out: the tree.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{Block, Raw};
use super::call::{Call, Filter};
use super::name::{Kind, Name};
use super::path::{Item, Path};
use super::version::Version;
use crate::text::{Span, Texts};

/// A module that the configuration loads. Everything this program has is built in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// The whole pragma.
    pub span: Span,
}

/// A configuration, read.
pub struct Tree {
    /// Its texts, which every span points into.
    pub texts: Texts,
    /// The version of `@version`.
    pub version: Option<Version>,
    /// The values of `@define`, the last one of each name, in keyword spelling.
    pub defines: BTreeMap<String, String>,
    /// The modules of `@module`.
    pub modules: Vec<Module>,
    /// The sets of ready-made blocks that it includes: `scl.conf`.
    pub includes: BTreeSet<&'static str>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The statements that have errors of the language in them.
    pub unread: Vec<Unread>,
}

/// A statement that could not be read completely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// Its keyword.
    pub keyword: Span,
    /// Its kind and name, when others can refer to it.
    pub object: Option<(Kind, Name)>,
    /// Its index among the statements, if a part of it was read.
    pub statement: Option<usize>,
    /// Number of errors in it.
    pub errors: usize,
    /// True when all of them are about words that this program does not know; the bounds of the statement are certain.
    pub is_unsupported: bool,
    /// The first of them.
    pub why: String,
}

/// A statement at the top of a configuration.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// `source`, `destination`, `parser` or `rewrite`, with a name.
    Object(Object),
    /// `filter NAME { expression };`
    Filter(NamedFilter),
    /// `template NAME "text";` or `template NAME { template("text"); ... };`
    Template(Template),
    /// `template-function NAME "text";`
    TemplateFunction(Template),
    /// `options { ... };`
    Options(Vec<Call>),
    /// `log { ... };`
    Log(Path),
    /// `logspace NAME { filtered("OTHER" "query"); };` or `logspace NAME { multiple("A", "B"); };`
    Logspace(LogspaceView),
    /// `block CONTEXT NAME(...) { ... };` Its uses are expanded already.
    Block(Block),
    /// `application NAME[TOPIC] { filter {...}; parser {...}; };` Used only by `app-parser()`.
    Application(Application),
    /// `python { code };`
    Python(PythonCode),
    /// A statement of the language that this program does not run yet: `filterx NAME { ... };`.
    Later(Later),
}

/// A named source, destination, parser or rewrite rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// The kind of object.
    pub kind: Kind,
    /// Its name.
    pub name: Name,
    /// Its drivers, or pieces of a log path.
    pub items: Vec<Item>,
}

/// A named filter.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedFilter {
    /// Its name.
    pub name: Name,
    /// Its expression.
    pub filter: Filter,
}

/// A named template.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// `template(...)`, `template-escape(...)`; the short form is one `template(...)`.
    pub options: Vec<Call>,
}

/// A logspace that is defined on others.
#[derive(Clone, PartialEq, Debug)]
pub struct LogspaceView {
    /// Its name.
    pub name: Name,
    /// `filtered(...)` or `multiple(...)`.
    pub options: Vec<Call>,
}

/// An application that `app-parser()` would find.
#[derive(Clone, PartialEq, Debug)]
pub struct Application {
    /// Its name.
    pub name: Name,
    /// The topic it belongs to.
    pub topic: Name,
    /// Its `filter` and `parser` bodies, unread until used.
    pub bodies: Vec<(Name, Raw)>,
}

/// Code in Python, for the classes of drivers.
#[derive(Clone, PartialEq, Debug)]
pub struct PythonCode {
    /// The text between the braces.
    pub body: Raw,
}

/// A statement that is known and not run yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Later {
    /// Its keyword.
    pub keyword: Name,
    /// Its body.
    pub body: Raw,
}
