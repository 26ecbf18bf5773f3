//! `@include`: a file, the files of a folder, or those that a pattern matches.
//!
//! In: a path as written. Out: texts pushed on the stack, to be read in the order of their names.
//! Limits: `INCLUDE_DEPTH_MAX` deep, `FILE_BYTES_MAX` each. A missing file is an error, a pattern without a match is not.

use std::path::{Path, PathBuf};

use super::reader::{Frame, Nature};
use super::stream::Lexer;
use crate::diagnostic::Diagnostic;
use crate::limits::{FILE_BYTES_MAX, INCLUDE_DEPTH_MAX};
use crate::scl;
use crate::text::{Origin, Span};
use crate::tree::Version;

impl Lexer<'_> {
    /// Opens the configuration itself. False, with an error, if it cannot be read.
    pub(crate) fn open(&mut self, path: &Path) -> bool {
        self.root_folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        self.push_file(path, Origin::Root, Span::default())
    }

    /// Continues reading with the files that an include names.
    pub(crate) fn include(&mut self, written: &str, at: Span) {
        if self.include_depth(at) > INCLUDE_DEPTH_MAX {
            self.stop(
                at,
                format!("files are included {INCLUDE_DEPTH_MAX} levels deep; does one include itself?"),
            );
            return;
        }
        if let Some(set) = self.built_in(written) {
            let version = self.version.unwrap_or(Version::CURRENT);
            for (name, content) in set.files_of(version).into_iter().rev() {
                self.push_text(&format!("built-in {name}"), content.to_string(), Origin::Include(at), at);
            }
            self.includes.insert(set.name);
            return;
        }
        let is_pattern = written.contains(['*', '?', '[']);
        if is_pattern {
            let mut found =
                self.patterns(written).into_iter().map(|pattern| self.surroundings.glob(&pattern));
            let paths = found.find(|paths| !paths.is_empty()).unwrap_or_default();
            self.push_files(
                paths.into_iter().filter(|path| !self.surroundings.is_folder(path)).collect(),
                at,
            );
            return;
        }
        let candidates = self.candidates(written);
        let Some(path) = candidates.into_iter().find(|path| self.surroundings.exists(path)) else {
            self.missing(written, at);
            return;
        };
        if self.surroundings.is_folder(&path) {
            let names = self.surroundings.folder(&path).unwrap_or_default();
            let wanted = names.into_iter().filter(|name| is_config_name(name)).map(|name| path.join(name));
            let files = wanted.filter(|path| !self.surroundings.is_folder(path)).collect();
            self.push_files(files, at);
        } else {
            self.push_files(vec![path], at);
        }
    }

    /// Returns the ready-made blocks that a path names: `scl.conf`, or where syslog-ng's packages put it, if nothing is
    /// there.
    fn built_in(&self, written: &str) -> Option<&'static scl::Set> {
        let name = match Path::new(written).is_absolute() {
            true if self.surroundings.exists(Path::new(written)) => return None,
            true => Path::new(written).file_name()?.to_str()?,
            false => written,
        };
        scl::SETS.iter().find(|set| set.name == name)
    }

    fn missing(&mut self, written: &str, at: Span) {
        let tried: Vec<String> = self
            .search_path()
            .iter()
            .map(
                |path| if path.as_os_str().is_empty() { ".".to_string() } else { path.display().to_string() },
            )
            .collect();
        let mut diagnostic = Diagnostic::error(at, format!("included file `{written}` does not exist"));
        if Path::new(written).is_relative() {
            diagnostic = diagnostic.help(format!("looked in {}", tried.join(", ")));
        } else if written.contains("/scl/") || written.contains("scl.conf") {
            diagnostic = diagnostic.help("ready-made blocks are built in: write `@include \"scl.conf\"`");
        }
        self.report.push(diagnostic);
    }

    fn search_path(&self) -> Vec<PathBuf> {
        let here = self.root_folder.clone();
        std::iter::once(here).chain(self.surroundings.include_path()).collect()
    }

    fn candidates(&self, written: &str) -> Vec<PathBuf> {
        if Path::new(written).is_absolute() {
            return vec![PathBuf::from(written)];
        }
        self.search_path().into_iter().map(|folder| folder.join(written)).collect()
    }

    /// Returns the patterns to try: only the written text may have wildcards, not the searched folders.
    fn patterns(&self, written: &str) -> Vec<String> {
        if Path::new(written).is_absolute() {
            return vec![written.to_string()];
        }
        let searched = self.search_path().into_iter();
        let escaped = searched.map(|folder| PathBuf::from(glob::Pattern::escape(&folder.to_string_lossy())));
        escaped.map(|folder| folder.join(written).to_string_lossy().into_owned()).collect()
    }

    /// Returns the number of includes that lead to a position.
    fn include_depth(&self, at: Span) -> usize {
        let mut depth = 0;
        let mut text = at.text;
        loop {
            text = match self.texts.origin(text) {
                Origin::Root => return depth,
                Origin::Include(at) => {
                    depth += 1;
                    at.text
                }
                Origin::Expansion { at, .. } => at.text,
            };
        }
    }

    /// Pushes files so that the first is read first.
    fn push_files(&mut self, paths: Vec<PathBuf>, at: Span) {
        for path in paths.iter().rev() {
            self.push_file(path, Origin::Include(at), at);
        }
    }

    fn push_file(&mut self, path: &Path, origin: Origin, at: Span) -> bool {
        let name = path.display().to_string();
        let told = match self.surroundings.read(path) {
            Err(error) => format!("cannot read `{name}`: {error}"),
            Ok(bytes) if bytes.len() > FILE_BYTES_MAX => {
                format!(
                    "`{name}` has {} bytes; a configuration file has at most {FILE_BYTES_MAX}",
                    bytes.len()
                )
            }
            Ok(bytes) => {
                let is_text = std::str::from_utf8(&bytes).is_ok();
                let id = self.push_text(&name, String::from_utf8_lossy(&bytes).into_owned(), origin, at);
                if let (false, Some(span)) = (is_text, id) {
                    let message = "the file is not UTF-8; what is not is replaced by \u{fffd}";
                    self.report.push(Diagnostic::warning(span, message));
                }
                return id.is_some();
            }
        };
        let span = if origin == Origin::Root {
            self.texts.add(&name, String::new(), Origin::Root).map(|text| Span { text, start: 0, end: 0 })
        } else {
            Ok(at)
        };
        self.report.push(Diagnostic::error(span.unwrap_or(at), told));
        false
    }

    fn push_text(&mut self, name: &str, content: String, origin: Origin, at: Span) -> Option<Span> {
        let length = content.len();
        match self.texts.add(name, content, origin) {
            Ok(text) => {
                let content = self.texts.content(text);
                self.reader.push(Frame::new(text, content, 0..length, Nature::File));
                Some(Span { text, start: 0, end: 0 })
            }
            Err(_) => {
                self.stop(at, "the configuration is too large".to_string());
                None
            }
        }
    }
}

/// Returns true for names that the include of a folder reads: no hidden files, no backups of editors.
fn is_config_name(name: &str) -> bool {
    !name.starts_with('.') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
