//! A target that takes some bytes at a time.

use super::*;
use crate::{
    options::{PipeTarget, Rendering},
    testing::Noting,
};
use message::Ack;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};
use transport::testing::delivery;

/// The lines and the calls that a target got.
#[derive(Default)]
struct Recorded {
    written: String,
    configured: usize,
    closed: usize,
    is_open: bool,
    /// Bytes that it takes before an error.
    room: usize,
}

struct Slow(Arc<Mutex<Recorded>>);

impl Target for Slow {
    fn write(&mut self, output: &mut Output) -> io::Result<()> {
        let mut recorded = self.0.lock().unwrap();
        let size = output.rest().len().min(recorded.room).min(2);
        if size == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        recorded.room -= size;
        recorded.written += std::str::from_utf8(&output.rest()[..size]).unwrap();
        output.advance(size);
        Ok(())
    }

    fn framing(&self) -> StreamFraming {
        StreamFraming::OctetCounted
    }

    fn take_refused(&mut self) -> usize {
        3
    }

    fn configure(&mut self, _: DestinationDriver) {
        self.0.lock().unwrap().configured += 1;
    }

    fn is_open(&self) -> bool {
        self.0.lock().unwrap().is_open
    }

    fn take_cut(&mut self) -> usize {
        5
    }

    fn close(&mut self) {
        self.0.lock().unwrap().closed += 1;
    }
}

/// A target that says nothing of itself.
struct Silent;

impl Target for Silent {
    fn write(&mut self, _: &mut Output) -> io::Result<()> {
        Ok(())
    }

    fn configure(&mut self, _: DestinationDriver) {}

    fn close(&mut self) {}
}

fn setup() -> (Line<Slow>, Arc<Mutex<Recorded>>, Arc<AtomicI64>) {
    let (recorded, time) = (Arc::<Mutex<Recorded>>::default(), Arc::new(AtomicI64::new(0)));
    let rendering = Rendering { template: Box::new(Noting(time.clone())) };
    (Line::new(Slow(recorded.clone()), rendering), recorded, time)
}

fn pipe() -> DestinationDriver {
    let path = "/run/x".into();
    DestinationDriver::Pipe(PipeTarget {
        path,
        permissions: transport::FilePermissions::default(),
        folders: None,
    })
}

#[test]
fn messages_are_rendered_for_their_time_and_written_in_parts() {
    let (mut line, recorded, time) = setup();
    line.begin(Stamp::known(77, 0));
    assert_eq!(time.load(Ordering::Relaxed), 77);
    let mut sequence = 8;
    line.add(&delivery(&["h|a", "h|b"], Ack::none(), true), &mut sequence);
    assert_eq!((sequence, line.size()), (10, "2 m93 m10".len()));
    recorded.lock().unwrap().room = 6;
    assert_eq!(line.flush().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert_eq!((recorded.lock().unwrap().written.as_str(), line.size()), ("2 m93 ", 3));
    recorded.lock().unwrap().room = 100;
    line.flush().unwrap();
    assert_eq!((recorded.lock().unwrap().written.as_str(), line.size()), ("2 m93 m10", 0));
    assert_eq!((line.take_refused(), line.take_cut()), (3, 5));
}

/// Writes a message in part, does something, writes the rest: shows all that was written.
fn around(act: impl FnOnce(&mut Line<Slow>, &Mutex<Recorded>)) -> String {
    let (mut line, recorded, _) = setup();
    line.add(&delivery(&["h|a", "h|b"], Ack::none(), true), &mut 0);
    recorded.lock().unwrap().room = 6;
    assert!(line.flush().is_err());
    act(&mut line, &recorded);
    recorded.lock().unwrap().room = 100;
    line.flush().unwrap();
    recorded.lock().unwrap().written.clone()
}

#[test]
fn a_message_that_was_written_in_part_goes_on_or_comes_again() {
    let rendering = || Rendering { template: Box::new(Noting(Arc::default())) };
    assert_eq!(around(|_, _| {}), "2 m12 m2");
    assert_eq!(around(|line, _| line.reopen()), "2 m12 2 m2");
    assert_eq!(around(|line, _| line.configure(pipe(), rendering())), "2 m12 2 m2");
    let open = |line: &mut Line<Slow>, recorded: &Mutex<Recorded>| {
        recorded.lock().unwrap().is_open = true;
        line.configure(pipe(), rendering());
        let recorded = recorded.lock().unwrap();
        assert_eq!((recorded.configured, recorded.closed), (1, 0));
    };
    assert_eq!(around(open), "2 m12 m2");
    let gone = |line: &mut Line<Slow>, _: &Mutex<Recorded>| {
        assert_eq!((line.abandon(), line.abandon()), (1, 0), "one is not wholly written");
    };
    assert_eq!(around(gone), "2 m12 ");
}

#[test]
fn a_target_that_says_nothing_separates_refuses_and_cuts_nothing() {
    let mut silent = Silent;
    assert_eq!(silent.framing(), StreamFraming::Plain);
    assert_eq!((silent.take_refused(), silent.take_cut(), silent.is_open()), (0, 0, false));
}

#[test]
fn a_line_leaves_to_others_what_only_they_do() {
    let (line, ..) = setup();
    let mut line: Box<dyn Driver> = Box::new(line);
    let settled = line.take_settled();
    assert_eq!((settled.delivered, settled.dropped, settled.dead.len()), (0, 0, 0));
    assert_eq!((line.take_unwritable(), line.unsettled(), line.trouble()), (0, 0, None));
    assert!(!line.settles_rows() && !line.can_write_inline());
    assert_eq!((line.holds_until(), line.next_tick(), line.local_pause()), (None, None, None));
}
