//! User code in Python, in a process of its own: a crash or a hang of it costs the batch that it works on, never the server.
//!
//! In: messages, a class of a configuration. Out: what the class answers for each message, or makes of it. Holds: the process.
//! Limits: see each module. No Python is in this program: the interpreter is that of the machine, started with a script of ours.
//!
//! | module | what it does |
//! |---|---|
//! | `parser` | the step `python()` of a log path, and its thread |
//! | `http_header` | the process that makes headers of requests |
//! | `source` | the process of a source or a fetcher |
//! | `interpreter` | a conversation with the process: it is started, asked, ended, and started again |
//! | `patience` | the end of waiting for a process |
//! | `process` | the process with its pipes |
//! | `words` | what user code prints, for our log |
//! | `protocol` | the bytes on the pipes, and what they mean |
//! | `program` | what a configuration says |
//! | `values` | the values of messages, which the server renders |

mod http_header;
mod interpreter;
mod parser;
mod patience;
mod process;
mod program;
mod protocol;
mod source;
mod values;
mod words;

pub use http_header::{HEADERS_BYTES_MAX, HEADERS_MAX, HeaderClass, HeaderError};
pub use interpreter::{Interpreter, Pace};
pub use parser::PythonParser;
pub use patience::Patience;
pub use program::{CodeBlock, Contents, OptionValue, Program, Role, Typing};
pub use protocol::changes::Change;
pub use protocol::message::Item;
pub use protocol::outcome::{Answer, Code, End, Outcome};
pub use source::{Post, PostsError, SourceEvent, SourceProcess, posts};
pub use values::{Named, TemplateFault, Values, ValuesFactory};
