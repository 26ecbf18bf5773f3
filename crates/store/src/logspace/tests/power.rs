//! The power goes at random moments: everything acknowledged is found again, exactly once.

use super::*;

/// Several lives of one logspace; in each the power goes at some sync of the journal or the catalog.
fn check(seed: u64, recipients: Vec<crate::Recipient>) {
    let mut chance = Chance::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let mut disk = SimDisk::new();
    let small =
        LogspaceOptions { segment_messages_max: 40, journal_file_bytes_max: 2000, recipients, ..options() };
    let mut stored: Vec<u64> = Vec::new();
    for life in 0..4 {
        let open = |disk: &SimDisk| {
            let disk = Arc::new(disk.clone());
            Logspace::open_on(disk, Arc::new(Plain), dir.path(), small.clone(), Arc::new(Unheard)).unwrap()
        };
        let logspace = open(&disk);
        disk.cut_power_at_sync(chance.below(30) + 1);
        // No life delivers as many, however slow the machine is.
        let mut next = life * 1_000_000;
        let mut waiting = Vec::new();
        while logspace.stats().commits_failed_total == 0 {
            let numbers = next..next + 1 + chance.below(9);
            next = numbers.end;
            waiting.push((numbers.clone(), deliver(&logspace, batch(numbers, NEW_YEAR_US), true)));
            thread::sleep(Duration::from_micros(chance.below(300)));
        }
        logspace.close();
        for (numbers, outcome) in waiting {
            if outcome.recv_timeout(PATIENCE) == Ok(Outcome::Done) {
                stored.extend(numbers);
            }
        }
        disk = disk.after_power_cut(&mut chance);
        let logspace = open(&disk);
        let mut there: Vec<u64> = found(&logspace)
            .iter()
            .map(|(_, text)| text[1..text.find(' ').unwrap()].parse().unwrap())
            .collect();
        there.sort_unstable();
        let count = there.len();
        there.dedup();
        assert_eq!(there.len(), count, "seed {seed} life {life}: found twice");
        let lost: Vec<&u64> = stored.iter().filter(|number| there.binary_search(number).is_err()).collect();
        assert!(lost.is_empty(), "seed {seed} life {life}: lost {lost:?}");
        logspace.close();
        check_chain(&disk, dir.path());
    }
}

/// Every record follows the one before, and what the chain says is sealed is there.
fn check_chain(disk: &SimDisk, dir: &Path) {
    let chain = crate::Chain::read(disk, dir).unwrap();
    let mut before = (0, crate::Digest::default());
    for record in chain.records() {
        assert_eq!((record.number, record.previous), before);
        before = (record.number + 1, record.digest());
    }
    assert!(chain.damages().is_empty());
    let files = layout::files_ending(dir, layout::SEGMENT_ENDING).unwrap();
    let outlines = files.iter().map(|path| Plain.outline(&dir.join(path)).unwrap());
    for outline in outlines {
        let record = outline.record.unwrap();
        assert_eq!(chain.current(outline.first), Some(&record));
    }
}

#[test]
fn what_was_acknowledged_survives_power_cuts() {
    (0..40).for_each(|seed| check(seed, Vec::new()));
}

#[test]
fn what_was_acknowledged_survives_power_cuts_when_the_journal_is_encrypted() {
    let (recipient, _) = crate::Identity::draw().unwrap();
    let recipients = vec![crate::Recipient::load(&recipient).unwrap()];
    (100..140).for_each(|seed| check(seed, recipients.clone()));
}
