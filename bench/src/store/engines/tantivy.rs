//! tantivy, run by our program in `bench/versus/tantivy`.
//!
//! In: the plain file, which it reads itself. Out: its own figures and answers. It runs in the process of its
//! client: no HTTP.

use crate::process::memory;
use crate::store::{
    engine::{Answer, Engine, Intake},
    plain::Corpus,
    questions::Question,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The choice to keep positions, which phrases need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Positions {
    Kept,
    Left,
}

/// tantivy.
pub(in crate::store) struct Tantivy {
    program: PathBuf,
    folder: PathBuf,
    positions: Positions,
    asker: Option<Asker>,
}

struct Asker {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Tantivy {
    pub(in crate::store) fn new(program: &Path, positions: Positions, out: &Path) -> Tantivy {
        Tantivy { program: program.to_owned(), folder: out.join("tantivy"), positions, asker: None }
    }

    fn asker(&mut self) -> io::Result<&mut Asker> {
        self.asker.as_mut().ok_or_else(|| io::Error::other("tantivy does not run"))
    }
}

impl Engine for Tantivy {
    fn name(&self) -> String {
        match self.positions {
            Positions::Kept => "tantivy, positions".into(),
            Positions::Left => "tantivy".into(),
        }
    }

    fn take_in(&mut self, corpus: &Corpus) -> io::Result<Intake> {
        let mut command = Command::new(&self.program);
        command.arg("take-in").arg(&corpus.path).arg(&self.folder);
        if self.positions == Positions::Kept {
            command.arg("positions");
        }
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        let figures: Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| io::Error::other("versus-tantivy says nothing"))?;
        let figure = |name: &str| figures[name].as_f64().unwrap_or(f64::NAN);
        self.resume()?;
        Ok(Intake {
            seconds: figure("seconds"),
            settled_s: figure("settled_s"),
            cpu_s: Some(figure("cpu_s")),
            memory_mib: Some(figure("memory_mib")),
            message_bytes: figure("bytes") / corpus.messages as f64,
            note: "reads the file itself; nothing is durable before the end".into(),
        })
    }

    fn ask(&mut self, question: &'static Question) -> io::Result<Option<Answer>> {
        // The page's other columns are not facets of it.
        if question.columns.len() > 1 {
            return Ok(None);
        }
        let asked = json!({ "finds": question.finds.tree(), "messages": question.messages,
            "hosts": !question.columns.is_empty() });
        let asker = self.asker()?;
        writeln!(asker.questions, "{asked}")?;
        asker.questions.flush()?;
        let mut line = String::new();
        asker.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)
            .map_err(|_| io::Error::other(format!("versus-tantivy answered `{line}`")))?;
        let (total, ms) = (answer["total"].as_u64(), answer["ms"].as_f64());
        Ok(total.zip(ms).map(|(total, ms)| Answer { total, ms }))
    }

    fn memory_mib(&self) -> Option<f64> {
        self.asker.as_ref().and_then(|asker| memory(asker.process.id()).ok())
    }

    fn pause(&mut self) -> io::Result<()> {
        let Some(Asker { mut process, questions, .. }) = self.asker.take() else { return Ok(()) };
        drop(questions);
        process.wait().map(|_| ())
    }

    fn resume(&mut self) -> io::Result<()> {
        let mut process = Command::new(&self.program)
            .arg("ask")
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let lost = || io::Error::other("versus-tantivy has no pipes");
        let questions = process.stdin.take().ok_or_else(lost)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(lost)?);
        self.asker = Some(Asker { process, questions, answers });
        Ok(())
    }

    fn remove(mut self: Box<Self>) -> io::Result<()> {
        self.pause()?;
        fs::remove_dir_all(&self.folder)
    }
}
