//! Rows for fields, and for bytes that are not fields.

use super::*;

/// Shows the fields of bytes, or the first error and its offset. Two bytes before and one after do not belong
/// to them.
#[track_caller]
fn check(bytes: &[u8], want: &str) {
    let whole = [&[0xff, 0xff], bytes, &[8]].concat();
    let fields = Fields::of(&whole, 2..2 + bytes.len()).map(|field| match field {
        Ok((number, Field::Bytes(range))) => format!("{number}={:?}", &whole[range]),
        Ok((number, value)) => format!("{number}={value:?}"),
        Err(error) => format!("{} at {}", error.reason, error.offset - 2),
    });
    assert_eq!(fields.collect::<Vec<_>>().join(" "), want, "{bytes:?}");
}

#[test]
fn fields_have_numbers_and_types() {
    check(&[], "");
    check(&[8, 0], "1=Varint(0)");
    check(&[8, 0x7f, 16, 0x80, 1], "1=Varint(127) 2=Varint(128)");
    check(&[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "1=Varint(18446744073709551615)");
    check(&[0x11, 1, 2, 0, 0, 0, 0, 0, 0x80], "2=Fixed64(9223372036854776321)");
    check(&[0x15, 1, 2, 0, 0x80], "2=Fixed32(2147484161)");
    check(&[0x1a, 2, 7, 8, 0x1a, 0], "3=[7, 8] 3=[]");
    check(&[0x80, 1, 5], "16=Varint(5)");
    check(&[0xf8, 0xff, 0xff, 0xff, 0x0f, 5], "536870911=Varint(5)");
    assert_eq!((Field::Bytes(1..2).bytes(), Field::Varint(1).bytes()), (Some(1..2), None));
    let numbers = [Field::Varint(1), Field::Fixed64(2), Field::Fixed32(3), Field::Bytes(0..1)];
    assert_eq!(numbers.map(|field| field.number()), [Some(1), Some(2), Some(3), None]);
}

#[test]
fn what_is_no_field_ends_the_message() {
    check(&[8], "no protobuf number at 1");
    check(&[8, 0x80], "no protobuf number at 2");
    check(&[8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "no protobuf number at 11");
    check(&[0, 1], "no protobuf field at 1");
    check(&[0x0b], "no protobuf field at 1");
    check(&[0x0c], "no protobuf field at 1");
    check(&[0x80, 0x80, 0x80, 0x80, 0x10, 5], "no protobuf field at 5");
    check(&[0x80, 0x80, 0x80, 0x80, 0x80, 1, 5], "no protobuf field at 6");
    check(&[0x15, 1, 2, 3], "the end of protobuf at 1");
    check(&[0x11, 1, 2, 3, 4, 5, 6, 7], "the end of protobuf at 1");
    check(&[0x1a, 3, 1, 2], "protobuf that is cut off at 2");
    check(&[0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "protobuf that is cut off at 11");
    check(&[8, 1, 0x15, 8, 1], "1=Varint(1) the end of protobuf at 3");
}

#[test]
fn what_is_written_is_read() {
    let mut out = Vec::new();
    push_varint(1, 300, &mut out);
    push_varint(2, u64::MAX, &mut out);
    push_fixed64(3, 5, &mut out);
    push_bytes(4, b"ab", &mut out);
    push_message(5, &mut out, |out| push_message(1, out, |out| push_bytes(1, &[7; 200], out)));
    let inner = [&[10, 203, 1, 10, 200, 1][..], &[7; 200]].concat();
    let want = format!("1=Varint(300) 2=Varint({}) 3=Fixed64(5) 4=[97, 98] 5={inner:?}", u64::MAX);
    check(&out, &want);
}
