//! Parsers by grok patterns.
//!
//! In: calls. Out: parsers. Limits: a check reads no pattern files, so a name that the library does not know
//! is not an error if files could define it.

use super::calls::ParserCall;
use crate::assemble::lowering::Lowering;
use config::tree::Call;
use pipeline::{
    Parser,
    grok::{Grok, GrokError, GrokLibrary, GrokReader, GrokSet, LibraryError, Unmatched},
};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

impl<'t> Lowering<'t> {
    pub(crate) fn grok_parser(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let options = parser.options;
        let set = options.word("pattern-set").and_then(|name| GrokSet::from_name(&name)).unwrap_or_default();
        let mut library = GrokLibrary::of(set);
        let mut unread = false;
        for option in options.all("pattern-directory") {
            let folder = option.text().unwrap_or_default();
            match self.environment.looks_up {
                true => add_folder(&mut library, Path::new(folder))
                    .map_err(|error| self.report_option(option, error.to_string()))
                    .ok()?,
                false => unread = true,
            }
        }
        for option in options.all("custom-pattern") {
            let [name, pattern] = option.texts().try_into().unwrap_or_default();
            if name.is_empty() || pattern.is_empty() {
                self.report_option(option, "`custom-pattern()` takes a name and a regular expression");
                return None;
            }
            library.add(&name, &pattern);
        }
        let mut patterns = Vec::new();
        for option in options.all("match") {
            let text = option.text().unwrap_or_default();
            let tags = option.option("tags").map(Call::texts).unwrap_or_default();
            match Grok::compile(text, &library, tags) {
                Ok(grok) => patterns.push(grok),
                Err(GrokError::Unknown { .. }) if unread => {}
                Err(error) => {
                    self.report_option(option, format!("pattern {text}: {error}"));
                    return None;
                }
            }
        }
        let unmatched = if options.is_no("drop-unmatched") { Unmatched::Passes } else { Unmatched::Stops };
        let reader = GrokReader::new(patterns, unmatched);
        self.text_parser(parser, reader, "")
    }
}

/// A folder of patterns that cannot be used.
#[derive(Debug)]
enum ReadPatternsError {
    Io { path: PathBuf, source: io::Error },
    Pattern { path: PathBuf, error: LibraryError },
}

impl fmt::Display for ReadPatternsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadPatternsError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReadPatternsError::Pattern { path, error } => write!(f, "{}:{error}", path.display()),
        }
    }
}

/// Adds the files of a folder, in the order of their names.
fn add_folder(library: &mut GrokLibrary, folder: &Path) -> Result<(), ReadPatternsError> {
    let unread = |path: &Path| {
        let path = path.to_owned();
        |source| ReadPatternsError::Io { path, source }
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread(folder))? {
        let path = entry.map_err(unread(folder))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    for path in files {
        let text = fs::read_to_string(&path).map_err(unread(&path))?;
        library.add_file(&text).map_err(|error| ReadPatternsError::Pattern { path, error })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Folders of patterns.

    use super::*;

    #[test]
    fn patterns_of_a_folder_are_read_in_the_order_of_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("2", "TWO %{ONE}b\n");
        write("1", "# A comment.\nONE a+\n");
        fs::create_dir(folder.path().join("0")).unwrap();
        let mut library = GrokLibrary::default();
        add_folder(&mut library, folder.path()).unwrap();
        let nowhere = folder.path().join("nowhere");
        let error = add_folder(&mut GrokLibrary::default(), &nowhere).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot read {}: ", nowhere.display())), "{error}");
        fs::write(folder.path().join("3"), b"X \xff\n").unwrap();
        let error = add_folder(&mut GrokLibrary::default(), folder.path()).unwrap_err().to_string();
        assert!(error.contains("/3: "), "{error}");
    }
}
