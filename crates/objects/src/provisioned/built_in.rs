//! The objects that are a part of the program: dashboards that everybody has.
//!
//! In: nothing. Out: objects as those of a folder. Holds: their texts. They can only be viewed, and copied; a file of the folder
//! of objects with the same id takes the place of one.

use crate::file::FileObject;

/// The name in place of a path.
pub(crate) const BUILT_IN: &str = "(built in)";

const FILES: [&str; 4] = [
    include_str!("shipped/shipped-authentication.json"),
    include_str!("shipped/shipped-firewall.json"),
    include_str!("shipped/shipped-overview.json"),
    include_str!("shipped/shipped-server.json"),
];

/// Returns the objects; a test checks that each can be read.
pub(crate) fn objects() -> impl Iterator<Item = FileObject> {
    FILES.into_iter().filter_map(|text| FileObject::decode(text.as_bytes()).ok())
}

#[cfg(test)]
mod tests {
    //! The dashboards that everybody has.

    use super::*;

    #[test]
    fn every_object_can_be_read_and_is_in_its_one_form() {
        for text in FILES {
            let object = FileObject::decode(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            assert!(object.id.as_str().starts_with("shipped-") && object.content.dashboard().is_some());
        }
        assert_eq!(objects().count(), FILES.len());
    }
}
