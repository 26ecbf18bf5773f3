//! Records through a socket that returns one for each read, as the device does.

use super::*;
use crate::{
    options::SourceOptions,
    source::{SettingsCell, SourceDriver},
    testing::source_options,
};
use std::{
    io::{Seek, Write},
    os::{fd::OwnedFd, unix::net::UnixDatagram},
};
use tokio::sync::watch;
use transport::{InternalLog, Registry, testing::Collected};

struct Setup {
    here: Local,
    stop: watch::Sender<bool>,
    collected: Arc<Collected>,
}

fn setup(options: SourceOptions, position: Option<&str>) -> Setup {
    let (log, collected) = (InternalLog::new("test", None), Collected::new());
    let positions = Positions::open(None, &log).unwrap();
    position.iter().for_each(|text| positions.set(POSITION, (*text).to_owned()));
    let cell = SettingsCell::new(Settings {
        id: "s#0".to_owned(),
        component: "kmsg".to_owned(),
        driver: SourceDriver::System { with_kernel: true },
        options: Arc::new(options),
        intake: collected.clone(),
        counters: Registry::default().register("src.kmsg", "s#0", ""),
    });
    let (stop, stopped) = watch::channel(false);
    Setup { here: Local { cell, log, positions, stop: stopped }, stop, collected }
}

/// Reads records until `count` messages have arrived; returns their texts and the stored position.
fn read_all(setup: &mut Setup, records: &[&str], count: usize) -> (Vec<String>, Option<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (near, far) = UnixDatagram::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let device = sys::readiness(File::from(OwnedFd::from(near))).unwrap();
        for record in records {
            far.send(record.as_bytes()).unwrap();
        }
        let source = FileSource {
            path: PathBuf::from(DEVICE),
            poll_every: Duration::ZERO,
            from_start: true,
            persist_name: None,
        };
        let (collected, stop) = (&setup.collected, &setup.stop);
        let until_all_came = async {
            while collected.count() < count {
                tokio::task::yield_now().await;
            }
            stop.send(true).unwrap();
        };
        let (read, ()) = tokio::join!(read(&mut setup.here, &device, &source), until_all_came);
        read.unwrap();
    });
    let texts = setup.collected.wait(count);
    let texts = texts.iter().map(|line| line.rsplit('|').next().unwrap().to_owned()).collect();
    (texts, setup.here.positions.position(POSITION))
}

#[test]
fn records_are_taken_once_a_boot() {
    let records = ["6,7,1000,-;seven", "4,8,2000,-;eight\n SUBSYSTEM=usb\n", "6,9,3000,-;nine"];
    let number = |number: u64| Some(format!("{} {number}", boot()));
    for (position, want) in [
        (None, &["seven", "eight", "nine"][..]),
        (number(7), &["eight", "nine"]),
        (number(8), &["nine"]),
        (Some("another-boot 8".to_owned()), &["seven", "eight", "nine"]),
    ] {
        let mut setup = setup(source_options(), position.as_deref());
        let (texts, after) = read_all(&mut setup, &records, want.len());
        assert_eq!(
            (texts.as_slice(), after),
            (&want.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()[..], number(9)),
            "{position:?}"
        );
    }
}

#[test]
fn unreadable_records_are_messages_as_well() {
    let mut setup = setup(source_options(), None);
    let (texts, position) = read_all(&mut setup, &["no record", "6,5,0,-;five"], 2);
    assert_eq!(texts, ["no record", "five"]);
    assert_eq!(position, Some(format!("{} 5", boot())));
    let mut nothing = self::setup(source_options(), None);
    assert_eq!(read_all(&mut nothing, &["no record"], 1), (vec!["no record".to_owned()], None));
}

#[test]
fn the_time_is_that_of_the_record_when_asked() {
    for keep_timestamp in [true, false] {
        let mut options = source_options();
        options.decode.keep_timestamp = keep_timestamp;
        let mut setup = setup(options, None);
        read_all(&mut setup, &["6,1,1000000,-;x"], 1);
        let (event, received) =
            setup.collected.batches(|batches| (batches[0].messages[0].event, batches[0].received));
        if keep_timestamp {
            // The kernel has counted for longer than the second of the record.
            assert!(event.unix_us < received.unix_us, "{event:?} {received:?}");
        } else {
            assert_eq!(event, received);
        }
    }
}

#[test]
fn stored_numbers_are_those_of_this_boot() {
    for (text, want) in
        [("b 7", Some(7)), ("a 7", None), ("b x", None), ("b", None), ("", None), ("b 7 8", None)]
    {
        let setup = setup(source_options(), Some(text));
        assert_eq!(stored(&setup.here.positions, "b"), want, "{text}");
    }
    assert_eq!(stored(&setup(source_options(), None).here.positions, "b"), None);
}

#[test]
fn the_kernel_began_to_count_at_its_boot() {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    assert_eq!(boot(), id.trim());
    let uptime = || -> f64 {
        let text = fs::read_to_string("/proc/uptime").unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    let now = 1_800_000_000_000_000;
    let (before, began, after) = (uptime(), boot_us(now).unwrap(), uptime());
    let ago = (now - began) as f64 / 1e6;
    assert!(before - 0.01 <= ago && ago <= after + 0.01, "{before} {ago} {after}");
}

#[test]
fn the_device_is_asked_for_without_waiting() {
    assert_eq!(has_kernel_records(), File::open(DEVICE).is_ok());
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"old records").unwrap();
    file.rewind().unwrap();
    skip_all(&file).unwrap();
    assert_eq!(file.stream_position().unwrap(), 11);
}
