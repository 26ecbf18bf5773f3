//! The class of a driver with its options, and the interpreter that runs it.
//!
//! In: options of a driver, global options, `python { ... }`. Out: a [`Program`]. Holds: nothing.
//! Limits: options that are no pairs of a name and a value are an error; so is an interpreter that is not there.

use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{
    Diagnostic,
    tree::{Arg, Call, Statement},
};
use python::{CodeBlock, Contents, OptionValue, Program, Role, Typing};
use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

/// The interpreter unless one is named.
const INTERPRETER: &str = "python3";
/// Folder of modules beside the configuration, and of kept values below the server's data.
const FOLDER: &str = "python";
/// Longest time that a call of user code may take.
const TIMEOUT_S: u64 = 60;
/// `time-reopen()` unless it is set.
const REOPEN_AFTER: Duration = Duration::from_secs(60);
/// Most memory of the process.
const MEMORY_BYTES: usize = 1 << 30;

impl<'t> Lowering<'t> {
    /// Reads what all drivers in Python have.
    pub(crate) fn python_program(&mut self, role: Role, options: &Options<'t>) -> Option<Program> {
        let class = options.own_text("class").filter(|class| !class.is_empty())?;
        let interpreter = self.interpreter(options)?;
        let contents = match options.own("value-pairs") {
            Some(_) => Contents::Pairs,
            None => Contents::Message,
        };
        let typing = match self.definitions.version.is_typed() {
            true => Typing::Typed,
            false => Typing::OnlyBytes,
        };
        let seconds =
            options.own("timeout").and_then(Call::number).and_then(|seconds| u64::try_from(seconds).ok());
        let memory_bytes = options.count("memory-limit", MEMORY_BYTES);
        let name = options.own_text("persist-name").unwrap_or_else(|| format!("python({class})"));
        let reopen_after = options.seconds("time-reopen").unwrap_or(REOPEN_AFTER);
        let mut values = Vec::new();
        for written in options.all("options") {
            values.extend(self.python_options(written)?);
        }
        Some(Program {
            role,
            interpreter,
            class,
            name,
            options: values,
            imports: options.all("imports").flat_map(Call::texts).collect(),
            code: self.python_code(),
            path: self.python_path(),
            folder: self.environment.data.join(FOLDER),
            contents,
            typing,
            reopen_after,
            no_data_pause: options.seconds("fetch-no-data-delay").unwrap_or(reopen_after),
            flags: options.flags(),
            timeout: Duration::from_secs(seconds.unwrap_or(TIMEOUT_S)),
            memory_bytes_max: Some(memory_bytes as u64).filter(|bytes| *bytes > 0),
        })
    }

    /// Returns the code of the configuration, in its order.
    fn python_code(&self) -> Vec<CodeBlock> {
        let tree = self.tree;
        let code = tree.statements.iter().filter_map(|statement| match statement {
            Statement::Python(code) => Some(code.body.span),
            _ => None,
        });
        code.map(|span| {
            let at = tree.texts.location(span);
            CodeBlock { source: tree.texts.slice(span).to_owned(), file: at.name, line: at.line }
        })
        .collect()
    }

    /// Returns the folders of `python-sys-path()`, and that beside the configuration.
    fn python_path(&self) -> Vec<PathBuf> {
        let written = self.globals.get("python-sys-path").map(Call::texts).unwrap_or_default();
        let folders = written.iter().flat_map(|text| text.split(':')).filter(|folder| !folder.is_empty());
        let main = self.tree.texts.files().first().map(|file| Path::new(file).with_file_name(FOLDER));
        folders.map(PathBuf::from).chain(main).collect()
    }

    /// Returns the interpreter, which must be there unless the configuration is only checked.
    fn interpreter(&mut self, options: &Options<'t>) -> Option<PathBuf> {
        let written = options.own("interpreter").or_else(|| self.globals.get("python-interpreter"));
        let name = written.and_then(Call::text).filter(|name| !name.is_empty()).unwrap_or(INTERPRETER);
        let is_there = match name.contains('/') {
            true => Path::new(name).is_file(),
            false => env::split_paths(&env::var_os("PATH").unwrap_or_default())
                .any(|folder| folder.join(name).is_file()),
        };
        if is_there || !self.environment.looks_up {
            return Some(PathBuf::from(name));
        }
        let span = written.map_or(options.call.name.span, |option| option.span);
        let error = Diagnostic::error(span, format!("there is no interpreter `{name}` on this machine"));
        self.report.push(
            error.help("install the package python3, or name one with python-interpreter() in options"),
        );
        None
    }

    /// Reads `options("name" => value ...)`, in which the arrow may be left out.
    fn python_options(&mut self, written: &'t Call) -> Option<Vec<(String, OptionValue)>> {
        let mut values = Vec::new();
        let mut args = written.args.iter();
        while let Some(arg) = args.next() {
            let (name, value) = match arg {
                Arg::Pair(name, value) => (Some(name.text.clone()), Some(value.as_ref())),
                Arg::Number(number, _) => (Some(number.to_string()), args.next()),
                arg => (arg.text().map(str::to_owned), args.next()),
            };
            match (name, value.and_then(option_value)) {
                (Some(name), Some(value)) => values.push((name, value)),
                _ => {
                    let error =
                        Diagnostic::error(arg.span(), "`options()` needs pairs of a name and a value");
                    let help =
                        "\"name\" => \"text\", a number, yes, no, [\"a\", \"b\"] or LogTemplate(\"...\")";
                    self.report.push(error.help(help));
                    return None;
                }
            }
        }
        Some(values)
    }
}

/// Reads the value of an option.
fn option_value(arg: &Arg) -> Option<OptionValue> {
    Some(match arg {
        Arg::Text(text) => OptionValue::Text(text.text.clone()),
        Arg::Word(word) => match word.text.as_str() {
            "yes" | "true" | "True" | "on" => OptionValue::Truth(true),
            "no" | "false" | "False" | "off" => OptionValue::Truth(false),
            text => OptionValue::Text(text.to_owned()),
        },
        Arg::Number(number, _) => OptionValue::Integer(*number),
        Arg::Float(number, _) => OptionValue::Double(*number),
        Arg::Group(elements, _) => {
            let texts = elements.iter().map(|element| match element {
                Arg::Number(number, _) => Some(number.to_string()),
                element => element.text().map(str::to_owned),
            });
            OptionValue::List(texts.collect::<Option<_>>()?)
        }
        Arg::Call(call) if call.key().replace('-', "").eq_ignore_ascii_case("logtemplate") => {
            OptionValue::Template(call.text().unwrap_or_default().to_owned())
        }
        _ => return None,
    })
}
