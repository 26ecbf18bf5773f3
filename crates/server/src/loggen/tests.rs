//! Runs against listeners of the test.

mod connections;
mod content;

use super::*;
use crate::terminal::testing::Tape;
use clap::Parser;
use std::{
    io::Read,
    net::{TcpListener, UdpSocket},
};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn options(line: &str) -> Options {
    Line::parse_from(std::iter::once("loggen").chain(line.split_ascii_whitespace())).options
}

/// Returns the bytes that a TCP listener receives from one run.
fn received(line: &str) -> String {
    received_after(&format!("{line} -Q"))
}

/// Returns the bytes that a TCP listener receives from one run, which may print its progress.
fn received_after(line: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        text
    });
    send_all(&options(&format!("{line} 127.0.0.1 {port}"))).unwrap();
    reader.join().unwrap()
}

#[test]
fn generates_messages_of_the_size() {
    let text = received("--number 3 --size 200 --perf");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line.len() == 200 && line.starts_with("<38>")), "{text}");
    assert!(lines[2].contains("seq: 0000000002, thread: 0000,"));
}

#[test]
fn counts_octets_of_rfc5424() {
    let text = received("--number 1 --size 150 --syslog-proto --perf");
    assert!(text.starts_with("150 <38>1 "), "{text}");
    assert_eq!(text.len(), 154);
}

#[test]
fn reads_files_and_loops() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "<13>one\ntwo three\n").unwrap();
    let path = file.path().display();
    assert_eq!(received(&format!("-R {path} --perf")), "<13>one\n<38>two three\n");
    assert_eq!(received(&format!("-R {path} -d --skip-tokens 1 -l -n 4 --perf")), "\nthree\n\nthree\n");
}

#[test]
fn sends_one_datagram_a_message() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    send_all(&options(&format!("-D -Q --number 2 --perf 127.0.0.1 {port}"))).unwrap();
    let mut bytes = [0; 500];
    assert_eq!(socket.recv(&mut bytes).unwrap(), 256);
    assert_eq!(socket.recv(&mut bytes).unwrap(), 256);
}

#[test]
fn keeps_the_rate() {
    let start = Instant::now();
    let text = received("--number 20 --rate 100");
    assert_eq!(text.lines().count(), 20);
    assert!(start.elapsed() >= Duration::from_millis(190), "20 messages at 100 a second take 0.2 s");
}

#[test]
fn says_why_it_cannot_connect() {
    let error = send_all(&options("-Q -x /nowhere/socket")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/socket"), "{error}");
}

#[test]
fn progress_and_results_are_printed() {
    let printed = |line: &str| {
        let tape = Tape::default();
        tape.record(|| received_after(line));
        let printed = tape.printed();
        [printed.output, printed.errors].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    // A little longer than the interval of the progress.
    let slow = "--number 65 --rate 100";
    let [output, errors] = printed(slow);
    assert_eq!(output, "");
    let progress = errors.strip_prefix("count=").and_then(|rest| rest.split_once(',')).unwrap();
    let count: u64 = progress.0.parse().unwrap();
    assert!((40..=65).contains(&count), "after half a second: {errors}");
    let rate = progress.1.strip_prefix(" rate = ").and_then(|rest| rest.split_once(' ')).unwrap().0;
    let rate: f64 = rate.parse().unwrap();
    assert!((60.0..=130.0).contains(&rate), "{errors}");
    assert!(errors.contains("\raverage rate = "), "{errors}");
    let [output, errors] = printed("--number 3 --csv --perf");
    assert!(output.starts_with("ThreadId;Time;Rate;Count\nall;0."), "{output}");
    assert!(output.ends_with(";3\n"), "{output}");
    assert!(errors.starts_with("average rate = "), "{errors}");
}

#[test]
fn results_are_those_of_all_connections() {
    #[track_caller]
    fn check(counts: &[(u64, u64)], millis: u64, line: &str, csv: &str) {
        let (progress, elapsed) = (Progress::default(), Duration::from_millis(millis));
        counts.iter().for_each(|(messages, bytes)| progress.add(*messages, *bytes));
        assert_eq!(summary::line(&progress, elapsed), line);
        let tape = Tape::default();
        tape.record(|| summary::csv(&progress, elapsed));
        assert_eq!(String::from_utf8(tape.printed().output).unwrap(), csv);
    }
    check(
        &[(3, 3000), (5, 5192)],
        2000,
        "average rate = 4.00 msg/sec, avg_rate=4.00 msg/s, count=8, time=2.000, avg_msg_size=1024, bandwidth=4.00 KiB/s",
        "all;2.000;4.00;8\n",
    );
    check(
        &[],
        500,
        "average rate = 0.00 msg/sec, avg_rate=0.00 msg/s, count=0, time=0.500, avg_msg_size=0, bandwidth=0.00 KiB/s",
        "all;0.500;0.00;0\n",
    );
}

#[test]
fn a_run_tells_how_it_ended() {
    let tape = Tape::default();
    let ended = tape.record(|| run(&options("-Q -x /nowhere/socket")));
    assert_eq!(ended, ExitCode::FAILURE);
    let errors = String::from_utf8(tape.printed().errors).unwrap();
    assert!(errors.contains("\nloggen: cannot connect to /nowhere/socket: "), "{errors}");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let quiet = format!("-D -Q -n 1 --perf 127.0.0.1 {port}");
    assert_eq!(tape.record(|| run(&options(&quiet))), ExitCode::SUCCESS);
}
