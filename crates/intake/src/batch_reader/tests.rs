//! One reader: datagrams and streams as batches, and the effect of a reload.

use super::*;
use crate::{
    SourceOptions,
    options::DatagramListener,
    source::SourceDriver,
    testing::{here, source_options},
};
use message::{Intake, WriteBudget};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use transport::{Registry, testing::Collected};
use wire::{CharacterSet, Framing, MultiLine, Oversize};

fn settings(driver: SourceDriver, options: SourceOptions, intake: Arc<dyn Intake>) -> Settings {
    Settings {
        id: "s#0".to_owned(),
        component: "udp".to_owned(),
        driver,
        options: Arc::new(options),
        intake,
        counters: Registry::default().register("src.udp", "s#0", ""),
    }
}

/// A reader and what it has forwarded.
struct Setup {
    cell: Arc<SettingsCell>,
    reader: BatchReader,
    collected: Arc<Collected>,
}

impl Setup {
    fn new(options: SourceOptions) -> Setup {
        let collected = Collected::new();
        let cell = SettingsCell::new(settings(SourceDriver::Stdin, options, collected.clone()));
        Setup { reader: BatchReader::new(&cell), cell, collected }
    }

    /// Changes the options; returns true if the reader adopted them.
    fn reload(&mut self, options: SourceOptions) -> bool {
        self.cell.replace(settings(SourceDriver::Stdin, options, self.collected.clone()));
        self.reader.refresh()
    }

    fn forward(&mut self, bytes: &[u8]) {
        self.reader.forward(Arc::new(bytes.to_vec()), &Arc::default(), None);
    }

    /// Takes the bytes of a stream, whose last message may be incomplete.
    fn stream(&mut self, bytes: &[u8]) {
        let done = self.reader.split(bytes);
        self.forward(bytes);
        self.reader.finish(&bytes[done..]);
        self.forward(&bytes[done..]);
    }

    /// Reads bytes of a stream through the conversion.
    fn read(&mut self, raw: &[u8]) -> String {
        let mut bytes = Vec::new();
        let append = |buffer: &mut Vec<u8>| {
            buffer.extend_from_slice(raw);
            Ok(raw.len())
        };
        assert_eq!(self.reader.read(&mut bytes, append).unwrap(), raw.len());
        String::from_utf8(bytes).unwrap()
    }

    fn count(&self, counter: impl Fn(&transport::Counters) -> &AtomicU64) -> u64 {
        counter(&self.reader.settings().counters).load(Ordering::Relaxed)
    }

    /// Shows the messages as they were received.
    fn shown(&self) -> String {
        let show = |batch: &Batch, message: &Message| {
            let text = String::from_utf8_lossy(batch.bytes(message.raw)).into_owned();
            text + if message.marks.has(Mark::Truncated) { " cut" } else { "" }
        };
        let all = |batches: &[Batch]| -> Vec<String> {
            batches
                .iter()
                .flat_map(|batch| batch.messages.iter().map(|message| show(batch, message)))
                .collect()
        };
        self.collected.batches(all).join("|")
    }
}

/// Options for messages of at most 20 bytes.
fn small() -> SourceOptions {
    SourceOptions { message_bytes_max: 20, ..source_options() }
}

#[track_caller]
fn check(datagram: &[u8], cut: bool, want: &str) {
    let mut setup = Setup::new(small());
    setup.reader.add_datagram(datagram, 0..datagram.len(), cut.then_some(Mark::Truncated));
    setup.forward(datagram);
    assert_eq!(setup.shown(), want);
    assert_eq!(setup.count(|counters| &counters.frame_errors), u64::from(want.ends_with(" cut")));
    assert_eq!(setup.count(|counters| &counters.processed), u64::from(!want.is_empty()));
}

#[test]
fn datagrams() {
    check(b"<13>su: a", false, "<13>su: a");
    check(b"<13>su: a\r\n\0", false, "<13>su: a");
    check(b"<13>su: a\nb\n", false, "<13>su: a\nb");
    check(b"\n\n", false, "");
    check(b"<13>su: 0123456789ab", false, "<13>su: 0123456789ab");
    check(b"<13>su: 0123456789abcdef", false, "<13>su: 0123456789ab cut");
    check(b"<13>su: a", true, "<13>su: a cut");
}

#[test]
fn empty_datagrams_are_messages_when_they_are_kept() {
    let mut setup = Setup::new(SourceOptions { keeps_empty_lines: true, ..small() });
    setup.reader.add_datagram(b"\n", 0..1, None);
    assert_eq!(setup.reader.frames(), 1);
}

/// Checks how a stream is split after a reload that changes one thing.
#[track_caller]
fn check_reload(change: impl Fn(&mut SourceOptions), bytes: &[u8], want: &str) {
    let mut setup = Setup::new(small());
    let mut options = small();
    change(&mut options);
    assert!(setup.reload(options));
    assert!(!setup.reader.refresh(), "taken over once");
    setup.stream(bytes);
    assert_eq!(setup.shown(), want);
}

