//! The golden file: what version 1 wrote is read for ever. `UPDATE=1` writes it anew.

use super::*;
use crate::{Column, Pattern};
use std::path::Path;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/segment-v1.segment");

fn lines() -> Vec<Line> {
    let line = |at: usize| Line {
        host: ["web-1", "db.example", ""][at % 3].into(),
        program: ["sshd", "CRON"][at % 2].into(),
        pid: (1000 + at * 7).to_string(),
        text: format!("Failed password for user{} from 10.0.{}.{}", at % 11, at % 5, at),
        pri: (at * 3 % 192) as u16,
        rewritten: (at == 17).then(|| "changed by processing".into()),
        values: if at.is_multiple_of(40) {
            vec![("port".into(), at.to_string(), ValueKind::Integer)]
        } else {
            Vec::new()
        },
        tags: if at == 3 { vec!["mine".into()] } else { Vec::new() },
        sdata: if at.is_multiple_of(9) { "[a@1 b=\"c d\"]".into() } else { String::new() },
    };
    (0..400).map(line).collect()
}

#[test]
fn version_1_is_read() {
    let mut active = Active::new(5000, Some(learned(&["failed", "password", "for", "from"])));
    append(&mut active, &lines());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(Path::new(GOLDEN).parent().unwrap()).unwrap();
        std::fs::write(GOLDEN, sealed_bytes(&active)).unwrap();
    }
    let sealed = Sealed::open(Path::new(GOLDEN)).unwrap();
    let watch = Watch::unlimited();
    assert_eq!(sealed.verify(&watch).unwrap().documents, 400);
    assert_eq!(sealed.first_sequence(), 5000);
    for (read, written) in documents(&sealed).iter().zip(documents(&*active.view())) {
        assert_eq!(show(read), show(&written));
        assert_eq!((read.received_us, read.event), (written.received_us, written.event));
    }
    let count = |pattern| sealed.words(&pattern, &watch).unwrap().count();
    assert_eq!(count(Pattern::Exact("failed".into())), 399);
    assert_eq!(count(Pattern::Exact("user3".into())), 37);
    assert_eq!(count(Pattern::Exact("10.0.2.17".into())), 0);
    assert_eq!(count(Pattern::Exact("changed".into())), 1);
    let values =
        |column, text: &str| sealed.values(&column, &Pattern::Exact(text.into()), &watch).unwrap().count();
    assert_eq!(values(Column::Host, "web-1"), 134);
    assert_eq!(values(Column::Named("port".into()), "360"), 1);
    assert_eq!(values(Column::Tags, "mine"), 1);
}
