//! Runs against listeners of the test.

use super::*;
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
    Line::parse_from(std::iter::once("loggen").chain(line.split(' '))).options
}

/// Returns the bytes that a TCP listener receives from one run.
fn received(line: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        text
    });
    send_all(&options(&format!("{line} -Q 127.0.0.1 {port}"))).unwrap();
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
