//! A bulk server that leaves in the middle of requests and answers: nothing is lost, and only that comes twice of which
//! the sender cannot know whether it was stored.

use super::{Setup, eventually, read, target};
use std::{
    io::{BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

/// A point at which the server leaves.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// After so many bytes of a request.
    Request(usize),
    /// After so many bytes of an answer, whose request is stored.
    Answer(usize),
}

/// The answer to two messages.
const ITEMS: &str = r#"{"errors":false,"items":[{"index":{"status":201}},{"index":{"status":201}}]}"#;

#[derive(Default)]
struct State {
    /// Of the next request.
    cut: Option<Cut>,
    /// Bodies, in the order of their storing.
    stored: Vec<String>,
    request_bytes: usize,
}

fn answer() -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{ITEMS}", ITEMS.len())
}

/// Serves a connection until its end, or until a cut.
fn serve(mut stream: BufReader<TcpStream>, state: &Mutex<State>) {
    loop {
        let mut first = [0];
        if !matches!(stream.get_ref().peek(&mut first), Ok(1)) {
            return;
        }
        let cut = state.lock().unwrap().cut.take();
        if let Some(Cut::Request(size)) = cut {
            let _ = stream.read_exact(&mut vec![0; size]);
            return;
        }
        let Some((line, headers, body)) = read(&mut stream) else { return };
        let mut state = state.lock().unwrap();
        state.request_bytes = line.len() + 2 + headers.len() + 2 + body.len();
        state.stored.push(String::from_utf8(body).unwrap());
        drop(state);
        let answer = answer();
        let size = if let Some(Cut::Answer(size)) = cut { size } else { answer.len() };
        stream.get_mut().write_all(&answer.as_bytes()[..size]).unwrap();
        if cut.is_some() {
            return;
        }
    }
}

#[test]
fn a_cut_after_any_byte_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = target(&[format!("http://{}/_bulk", listener.local_addr().unwrap())]);
    (target.batches.lines, target.body_suffix) = (2, "\n".to_owned());
    let state = Arc::<Mutex<State>>::default();
    let served = state.clone();
    std::thread::spawn(move || {
        listener.incoming().for_each(|stream| serve(BufReader::new(stream.unwrap()), &served));
    });
    let setup = Setup::new(target);
    let mut number = 0;
    let mut check = |cut: Option<Cut>, stored: usize| {
        number += 1;
        state.lock().unwrap().cut = cut;
        setup.send(&[&format!("h|a{number:04}"), &format!("h|b{number:04}")]);
        eventually("written", || setup.counts() == (2 * number, 0, 0));
        let bodies = std::mem::take(&mut state.lock().unwrap().stored);
        assert_eq!(bodies, vec![format!("a{number:04},b{number:04}\n"); stored], "{cut:?}");
    };
    check(None, 1);
    let request_bytes = state.lock().unwrap().request_bytes;
    (0..request_bytes).for_each(|size| check(Some(Cut::Request(size)), 1));
    (0..answer().len()).for_each(|size| check(Some(Cut::Answer(size)), 2));
    check(None, 1);
}
