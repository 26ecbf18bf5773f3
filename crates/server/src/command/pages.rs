//! `duramen man` and `duramen completions`: the command line for man(1) and for shells.
//!
//! In: the command line's definition. Out: pages of man(1) in a folder or on standard output; a script for a shell.
//! Holds nothing.

use crate::terminal;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The end of duramen(1), after the options. Roff.
const MORE: &str = r#".SH FILES
.TP
\fI/etc/duramen/duramen.conf\fR
The configuration, in syslog\-ng's language.
.TP
\fI/var/lib/duramen\fR
Logspaces, disk buffers, read positions, users and the control socket. Only the server's user can read it.
.SH SIGNALS
.TP
\fBSIGHUP\fR
Check the configuration and switch to it; keep the current one if it has errors.
.TP
\fBSIGUSR1\fR
Reopen output files, for example after log rotation.
.TP
\fBSIGTERM\fR, \fBSIGINT\fR
Shut down cleanly.
.SH EXIT STATUS
0: success. 1: something is wrong. 2: the command line, or something it names, cannot be used.
Verbs with further statuses list them in their own pages.
.SH SEE ALSO
The manual is served by the server itself below \fI/manual/\fR.
"#;

/// Options of `completions`.
#[derive(Args, Debug)]
pub(super) struct CompletionsOptions {
    /// The shell
    shell: Shell,
}

/// Options of `man`.
#[derive(Args, Debug)]
pub(super) struct ManOptions {
    /// Write the pages of all verbs to this folder, which is created if missing
    #[arg(long, value_name = "DIR")]
    pub(super) into: Option<PathBuf>,
}

/// Prints a script of completions for a command line.
pub(super) fn completions(options: &CompletionsOptions, mut command: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "duramen", &mut script);
    reported(terminal::output().write_all(&script), Path::new("standard output"))
}

/// Prints duramen(1), or writes the pages of all verbs.
pub(super) fn man(options: &ManOptions, command: Command) -> ExitCode {
    let mut page = Vec::new();
    let rendered = Man::new(command.clone()).render(&mut page);
    page.extend_from_slice(MORE.as_bytes());
    match &options.into {
        None => reported(
            rendered.and_then(|()| terminal::output().write_all(&page)),
            Path::new("standard output"),
        ),
        Some(folder) => {
            let written = fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(command, folder))
                .and(rendered)
                .and_then(|()| fs::write(folder.join("duramen.1"), &page));
            reported(written, folder)
        }
    }
}

fn reported(written: io::Result<()>, target: &Path) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has stopped early.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: cannot write {}: {error}", target.display());
            ExitCode::FAILURE
        }
    }
}
