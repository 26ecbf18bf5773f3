//! What a configuration says of a class.
//!
//! In: values that were checked when the configuration was read. Out: the same values. Holds: options only. Limits: none.

use std::{path::PathBuf, time::Duration};

/// The value of one of `options()`.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// `yes` or `no`.
    Truth(bool),
    /// Texts in brackets.
    List(Vec<String>),
    /// `LogTemplate("...")`.
    Template(String),
}

/// A `python { ... };` of the configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeBlock {
    /// The text between the braces.
    pub source: String,
    /// The file that it is in.
    pub file: String,
    /// Its line, counted from 1.
    pub line: usize,
}

/// The part of a message that user code gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// An object with all its values.
    Message,
    /// A dictionary of what `value-pairs()` selects.
    Pairs,
}

/// The types of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Typing {
    /// Every value is bytes, as until version 4.0 of the configuration.
    OnlyBytes,
    /// Values have their types.
    Typed,
}

/// The kind of driver that a class is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It takes messages.
    Destination,
    /// It changes messages.
    Parser,
    /// It makes messages.
    Source,
    /// It makes a message when it is called.
    Fetcher,
    /// It makes headers of requests.
    HttpHeader,
}

/// A class with its options, and how it is run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The kind of driver.
    pub role: Role,
    /// The interpreter: a path, or a name that is looked for in `PATH`.
    pub interpreter: PathBuf,
    /// `class()`
    pub class: String,
    /// The name of the driver, which `persist_name` begins with.
    pub name: String,
    /// `options()`
    pub options: Vec<(String, OptionValue)>,
    /// `imports()`: modules that are loaded before.
    pub imports: Vec<String>,
    /// The code of the configuration, in its order.
    pub code: Vec<CodeBlock>,
    /// Folders of modules, before those of the interpreter.
    pub path: Vec<PathBuf>,
    /// The folder of values that are kept over restarts.
    pub folder: PathBuf,
    /// The part of a message that it gets.
    pub contents: Contents,
    /// The types of values.
    pub typing: Typing,
    /// `time-reopen()` of a fetcher.
    pub reopen_after: Duration,
    /// `fetch-no-data-delay()` of a fetcher.
    pub no_data_pause: Duration,
    /// `flags()` of a source.
    pub flags: Vec<String>,
    /// `timeout()`: longest time that one call of user code may take.
    pub timeout: Duration,
    /// `memory-limit()`: most bytes of data of the process; `None` is no limit.
    pub memory_bytes_max: Option<u64>,
}
