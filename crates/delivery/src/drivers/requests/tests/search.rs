//! Searches for refused rows, and what they cost.

use super::*;

/// Which row a receiver names in a request that it refuses.
#[derive(Clone, Copy, Debug)]
enum Names {
    Nothing,
    FirstRefused,
    FirstRow,
    LastRow,
}

/// Sends rows in requests of 5,000 to a receiver that refuses each request with one of some rows.
#[track_caller]
fn check_search(count: u64, is_refused: impl Fn(u64) -> bool, names: Names, sendings_max: usize) {
    let mut setup = Setup::new(5_000, None);
    setup.add("a", count);
    let (mut sendings, mut accepted, mut dead) = (0, Vec::new(), Vec::new());
    while let Some((number, _, rows)) = setup.sent(0) {
        sendings += 1;
        let refused = rows.iter().position(|row| is_refused(*row));
        let mut verdicts = vec![if refused.is_some() { SPLIT } else { DONE }; rows.len()];
        if let Some(first) = refused {
            match names {
                Names::Nothing => {}
                Names::FirstRefused => verdicts[first] = SUSPECT,
                Names::FirstRow => verdicts[0] = SUSPECT,
                Names::LastRow => verdicts[rows.len() - 1] = SUSPECT,
            }
        } else {
            accepted.extend(rows.iter().copied());
        }
        let settled = setup.judge(number, 0, &verdicts);
        assert_eq!(settled.events, []);
        dead.extend(settled.dead.iter().map(|dead| dead.row.id.sequence));
    }
    assert_eq!(setup.requests.rows(), 0);
    assert!(sendings <= sendings_max, "{sendings} requests, {names:?}");
    dead.sort_unstable();
    assert_eq!(dead, (0..count).filter(|row| is_refused(*row)).collect::<Vec<_>>());
    let in_order = accepted.is_sorted();
    assert!(in_order || matches!(names, Names::FirstRow | Names::LastRow), "{names:?}");
    accepted.sort_unstable();
    assert_eq!(accepted, (0..count).filter(|row| !is_refused(*row)).collect::<Vec<_>>());
}

#[test]
fn many_refused_rows_cost_few_requests() {
    let one_in = |every: u64| move |row: u64| row % every == every - 1;
    // Nothing is refused, and then requests are as large as they may be.
    check_search(50_000, |_| false, Names::Nothing, 10);
    // 500 of 50,000 rows, in ten requests.
    check_search(50_000, one_in(100), Names::Nothing, 4_600);
    check_search(50_000, one_in(100), Names::FirstRefused, 1_100);
    check_search(50_000, one_in(100), Names::FirstRow, 4_800);
    check_search(50_000, one_in(100), Names::LastRow, 4_800);
    check_search(10_000, one_in(2), Names::Nothing, 10_200);
    check_search(10_000, one_in(2), Names::FirstRefused, 12_600);
    // A hundred together, and none before or after.
    check_search(50_000, |row| (20_000..20_099).contains(&row), Names::Nothing, 350);
    check_search(50_000, |row| (20_000..20_099).contains(&row), Names::FirstRefused, 250);
    check_search(50_000, |row| row == 20_000, Names::Nothing, 35);
    check_search(50_000, |row| row == 20_000, Names::FirstRefused, 14);
}

#[test]
fn requests_and_rows_that_are_too_large_are_found() {
    let mut setup = Setup::new(200, None);
    setup.add("a", 1_000);
    let (mut sendings, mut delivered, mut dead) = (0, 0, Vec::new());
    while let Some((number, _, rows)) = setup.sent(0) {
        sendings += 1;
        let is_too_large = rows.len() > 60 || rows.iter().any(|row| row % 150 == 149);
        let verdict = if is_too_large { Verdict::Split(DeadReason::TooLarge) } else { DONE };
        let settled = setup.judge(number, 0, &vec![verdict; rows.len()]);
        delivered += settled.delivered;
        dead.extend(settled.dead.iter().map(|dead| dead.row.id.sequence));
    }
    assert_eq!((delivered, dead, setup.requests.rows()), (994, vec![149, 299, 449, 599, 749, 899], 0));
    assert!(sendings < 170, "{sendings} requests");
}