#[test]
fn a_reload_changes_how_a_stream_is_split() {
    let long = [b'x'; 25];
    let x = |count| "x".repeat(count);
    check_reload(|_| {}, b"a\nb\n", "a|b");
    check_reload(|options| options.framing = Framing::Nul, b"a\nb\0c\0", "a\nb|c");
    check_reload(|_| {}, &long, &format!("{} cut|{}", x(20), x(5)));
    check_reload(|options| options.message_bytes_max = 25, &long, &x(25));
    check_reload(|options| options.oversize = Oversize::Cut, &long, &format!("{} cut", x(20)));
    let indented = Some(Arc::new(MultiLine::Indented));
    check_reload(|options| options.multi_line = indented.clone(), b"a\n b\nc\n d\n", "a\n b|c\n d");
    check_reload(|options| options.keeps_empty_lines = true, b"a\n\nb\n", "a||b");
}

#[test]
fn a_reload_of_other_options_forgets_nothing_of_a_stream() {
    let cutting = || SourceOptions { oversize: Oversize::Cut, ..small() };
    let mut setup = Setup::new(cutting());
    let begun = setup.reader.split(&[b'x'; 25]);
    setup.forward(&[b'x'; 25]);
    assert_eq!(begun, 25);
    assert!(setup.reload(SourceOptions { tags: vec!["new".to_owned()], ..cutting() }));
    // The rest of the long message is still skipped.
    setup.stream(b"xxx\nb\n");
    assert_eq!(setup.shown(), format!("{} cut|b", "x".repeat(20)));
}

fn encoded(name: &str) -> SourceOptions {
    SourceOptions { encoding: CharacterSet::from_name(name), ..small() }
}

#[test]
fn a_reload_changes_the_character_set() {
    let mut setup = Setup::new(small());
    assert_eq!(setup.read(b"a"), "a");
    setup.reload(encoded("latin1"));
    assert_eq!(setup.read(b"\xe1"), "á");
    setup.reload(encoded("latin2"));
    assert_eq!(setup.read(b"\xf5"), "ő");
    // Half a character survives when the character set stays the same.
    setup.reload(encoded("UTF-16LE"));
    assert_eq!(setup.read(&[0x51]), "");
    setup.reload(SourceOptions { tags: vec!["new".to_owned()], ..encoded("UTF-16LE") });
    assert_eq!(setup.read(&[0x01]), "ő");
}

#[test]
fn a_byte_order_mark_only_counts_at_the_start_of_a_file() {
    let mut setup = Setup::new(SourceOptions { oversize: Oversize::Cut, ..encoded("UTF-16LE") });
    for (offset, want) in [(0, "a"), (2, "\u{feff}a"), (0, "a")] {
        setup.reader.restart(offset);
        assert_eq!(setup.read(b"\xff\xfea\0"), want, "{offset}");
    }
    // The rest of a long message is forgotten as well.
    setup.reader.split(&[b'x'; 25]);
    setup.forward(&[b'x'; 25]);
    setup.reader.restart(0);
    setup.stream(b"b\n");
    assert!(setup.shown().ends_with("|b"), "{}", setup.shown());
}

#[test]
fn the_rest_of_a_read_is_counted_in_the_bytes_of_its_file() {
    let mut setup = Setup::new(small());
    assert_eq!(setup.reader.raw_size(b"rest"), Some(4));
    setup.reload(encoded("UTF-16LE"));
    setup.read(b"a\0b\0");
    assert_eq!(setup.reader.raw_size(b"b"), Some(2));
    assert_eq!(setup.reader.raw_size(b"c"), None);
}

#[test]
fn the_largest_message_fits_a_read() {
    for max in [20, buffer::READ_BYTES, 1 << 20] {
        let setup = Setup::new(SourceOptions { message_bytes_max: max, ..source_options() });
        let size = setup.reader.read_bytes();
        // With the count before it.
        assert!(
            size >= buffer::READ_BYTES && size >= max + 8 && size < buffer::READ_BYTES + 2 * max,
            "{size}"
        );
    }
    // When many connections send at once, each of them reads little.
    let setup = Setup::new(small());
    let held = setup.reader.window.acquire(1, 64 << 20, None);
    assert_eq!(setup.reader.read_bytes(), buffer::SMALL_READ_BYTES);
    drop(held);
    assert_eq!(setup.reader.read_bytes(), buffer::READ_BYTES);
}

#[test]
fn only_joined_lines_wait_for_more() {
    let limit = Some(Duration::from_secs(3));
    let joined = Some(Arc::new(MultiLine::Indented));
    for (multi_line, multi_line_timeout, want) in
        [(None, limit, None), (joined.clone(), limit, limit), (joined, None, None)]
    {
        let setup = Setup::new(SourceOptions { multi_line, multi_line_timeout, ..small() });
        assert_eq!(setup.reader.patience(), want);
    }
}

