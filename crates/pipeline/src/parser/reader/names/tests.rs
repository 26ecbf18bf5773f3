//! Joined names: what is added is removed again, and names that are too long are reported.

use super::*;

#[test]
fn names_are_joined_and_taken_apart() {
    let mut name = JoinedName::new(b'-');
    assert!(name.is_empty());
    let outer = name.push(b"a");
    assert_eq!((outer, name.joined()), (0, b"a".as_slice()));
    let inner = name.push(b"bc");
    assert_eq!((inner, name.joined()), (1, b"a-bc".as_slice()));
    name.pop_to(inner);
    assert_eq!(name.joined(), b"a");
    name.pop_to(outer);
    assert!(name.is_empty());
}

#[test]
fn one_byte_too_many_is_kept() {
    let mut name = JoinedName::new(b'.');
    name.push(&[b'x'; FIELD_NAME_BYTES_MAX]);
    assert_eq!(name.joined().len(), FIELD_NAME_BYTES_MAX);
    let before = name.push(b"yz");
    assert_eq!(name.joined().len(), FIELD_NAME_BYTES_MAX + 1);
    assert_eq!(name.joined().last(), Some(&b'.'));
    name.pop_to(before);
    assert_eq!(name.joined().len(), FIELD_NAME_BYTES_MAX);
}
