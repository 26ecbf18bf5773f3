//! Times the journal path and the whole logspace.
//!
//! In: `journal|logspace DIR [millions]`. Out: messages per second, CPU and bytes per message.
//! Made-up lines of about 190 bytes in batches of 256 KiB, as a busy TCP source produces them.
#![allow(clippy::print_stdout)]

use journal::{Durability, Journal, OsDisk};
use logspace::{Logspace, LogspaceOptions, Notice, Notices};
use message::{
    Ack, AckSink, Batch, Delivery, Message, Origin, Outcome, Outlet, Priority, Selection, Span, Stamp,
    WriteBudget, codec,
};
use std::{
    path::Path,
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

const BATCH_BYTES: usize = 256 << 10;

/// Number of different batches; more would need more memory than a test machine may have.
const BATCHES: u64 = 400;

/// Most bytes in flight: what the windows of a few sources allow.
const WINDOW_BYTES: usize = 4 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, dir, rest @ ..] = arguments.as_slice() else {
        println!("usage: logspace_bench journal|logspace DIR [millions]");
        return;
    };
    let millions = rest.first().and_then(|text| text.parse().ok()).unwrap_or(3.0_f64);
    let count = (millions * 1e6) as u64;
    match mode.as_str() {
        "journal" => time_journal(Path::new(dir), count),
        _ => time_logspace(Path::new(dir), count),
    }
}

/// Returns a batch of lines that differs for each seed.
fn batch(seed: u64, received_us: i64) -> Batch {
    let (mut text, mut messages) = (Vec::with_capacity(BATCH_BYTES), Vec::new());
    let mut number = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while text.len() + 256 < BATCH_BYTES {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (user, port, host) = (number >> 52, number >> 40 & 0xffff, number >> 60);
        let start = text.len();
        let (pid, session, address) = (number >> 48, number >> 32, number >> 56);
        let head = format!("<38>Oct 11 22:14:15 host{host} ");
        let tag = format!("sshd[{pid}]: ");
        let body = format!(
            "Accepted publickey for user{user} from 192.168.{address}.17 port {port} ssh2: session {session:08x} opened by \
             policy default-remote, idle limit 3600 s, forwarding disabled"
        );
        text.extend_from_slice(format!("{head}{tag}{body}").as_bytes());
        let raw = Span::received(start, text.len() - start);
        let mut message = Message::default();
        message.raw = raw;
        message.host = raw.part(20, head.len() - 1);
        message.program = raw.part(head.len(), head.len() + 4);
        message.pid = raw.part(head.len() + 5, head.len() + tag.len() - 3);
        message.msghdr = raw.part(head.len(), head.len() + tag.len());
        message.text = raw.part(head.len() + tag.len(), raw.len());
        message.event = Stamp::known(received_us / 1_000_000 * 1_000_000, 0);
        message.pri = Priority(38);
        messages.push(message);
        text.push(b'\n');
    }
    let origin = Origin { source: "s_net".into(), host_from: "relay".into(), ..Origin::default() };
    let mut batch =
        Batch::new(Arc::new(text), vec![Arc::new(origin)], Stamp::known(received_us, 0), Ack::none());
    batch.messages = messages;
    batch
}

fn batches(received_us: i64) -> Vec<Arc<Batch>> {
    (0..BATCHES).map(|seed| Arc::new(batch(seed, received_us))).collect()
}

