//! Rows for the properties of a template that are known before it is rendered.

use super::*;

#[test]
fn texts_and_macros() {
    let text = Template::literal("a");
    assert_eq!((text.text(), text.constant(), text.is_simple()), ("a", Some(b"a".as_slice()), true));
    assert_eq!(Template::literal("").constant(), Some(b"".as_slice()));
    let simple = |name: &str| Template::of_macro(name).map(|template| template.is_simple());
    assert_eq!(simple("ISODATE"), Some(true));
    assert_eq!(simple("MSGHDR"), Some(true));
    assert_eq!(simple("TAGS"), Some(false));
    assert_eq!(simple("HOST"), None);
    assert_eq!(
        Template::of_macro("ISODATE").and_then(|template| template.constant().map(<[u8]>::to_vec)),
        None
    );
}

#[test]
fn only_a_field_as_it_is_needs_no_rendering() {
    let of = |part: TemplatePart| Template { parts: vec![part], ..Template::literal("") };
    let fixed = of(TemplatePart::Fixed(Field::Host));
    assert_eq!(fixed.only_field(), Some(FieldName::Fixed(Field::Host)));
    assert_eq!(fixed.clone().escaped().only_field(), None);
    assert_eq!(fixed.clone().hinted(TypeHint::Literal).only_field(), None);
    let name = FieldName::parse("x");
    let value =
        |default: Option<Box<[u8]>>| of(TemplatePart::Field { name: name.clone(), default, bytes: false });
    assert_eq!(value(None).only_field(), Some(name.clone()));
    assert_eq!(value(Some(b"-".as_slice().into())).only_field(), None);
    let mut two = value(None);
    two.parts.push(TemplatePart::Fixed(Field::Host));
    assert_eq!(two.only_field(), None);
    // Bytes are printed only if a type hint requires it.
    let bytes = |hint: TypeHint| {
        matches!(value(None).hinted(hint).parts[..], [TemplatePart::Field { bytes: true, .. }])
    };
    assert!(bytes(TypeHint::Kind(ValueKind::Bytes)));
    assert!(!bytes(TypeHint::Kind(ValueKind::String)));
}
