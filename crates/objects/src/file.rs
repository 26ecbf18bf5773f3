//! Objects as files: JSON with sorted members, one object a file.
//!
//! In: bytes, or an object. Out: the object with its place, or bytes that are always the same for the same object. Holds
//! nothing. Limits: [`FILE_BYTES_MAX`](crate::limits::FILE_BYTES_MAX). A file has neither times nor revisions, so that a
//! copy that was changed and one that was not can be compared.

mod position;

use crate::{
    acl::{AclEntry, UserId, is_user_name},
    content::{Content, ContentError, Draft},
    id::ObjectId,
    kind::{Kind, UnknownKind},
    limits,
};
use position::Position;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{fmt, path::PathBuf};

/// A file of an object. Its bytes are not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectFile {
    /// The path, or only the name.
    pub path: PathBuf,
    /// The content.
    pub bytes: Vec<u8>,
}

/// An object of a file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FileObject {
    pub(crate) id: ObjectId,
    /// The owner, by name; nobody when the file names none.
    pub(crate) owner: UserId,
    /// The people, by name; none when the file says nothing about them.
    pub(crate) acl: Option<Vec<AclEntry>>,
    pub(crate) content: Content,
}

/// A fault of a file, and its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The fault.
    pub fault: FileFault,
}

/// The reasons why bytes are no object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileFault {
    /// They are no JSON, or a member is missing, unknown or of a wrong type.
    Json {
        /// The fault.
        what: String,
    },
    /// The id has other characters than an id.
    Id,
    /// The kind is unknown.
    Kind(UnknownKind),
    /// The owner is no name of a user.
    Owner,
    /// There are too many people, or one is there twice.
    People,
    /// The owner, or one of the people, is no user of the server.
    NoUser {
        /// The member of the file.
        member: &'static str,
        /// The name.
        name: String,
    },
    /// The content is refused.
    Content(ContentError),
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileFault::Json { what } => f.write_str(what),
            FileFault::Id => f.write_str("id: 1 to 64 of the characters a-z 0-9 - are needed"),
            FileFault::Kind(error) => write!(f, "kind: {error}"),
            FileFault::Owner => f.write_str("owner: that is no name of a user"),
            FileFault::People => {
                write!(f, "acl: at most {} people, each once", limits::ACL_ENTRIES_MAX)
            }
            FileFault::NoUser { member, name } => {
                write!(f, "{member}: there is no user {name} on this server")
            }
            FileFault::Content(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.fault)
    }
}

impl std::error::Error for FileError {}

impl FileError {
    /// A fault that the library has found.
    fn of_json(error: &serde_json::Error) -> FileError {
        let fault = FileFault::Json { what: plain(error) };
        // At the end of a text the library counts from 0.
        FileError { line: error.line().max(1), column: error.column().max(1), fault }
    }

    /// A fault of a member of a text that is JSON.
    pub(crate) fn of_member(text: &[u8], fault: FileFault) -> FileError {
        let names: Vec<&str> = match &fault {
            FileFault::Json { .. } => Vec::new(),
            FileFault::Id => vec!["id"],
            FileFault::Kind(_) => vec!["kind"],
            FileFault::Owner => vec!["owner"],
            FileFault::People => vec!["acl"],
            FileFault::NoUser { member, .. } => vec![member],
            FileFault::Content(ContentError::Spec(error)) => {
                std::iter::once("spec").chain(error.member.split('.')).collect()
            }
            FileFault::Content(error) => vec![error.member()],
        };
        let Position { line, column } = position::of_member(text, &names);
        FileError { line, column, fault }
    }

