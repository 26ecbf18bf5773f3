//! User code in Python, in a process of its own: a crash or a hang of it costs the batch that it works on, never the server.
//!
//! In: messages, a class of a configuration. Out: what the class answers for each message. Holds: the process.
//! Limits: see each module. No Python is in this program: the interpreter is that of the machine, started with a script of ours.
//!
//! | module | what it does |
//! |---|---|
//! | `interpreter` | a conversation with the process: it is started, asked, ended, and started again |
//! | `outcome` | what became of the messages of a batch |
//! | `process` | the process with its pipes |
//! | `words` | what user code prints, for our log |
//! | `hello` | the class with its options, for the process |
//! | `message` | messages as bytes |
//! | `frame` | the bytes on the pipes |
//! | `program` | what a configuration says |
//! | `values` | the values of messages, which the server renders |

mod frame;
mod hello;
mod interpreter;
mod message;
mod outcome;
mod process;
mod program;
mod values;
mod words;

pub use interpreter::{Interpreter, Pace};
pub use message::Item;
pub use outcome::{Answer, Code, End, Outcome};
pub use program::{CodeBlock, Contents, OptionValue, Program, Typing};
pub use values::{Named, TemplateFault, Values, ValuesFactory};