#[test]
fn messages_of_several_peers_share_a_batch() {
    let mut setup = Setup::new(small());
    let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|name| {
        let origin = Origin { host_from: name.to_owned(), ..Origin::default() };
        Arc::new(origin)
    });
    let bytes = b"abcd";
    (0..4).for_each(|at| setup.reader.add_datagram(bytes, at..at + 1, None));
    let run = |frames, origin: &Arc<Origin>| Run { frames, origin: origin.clone() };
    let runs = [run(1, &one), run(3, &other), run(4, &one)];
    setup.reader.forward_runs(Arc::new(bytes.to_vec()), &runs, None);
    assert_eq!(setup.collected.wait(4), ["192.0.2.1|a|", "192.0.2.2|b|", "192.0.2.2|c|", "192.0.2.1|d|"]);
    setup.collected.batches(|batches| {
        assert_eq!((batches.len(), batches[0].origins.len()), (1, 2));
        let of = |index| batches[0].origin(index).host_from.as_str();
        assert_eq!([of(0), of(1), of(2), of(3)], ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.1"]);
    });
    assert_eq!(setup.count(|counters| &counters.processed), 4);
    // Each of them has the appended host.
    assert!(setup.count(|counters| &counters.bytes) >= 4 + 2 * 9);
}

#[test]
fn a_first_batch_is_reported_once() {
    let mut setup = Setup::new(small());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    setup.reader.at_first_batch(Box::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    setup.stream(b"");
    assert_eq!(calls.load(Ordering::Relaxed), 0, "there was nothing to forward");
    setup.stream(b"a\n");
    setup.stream(b"b\n");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn messages_that_are_decoded_elsewhere_are_cut_at_the_limit() {
    let mut setup = Setup::new(small());
    let origin = Arc::new(Origin { host_from: "hop".to_owned(), ..Origin::default() });
    let bytes: Vec<u8> = [&[b'a'; 20][..], &[b'b'; 21]].concat();
    let mut batch = setup.reader.batch(Arc::new(bytes), &origin);
    for span in [Span::received(0, 20), Span::received(20, 21)] {
        let mut message = Message::default();
        message.text = span;
        batch.messages.push(message);
    }
    setup.reader.forward_decoded(batch, &origin, None);
    let (a, b) = ("a".repeat(20), "b".repeat(20));
    assert_eq!(setup.collected.wait(2), [format!("hop||{a}"), format!("hop||{b}")]);
    setup.collected.batches(|batches| {
        let cut: Vec<bool> = batches[0].messages.iter().map(|of| of.marks.has(Mark::Truncated)).collect();
        assert_eq!(cut, [false, true]);
    });
}

/// Checks how many of some frames count as odd.
#[track_caller]
fn check_odd(form: Form, datagrams: &[&[u8]], odd: u64) {
    let mut setup = Setup::new(SourceOptions { form, ..source_options() });
    let bytes = datagrams.concat();
    let mut at = 0;
    for datagram in datagrams {
        setup.reader.add_datagram(&bytes, at..at + datagram.len(), None);
        at += datagram.len();
    }
    setup.forward(&bytes);
    assert_eq!(setup.count(|counters| &counters.frame_errors), odd, "{datagrams:?}");
}

#[test]
fn frames_that_are_not_of_their_form_are_counted() {
    let accounting = [&[3, 3][..], &[1; 62]].concat();
    check_odd(Form::Accounting, &[&accounting], 0);
    check_odd(Form::Accounting, &[b"short", &accounting, b"none"], 2);
    check_odd(Form::Gelf, &[b"{\"short_message\":\"a\"}"], 0);
    check_odd(Form::Gelf, &[b"{\"short_message\":\"a\"}", b"{", b"{}"], 1);
    check_odd(Form::Syslog, &[b"{", b"short"], 0);
}

/// An intake that records whether the last batch could be written on the reader's thread.
#[derive(Default)]
struct Budgets(AtomicBool);

impl Intake for Budgets {
    fn take(&self, _batch: Batch, budget: &WriteBudget) {
        let long_ago = Instant::now() - Duration::from_secs(1);
        self.0.store(budget.allows(|| long_ago), Ordering::Relaxed);
    }
}

#[test]
fn a_busy_reader_that_can_be_held_back_lets_destinations_write() {
    let datagrams = || SourceDriver::Datagram(DatagramListener::new(here(1)));
    for (driver, disabled, want) in
        [(SourceDriver::Stdin, false, true), (SourceDriver::Stdin, true, false), (datagrams(), false, false)]
    {
        let budgets = Arc::new(Budgets::default());
        let cell = SettingsCell::new(settings(driver, source_options(), budgets.clone()));
        let mut reader = BatchReader::new(&cell);
        if disabled {
            reader.disable_inline_writes();
        }
        for _ in 0..100 {
            reader.add_datagram(b"a", 0..1, None);
            reader.forward(Arc::new(b"a".to_vec()), &Arc::default(), None);
        }
        assert_eq!(budgets.0.load(Ordering::Relaxed), want);
    }
}
