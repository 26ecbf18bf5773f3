//! `template("$(slog --key-file KEY --mac-file MAC TEMPLATE)\n")` of a file.
//!
//! In: the text of a template. Out: the files of its keys, and the template of the sealed text. The function changes
//! a file with every line, so it must be alone in the `template()` of `file()` itself. Limits: the name of the file
//! has no macros: one key is for one log.

use super::reshaping::sealed;
use crate::assemble::{lowering::Lowering, options::driver::Options};
use config::{Diagnostic, tree::Call, tree::Name};
use message::Render;
use std::{fmt, path::PathBuf};

/// A call of `$(slog)`.
#[derive(Debug, PartialEq, Eq)]
struct SlogCall {
    key_file: PathBuf,
    mac_file: PathBuf,
    template: String,
}

/// A call of `$(slog)` that cannot be used.
#[derive(Debug, PartialEq, Eq)]
enum SlogCallError {
    /// Its template has more than the call.
    NotAlone,
    UnknownOption(String),
    /// An argument that is missing.
    Needs(&'static str),
}

impl fmt::Display for SlogCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlogCallError::NotAlone => {
                f.write_str("$(slog) stands alone in its template, with a line end behind it")
            }
            SlogCallError::UnknownOption(option) => {
                write!(f, "$(slog) has no option {option}: it takes --key-file and --mac-file")
            }
            SlogCallError::Needs(argument) => write!(f, "$(slog) needs {argument}"),
        }
    }
}

/// Returns the call that a template consists of; `None` for another template.
fn slog_call(text: &str) -> Option<Result<SlogCall, SlogCallError>> {
    let rest = text.trim_end_matches('\n').strip_prefix("$(slog")?;
    rest.starts_with(|c: char| c.is_whitespace() || c == ')').then(|| read(rest))
}

fn read(rest: &str) -> Result<SlogCall, SlogCallError> {
    let mut rest = rest.strip_suffix(')').ok_or(SlogCallError::NotAlone)?.trim();
    let (mut key_file, mut mac_file) = (None, None);
    while rest.starts_with('-') {
        let (option, behind) = word(rest);
        let (option, value, behind) = match option.split_once('=') {
            Some((option, value)) => (option.to_owned(), value.to_owned(), behind),
            None => {
                let (value, behind) = word(behind);
                (option, value, behind)
            }
        };
        match option.as_str() {
            "--key-file" | "-k" => key_file = Some(PathBuf::from(value)),
            "--mac-file" | "-m" => mac_file = Some(PathBuf::from(value)),
            _ => return Err(SlogCallError::UnknownOption(option)),
        }
        rest = behind.trim_start();
    }
    let is_quoted = rest.len() >= 2 && rest.starts_with(['"', '\'']) && rest.ends_with(&rest[..1]);
    let template = if is_quoted { &rest[1..rest.len() - 1] } else { rest };
    if template.is_empty() {
        return Err(SlogCallError::Needs("a template, such as $RAWMSG"));
    }
    Ok(SlogCall {
        key_file: key_file.ok_or(SlogCallError::Needs("--key-file FILE"))?,
        mac_file: mac_file.ok_or(SlogCallError::Needs("--mac-file FILE"))?,
        template: template.to_owned(),
    })
}

/// Returns the first word, without its quotes, and the text after it.
fn word(text: &str) -> (String, &str) {
    let text = text.trim_start();
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\''))
        && let Some((word, rest)) = text[1..].split_once(quote)
    {
        return (word.to_owned(), rest);
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}

impl<'t> Lowering<'t> {
    /// Returns the lines of a file whose template is `$(slog)`; none for another template. Errors are in the
    /// report.
    pub(crate) fn sealed_lines(&mut self, options: &Options<'t>) -> Option<Option<Box<dyn Render>>> {
        let arg = options.own("template")?.args.first()?;
        let name = Name { text: arg.text()?.to_owned(), span: arg.span() };
        let call = slog_call(&name.text)?;
        let is_sized = self.refuse_sizes(options);
        let lines = match call {
            Ok(call) => self.sealed_renderer(&name, call, options),
            Err(error) => self.refuse(&name, error),
        };
        Some(lines.filter(|_| !is_sized))
    }

    /// Reports options that change the size of lines, because a sealed line of another size cannot be opened.
    /// Returns true if there is one.
    fn refuse_sizes(&mut self, options: &Options<'t>) -> bool {
        let asks = |option: &&'t Call| option.number().is_some_and(|size| size >= 0);
        let truncates = options.own("truncate-size").filter(asks);
        let pads = options.own("pad-size").filter(|option| option.number().is_some_and(|size| size > 0));
        let written = [truncates, pads];
        for option in written.iter().flatten() {
            let message = format!(
                "`{}()` would change lines that $(slog) has sealed: they could not be verified any more",
                option.name.text
            );
            self.report.push(Diagnostic::error(option.span, message));
        }
        written.iter().any(Option::is_some)
    }

    fn sealed_renderer(
        &mut self,
        name: &Name,
        call: SlogCall,
        options: &Options<'t>,
    ) -> Option<Box<dyn Render>> {
        let Some(log) = options.plain().filter(|log| !log.contains('$')) else {
            return self.refuse(name, "a file of $(slog) has no macros in its name: one key is for one log");
        };
        let template = self.built_in_template(&call.template, options)?;
        let inner = self.template_renderer(template, options);
        let sealer =
            self.environment.reload_state.get::<crate::slog::Sealer>(&call.key_file.display().to_string());
        if self.environment.looks_up {
            let loaded = sealer.load(&call.key_file, &call.mac_file);
            if let Err(error) = loaded {
                return self.refuse(name, error);
            }
        }
        Some(sealed(inner, sealer, PathBuf::from(log)))
    }
}

#[cfg(test)]
mod tests {
    //! Rows of calls.

    use super::{SlogCall, slog_call};

    #[track_caller]
    fn check(text: &str, want: Result<(&str, &str, &str), &str>) {
        let want = want.map(|(key, mac, template)| SlogCall {
            key_file: key.into(),
            mac_file: mac.into(),
            template: template.into(),
        });
        let found = slog_call(text).map(|call| call.map_err(|error| error.to_string()));
        assert_eq!(found, Some(want.map_err(str::to_owned)), "{text}");
    }

    #[test]
    fn reads_calls() {
        check("$(slog --key-file /k --mac-file /m $RAWMSG)\n", Ok(("/k", "/m", "$RAWMSG")));
        check("$(slog -m '/a b' -k=/k \"$HOST $(echo $MSG)\")", Ok(("/k", "/a b", "$HOST $(echo $MSG)")));
        check("$(slog --key-file /k $MSG)\n", Err("$(slog) needs --mac-file FILE"));
        check("$(slog -k /k -m /m)\n", Err("$(slog) needs a template, such as $RAWMSG"));
        check("$(slog -x 1 $MSG)", Err("$(slog) has no option -x: it takes --key-file and --mac-file"));
        check(
            "$(slog -k /k -m /m $MSG) more",
            Err("$(slog) stands alone in its template, with a line end behind it"),
        );
        assert_eq!(slog_call("$(sloganize x)"), None);
        assert_eq!(slog_call("$MSG\n"), None);
    }
}