fn time_journal(dir: &Path, count: u64) {
    let batches = batches(0);
    for durability in [Durability::System, Durability::Device] {
        let dir = dir.join(format!("{durability:?}"));
        let options = journal::Options { durability, ..journal::Options::default() };
        let opened = Journal::open(Arc::new(OsDisk), &dir, options);
        let Ok((mut journal, _)) = opened else { return println!("cannot open {}", dir.display()) };
        let (start, cpu) = (Instant::now(), cpu_time());
        let (mut done, mut encoding) = (0, Duration::ZERO);
        for batch in batches.iter().cycle() {
            let selection = Selection::all(batch.len());
            let before = Instant::now();
            let encode = &mut |out: &mut Vec<u8>| codec::encode(batch, &selection, out);
            if journal.append(batch.len() as u32, encode).is_err() {
                return println!("record too large");
            }
            encoding += before.elapsed();
            done += batch.len() as u64;
            if journal.staged_bytes() > WINDOW_BYTES || done >= count {
                // The journal releases what is sealed: about a million messages remain.
                let needed = done.saturating_sub(1_000_000);
                if journal.commit().is_err() || journal.release(needed).is_err() {
                    return println!("cannot commit");
                }
            }
            if done >= count {
                break;
            }
        }
        print_rate(&format!("journal, {durability:?}"), done, start, cpu, journal.file_bytes());
        println!("  encode and checksum {:.0} ns a message", encoding.as_nanos() as f64 / done as f64);
        let (start, cpu) = (Instant::now(), cpu_time());
        let (mut reader, mut read) = (journal.reader(count.saturating_sub(1_000_000)), 0);
        while let Ok(journal::Read::Record(record)) = reader.read() {
            read += codec::decode(record.payload).map_or(0, |batch| batch.len() as u64);
        }
        print_rate("  read and decode", read, start, cpu, 0);
    }
}

/// Counts bytes in flight, as the windows of sources do.
#[derive(Default)]
struct Window {
    bytes: Mutex<usize>,
    freed: Condvar,
}

struct Held(Arc<Window>, usize);

impl AckSink for Held {
    fn acknowledge(&self, _outcome: Outcome) {
        if let Ok(mut bytes) = self.0.bytes.lock() {
            *bytes -= self.1;
        }
        self.0.freed.notify_all();
    }
}

impl Window {
    fn wait_below(&self, limit: usize, more: usize) {
        let Ok(mut bytes) = self.bytes.lock() else { return };
        while *bytes > limit {
            match self.freed.wait(bytes) {
                Ok(again) => bytes = again,
                Err(_) => return,
            }
        }
        *bytes += more;
    }
}

struct Told;

impl Notices for Told {
    fn notice(&self, notice: Notice) {
        println!("  {notice}");
    }
}

fn time_logspace(dir: &Path, count: u64) {
    let now_us = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64);
    let batches = batches(now_us);
    let open = || Logspace::open(dir, LogspaceOptions::default(), Arc::new(Told));
    let Ok(logspace) = open() else { return println!("cannot open {}", dir.display()) };
    let first = logspace.snapshot().sequence;
    let window = Arc::new(Window::default());
    let (start, cpu) = (Instant::now(), cpu_time());
    let mut done = 0;
    for batch in batches.iter().cycle() {
        let size = batch.received_bytes.len();
        window.wait_below(WINDOW_BYTES, size);
        let ack = Ack::new(Box::new(Held(Arc::clone(&window), size)));
        let selection = Selection::all(batch.len());
        let delivery = Delivery { batch: Arc::clone(batch), selection, ack, controlled: true, first: None };
        logspace.deliver(delivery, &WriteBudget::none());
        done += batch.len() as u64;
        if done >= count {
            break;
        }
    }
    window.wait_below(0, 0);
    print_rate("logspace, acknowledged", done, start, cpu, logspace.stats().journal_written_bytes_total);
    while logspace.snapshot().sequence < first + done {
        std::thread::sleep(Duration::from_millis(1));
    }
    print_rate("logspace, searchable", done, start, cpu, 0);
    while logspace.stats().unsealed_messages >= 1_000_000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let stats = logspace.stats();
    print_rate("logspace, full segments sealed", done, start, cpu, stats.segment_bytes);
    let unsealed = stats.unsealed_messages;
    logspace.close();
    let (start, cpu) = (Instant::now(), cpu_time());
    match open() {
        Ok(_) => print_rate("open, read back", unsealed, start, cpu, 0),
        Err(error) => println!("{error}"),
    }
}

fn print_rate(what: &str, messages: u64, start: Instant, cpu_before: Duration, bytes: u64) {
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu_before);
    let rate = messages as f64 / wall.as_secs_f64();
    let cpu_us = cpu.as_secs_f64() * 1e6 / messages as f64;
    let each = bytes as f64 / messages as f64;
    println!("{what}: {messages} messages, {rate:.0}/s, {cpu_us:.3} us CPU, {each:.1} bytes a message");
}

/// CPU time of this process, in ticks of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}