    /// A member that is missing, unknown or of a wrong type inside of the specification: its position is that in the form of
    /// the kind.
    fn in_spec(text: &[u8], kind: Kind, fault: FileFault) -> FileError {
        let start = position::offset_of_member(text, &["spec"]);
        let FileFault::Content(ContentError::Spec(error)) = &fault else {
            return FileError::of_member(text, fault);
        };
        let found = kind.form_error(text.get(start..).unwrap_or_default());
        match found.filter(|_| error.member.is_empty()) {
            None => FileError::of_member(text, fault),
            Some((line, column)) => {
                let first = position::of_offset(text, start);
                let column = if line == 1 { first.column + column.saturating_sub(1) } else { column.max(1) };
                FileError { line: first.line + line - 1, column, fault }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    kind: String,
    name: String,
    #[serde(default)]
    folder: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    owner: String,
    acl: Option<Vec<AclEntry>>,
    spec: Value,
    spec_version: Option<u32>,
}

impl FileObject {
    /// Reads an object.
    pub(crate) fn decode(bytes: &[u8]) -> Result<FileObject, FileError> {
        // The library reads members without names from an array as well.
        if bytes.trim_ascii_start().first().is_some_and(|first| *first != b'{') {
            let what = "a JSON object is needed".to_owned();
            return Err(FileError::of_member(bytes, FileFault::Json { what }));
        }
        let written: Written = serde_json::from_slice(bytes).map_err(|error| FileError::of_json(&error))?;
        let Written { name, folder, description, tags, owner, spec, spec_version, .. } = written;
        let at = |fault| FileError::of_member(bytes, fault);
        let id = written.id.parse().map_err(|_| at(FileFault::Id))?;
        let kind: Kind = written.kind.parse().map_err(|error| at(FileFault::Kind(error)))?;
        if !owner.is_empty() && !is_user_name(&owner) {
            return Err(at(FileFault::Owner));
        }
        let acl = written.acl.map(|acl| sorted(acl).ok_or_else(|| at(FileFault::People))).transpose()?;
        let draft = Draft { kind, name, folder, description, tags, spec, spec_version };
        let content =
            draft.checked().map_err(|error| FileError::in_spec(bytes, kind, FileFault::Content(error)))?;
        let owner = owner.parse().map_err(|_| at(FileFault::Owner))?;
        Ok(FileObject { id, owner, acl, content })
    }

    /// Writes an object.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let content = &self.content;
        let mut value = json!({
            "id": self.id.as_str(),
            "kind": content.kind.name,
            "name": content.name,
            "folder": content.folder,
            "description": content.description,
            "tags": content.tags,
            "owner": self.owner.name(),
            "acl": self.acl,
            "spec": content.spec,
            "spec_version": content.spec_version,
        });
        if self.acl.is_none()
            && let Some(members) = value.as_object_mut()
        {
            members.remove("acl");
        }
        format!("{:#}\n", by_name(&value)).into_bytes()
    }

    /// The name that exports give the file: it stays the same when the object gets another name.
    pub(crate) fn file_name(&self) -> String {
        format!("{}-{}.json", self.content.kind.name, self.id)
    }
}

/// The text of an error without the place, which is shown in front of it.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Sorts people; none when there are too many or one is there twice.
pub(crate) fn sorted(mut acl: Vec<AclEntry>) -> Option<Vec<AclEntry>> {
    acl.sort_unstable();
    let is_twice = acl.windows(2).any(|pair| pair[0].principal == pair[1].principal);
    (acl.len() <= limits::ACL_ENTRIES_MAX && !is_twice).then_some(acl)
}

/// The same value with the members of each object sorted by name. The depth is that of a checked specification.
fn by_name(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            let sorted: Map<String, Value> =
                names.into_iter().map(|name| (name.clone(), by_name(&members[name]))).collect();
            Value::Object(sorted)
        }
        Value::Array(values) => Value::Array(values.iter().map(by_name).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    //! Files that are read and written, and faults with their places.

    use super::*;

    const SMALL: &str =
        r#"{"id": "failed", "kind": "search", "name": "Failed logins", "spec": {"query": "failed"}}"#;

    #[test]
    fn a_file_is_written_with_sorted_members_and_read_back_as_it_was() {
        let read = FileObject::decode(SMALL.as_bytes()).unwrap();
        let bytes = read.encode();
        assert_eq!(FileObject::decode(&bytes).unwrap(), read);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let names: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
        assert!(names.is_sorted() && names.len() == 9 && text.ends_with("}\n"), "{text}");
        let shared = FileObject { acl: Some(Vec::new()), owner: "eva".parse().unwrap(), ..read };
        assert_eq!(FileObject::decode(&shared.encode()).unwrap(), shared);
        assert_eq!(shared.file_name(), "search-failed.json");
    }

    #[test]
    fn faults_have_their_place() {
        let check = |text: &str, want: &str| {
            let error = FileObject::decode(text.as_bytes()).unwrap_err();
            let shown = error.to_string();
            assert!(shown.contains(want), "{shown}");
        };
        check("", "1:1: EOF");
        check("{\n  \"id\": 5}", "2:9: invalid type: integer");
        check("{}", "missing field `id`");
        check(&SMALL.replace("\"name\"", "\"nmae\""), "unknown field `nmae`");
        check(&SMALL.replace("{\"id\"", "{\"id\": \"x\", \"id\""), "duplicate field `id`");
        check(&SMALL.replace("\"failed\",", "\"Failed!\","), "id: 1 to 64");
        check(
            &SMALL.replace("\"search\"", "\"serach\""),
            "kind: there are no objects of kind \"serach\"; known: search, dashboard",
        );
        check(&SMALL.replace("{\"query\": \"failed\"}", "{\"query\": \"(\"}"), "1:79: spec.query: ");
        let spec = "{\n \"query\": \"x\",\n \"time\": {\"from\": \"tea\"}}";
        check(&SMALL.replace("{\"query\": \"failed\"}", spec), "3:19: spec.time.from: ");
        let spec = "{\n \"query\": \"x\",\n \"qeury\": 5}";
        check(&SMALL.replace("{\"query\": \"failed\"}", spec), "3:8: spec: unknown field `qeury`");
        check(&SMALL.replace("{\"query\": \"failed\"}", "{\"wrap\": 5}"), "1:78: spec: invalid type");
        check(&SMALL.replace("\"Failed logins\"", "\" \""), "1:44: name: ");
        check(&SMALL.replace("{\"id\"", "{\"owner\": \"a b\", \"id\""), "owner: ");
        check(&SMALL.replace("{\"id\"", "{\"spec_version\": 2, \"id\""), "spec_version: 2 is newer than 1");
        let acl = r#"{"acl": [{"principal": "everyone", "level": "view"}, {"principal": "everyone", "level": "own"}], "id""#;
        check(&SMALL.replace("{\"id\"", acl), "acl: at most 200 people, each once");
        check(
            &SMALL.replace("{\"id\"", r#"{"acl": [{"principal": "all", "level": "view"}], "id""#),
            "`everyone`",
        );
        check(&"[".repeat(100_000), "1:1: a JSON object is needed");
        check(&SMALL.replace("\"failed\"}", &"[".repeat(1_000)), "recursion limit");
        assert!(FileObject::decode(b"\xff\xfe{}").is_err());
    }
}
