//! What of a JSON object is known before any message.
//!
//! In: what rendering finds in a selection. Out: the same, for every message. Holds: names, or a whole object.
//! Limits: none.

/// The form of the object that a selection makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JsonForm {
    /// No message changes it: all its values are constant.
    Constant(Box<[u8]>),
    /// The configuration names every member, and none is an object.
    Members(Vec<JsonMember>),
    /// Messages decide what is in it, or names make objects in objects.
    Collected,
}

/// A member of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JsonMember {
    /// Its position among the explicit pairs of the selection.
    pub(crate) place: usize,
    /// Its name as JSON has it, with the colon.
    pub(crate) key: Box<[u8]>,
}
