//! Rows for records of the kernel.

use super::*;
use message::{Ack, Field, Origin};
use std::sync::Arc;

#[track_caller]
fn check(record: &str, want: &str) {
    let bytes = Arc::new(record.as_bytes().to_vec());
    let mut batch = Batch::new(bytes, vec![Arc::<Origin>::default()], Stamp::known(9, 0), Ack::none());
    let sequence = push_kmsg(&mut batch, Span::received(0, record.len()), Some(1_000_000), 0);
    let message = &batch.messages[0];
    let mut shown = format!(
        "{sequence:?} pri={} at={} {:?}",
        message.pri.0,
        message.event.unix_us,
        String::from_utf8_lossy(batch.fixed(0, Field::Message))
    );
    for tag in message.marks.tags() {
        shown += &format!(" !{tag}");
    }
    for name in [
        "timestamp",
        "SUBSYSTEM",
        "DEVICE.type",
        "DEVICE.major",
        "DEVICE.minor",
        "DEVICE.index",
        "DEVICE.name",
    ] {
        let field = message::FieldName::parse(&format!("{PREFIX}{name}"));
        if let Some(value) = batch.field(0, &field) {
            shown += &format!(" {name}={}", String::from_utf8_lossy(&value));
        }
    }
    assert_eq!(shown, want);
}

#[test]
fn reads_records() {
    check(
        "6,339,5140900,-;eth0: link up\n",
        "Some(339) pri=6 at=6140900 \"eth0: link up\" timestamp=5140900",
    );
    check("30,1,2,c,caller=T1;a;b=c", "Some(1) pri=30 at=1000002 \"a;b=c\" timestamp=2");
    check(
        "3,7,8,-;sd 0:0\n SUBSYSTEM=scsi\n DEVICE=+scsi:0:0:0:0\n",
        "Some(7) pri=3 at=1000008 \"sd 0:0\" timestamp=8 SUBSYSTEM=scsi DEVICE.type=scsi DEVICE.name=0:0:0:0",
    );
    check(
        "3,7,8,-;x\n DEVICE=b8:16\n",
        "Some(7) pri=3 at=1000008 \"x\" timestamp=8 DEVICE.type=block DEVICE.major=8 DEVICE.minor=16",
    );
    check(
        "3,7,8,-;x\n DEVICE=n2\n",
        "Some(7) pri=3 at=1000008 \"x\" timestamp=8 DEVICE.type=netdev DEVICE.index=2",
    );
    check(
        "3,7,8,-;tab\\x09 back\\x5c \\q\\x",
        "Some(7) pri=3 at=1000008 \"tab\\t back\\\\ \\\\q\\\\x\" timestamp=8",
    );
}

#[test]
fn odd_records_are_messages_too() {
    check("", "None pri=5 at=9 \"\" !message.parse_error");
    check("hello", "None pri=5 at=9 \"hello\" !message.parse_error");
    check("6,x,1,-;hello", "None pri=5 at=9 \"6,x,1,-;hello\" !message.parse_error");
    check(
        "9999,1,18446744073709551615,-;",
        "Some(1) pri=7 at=9223372036854775807 \"\" timestamp=18446744073709551615",
    );
    check("6,1,1,-;x\n DEVICE=\n =\n y\n", "Some(1) pri=6 at=1000001 \"x\" timestamp=1 DEVICE.name=");
}
