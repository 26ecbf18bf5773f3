//! The power goes at random moments: everything acknowledged is found again, exactly once.

use super::*;

/// Several lives of one logspace; in each the power goes at some sync of the journal, the chain or the catalog, while
/// segments are sealed and recoded. Gives how often one was recoded.
fn check(seed: u64, recipients: Vec<evidence::Recipient>) -> usize {
    let mut chance = Chance::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let mut disk = SimDisk::new();
    let small = LogspaceOptions {
        segment_messages_max: 40,
        journal_file_bytes_max: 2000,
        recipients,
        recode_after: Duration::ZERO,
        recode_look: Duration::from_micros(200),
        // What fails for want of power is tried again at once, and segments are on a disk that has some: nothing may come of it.
        retry: Duration::ZERO,
        ..options()
    };
    let mut stored: Vec<u64> = Vec::new();
    let mut recoded = 0;
    for life in 0..4 {
        let open = |disk: &SimDisk| {
            Logspace::open_on(on(disk), Arc::new(Plain), dir.path(), small.clone(), Arc::new(Unheard))
                .unwrap()
        };
        let logspace = open(&disk);
        disk.cut_power_at_sync(chance.below(30) + 1);
        // No life delivers as many, however slow the machine is.
        let mut next = life * 1_000_000;
        let mut waiting = Vec::new();
        while logspace.stats().commits_failed_total == 0 {
            let numbers = next..next + 1 + chance.below(9);
            next = numbers.end;
            waiting.push((numbers.clone(), deliver(&logspace, batch(numbers, LONG_AGO_US), true)));
            let has_failed = || !disk.has_power();
            let sent = next - life * 1_000_000;
            match chance.below(4) {
                0 => {}
                1 => wait_until("recoded", || {
                    let stats = logspace.stats();
                    has_failed() || stats.segments_recoded == stats.segments
                }),
                _ => wait_until("stored", || has_failed() || logspace.stats().messages_stored_total >= sent),
            }
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
        recoded = check_chain(&disk, dir.path());
    }
    recoded
}

/// Every record follows the one before, and what the chain says is sealed is there. Gives how many recodes it knows.
fn check_chain(disk: &SimDisk, dir: &Path) -> usize {
    let chain = read_chain(disk, dir).unwrap();
    let mut before = (0, evidence::Digest::default());
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
    let is_recode = |record: &&evidence::Record| matches!(record.event, evidence::Event::Recode(_));
    chain.records().iter().filter(is_recode).count()
}

#[test]
fn what_was_acknowledged_survives_power_cuts() {
    let recoded: usize = (0..40).map(|seed| check(seed, Vec::new())).sum();
    assert!(recoded > 20, "only {recoded} segments were recoded: the test shows too little");
}

#[test]
fn what_was_acknowledged_survives_power_cuts_when_the_journal_is_encrypted() {
    let (recipient, _) = evidence::Identity::draw().unwrap();
    let recipients = vec![evidence::Recipient::load(&recipient).unwrap()];
    let recoded: usize = (100..140).map(|seed| check(seed, recipients.clone())).sum();
    assert!(recoded > 20, "only {recoded} segments were recoded: the test shows too little");
}
