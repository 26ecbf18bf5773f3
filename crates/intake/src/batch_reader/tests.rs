//! Rows for datagrams as frames.

use super::*;
use crate::{SourceOptions, options::SourceDriver};
use transport::{Registry, testing::Collected};

#[track_caller]
fn check(datagram: &[u8], cut: bool, want: &str) {
    let collected = Collected::new();
    let mut options = SourceOptions::new("s");
    options.message_bytes_max = 20;
    options.hosts.keep = true;
    let cell = SettingsCell::new(Settings {
        id: "s#0".to_owned(),
        component: "udp".to_owned(),
        driver: SourceDriver::Stdin,
        options: Arc::new(options),
        intake: collected.clone(),
        counters: Registry::default().register("src.udp", "s#0", ""),
    });
    let mut batch_reader = BatchReader::new(&cell);
    batch_reader.add_datagram(datagram, 0..datagram.len(), cut.then_some(Mark::Truncated));
    batch_reader.forward(Arc::new(datagram.to_vec()), &Arc::default(), None);
    let shown = collected.batches(|batches| {
        batches
            .iter()
            .map(|batch| {
                let text = String::from_utf8_lossy(batch.bytes(batch.messages[0].raw)).into_owned();
                let cut = if batch.messages[0].marks.has(Mark::Truncated) { " cut" } else { "" };
                format!("{text}{cut}")
            })
            .collect::<String>()
    });
    assert_eq!(shown, want);
}

#[test]
fn datagrams() {
    check(b"<13>su: a", false, "<13>su: a");
    check(b"<13>su: a\r\n\0", false, "<13>su: a");
    check(b"<13>su: a\nb\n", false, "<13>su: a\nb");
    check(b"\n\n", false, "");
    check(b"<13>su: 0123456789abcdef", false, "<13>su: 0123456789ab cut");
    check(b"<13>su: a", true, "<13>su: a cut");
}
