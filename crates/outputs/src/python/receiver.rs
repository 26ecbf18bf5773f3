//! Messages, packed until they are shown to the class.
//!
//! In: messages. Out: one value for each, all of the message. Holds: nothing between two. Limits: none of its own.

use super::{connection::PythonConnection, options::PythonTarget};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Field, Selection, Stamp, codec};
use transport::InternalLog;

/// The receiver of `python()`.
pub struct PythonReceiver {
    target: PythonTarget,
    log: InternalLog,
}

impl PythonReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: PythonTarget) -> PythonReceiver {
        PythonReceiver { target, log: InternalLog::new("", None) }
    }
}

impl Receiver for PythonReceiver {
    fn log_to(&mut self, log: &InternalLog) {
        self.log = log.clone();
    }

    fn begin(&mut self, _now: Stamp) {}

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        group.push_str(&self.target.program.class);
        let mut one = Selection::none(batch.len());
        one.add(index);
        let mut bytes = Vec::new();
        codec::encode(batch, &one, &mut bytes);
        Ok(vec![Cell::Bytes(bytes), Cell::Integer(sequence.cast_signed())])
    }

    fn connection(&self) -> Box<dyn Connection> {
        let PythonTarget { program, values, retries, .. } = &self.target;
        Box::new(PythonConnection::new(program.clone(), values.values(), self.log.clone(), *retries))
    }

    fn batches(&self) -> Batches {
        self.target.batches
    }

    fn instance(&self) -> String {
        self.target.program.name.clone()
    }

    fn settings(&self) -> Vec<String> {
        let program = &self.target.program;
        vec![
            format!("{} of {}", program.class, program.interpreter.display()),
            format!("{:?} {:?} {:?}", program.options, program.imports, program.code),
            format!("{:?} {:?} {:?}", program.contents, program.typing, program.path),
            format!("{:?} {:?} {}", program.timeout, program.memory_bytes_max, self.target.retries),
        ]
    }

    fn describe(&self, group: &str, cells: &[Cell]) -> String {
        let text = match cells {
            [Cell::Bytes(bytes), ..] => codec::decode(bytes).ok(),
            _ => None,
        };
        let text = text.filter(|batch| !batch.is_empty());
        let text = text.map(|batch| String::from_utf8_lossy(batch.fixed(0, Field::Message)).into_owned());
        format!("python {group}: {}", text.unwrap_or_default())
    }
}
