//! grep over a file: the usual tool where there is no index.
//!
//! In: the plain file; for zstdgrep, the same compressed. Out: counts of lines. It only counts: no bars, no messages.

use crate::store::{
    engine::{Answer, Engine, Intake},
    plain::Corpus,
    questions::Question,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// The program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Tool {
    Ripgrep,
    Zstdgrep,
}

/// A search of a file.
pub(in crate::store) struct Grep {
    tool: Tool,
    file: PathBuf,
    out: PathBuf,
}

impl Grep {
    pub(in crate::store) fn new(tool: Tool, out: &Path) -> Grep {
        Grep { tool, file: PathBuf::new(), out: out.to_owned() }
    }
}

impl Engine for Grep {
    fn name(&self) -> String {
        match self.tool {
            Tool::Ripgrep => "ripgrep".into(),
            Tool::Zstdgrep => "zstdgrep".into(),
        }
    }

    fn take_in(&mut self, corpus: &Corpus) -> io::Result<Intake> {
        let start = Instant::now();
        let note = match self.tool {
            Tool::Ripgrep => {
                self.file = corpus.path.clone();
                "the plain file"
            }
            Tool::Zstdgrep => {
                self.file = self.out.join("site.zst");
                let mut zstd = Command::new("zstd");
                run(zstd.args(["-3", "-q", "-f"]).arg(&corpus.path).arg("-o").arg(&self.file))?;
                "zstd -3 of the file"
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let message_bytes = self.file.metadata()?.len() as f64 / corpus.messages as f64;
        Ok(Intake {
            seconds,
            settled_s: seconds,
            cpu_s: None,
            memory_mib: None,
            message_bytes,
            note: note.into(),
        })
    }

    fn ask(&mut self, question: &'static Question) -> io::Result<Option<Answer>> {
        let Some(words) = question.grep else { return Ok(None) };
        let mut command = match self.tool {
            Tool::Ripgrep => Command::new("rg"),
            Tool::Zstdgrep => Command::new("zstdgrep"),
        };
        match self.tool {
            // -E means something else there; its expressions are like those of grep -E anyway.
            Tool::Ripgrep => {
                command.args(["--no-config", "--text"]).args(words.iter().map(|word| word.replace("wE", "w")))
            }
            Tool::Zstdgrep => command.arg("-a").args(words),
        };
        let start = Instant::now();
        let text = run(command.arg(&self.file))?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        // ripgrep prints nothing when nothing is found.
        Ok(Some(Answer { total: text.trim().parse().unwrap_or(0), ms }))
    }

    fn memory_mib(&self) -> Option<f64> {
        None
    }

    fn pause(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn remove(self: Box<Self>) -> io::Result<()> {
        match self.tool {
            Tool::Ripgrep => Ok(()),
            Tool::Zstdgrep => fs::remove_file(&self.file),
        }
    }
}

fn run(command: &mut Command) -> io::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        io::Error::new(error.kind(), format!("cannot start {program}: {error}; run tools/install.sh bench"))
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
