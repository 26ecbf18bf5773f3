//! Rows for turns.

use super::*;

/// Turns with searches of users that have begun; their numbers follow the order of the names.
fn turns(users: &[&str]) -> Turns<usize> {
    let mut turns = Turns::new(2);
    users.iter().enumerate().for_each(|(number, user)| turns.push(user, number).unwrap());
    turns
}

fn begin<W>(turns: &mut Turns<W>) -> Vec<u64> {
    std::iter::from_fn(|| turns.start().map(|start| start.id)).collect()
}

fn going(turns: &Turns<usize>) -> Vec<u64> {
    let going = turns.begun.iter().filter(|(_, begun)| begun.is_long && !begun.is_held.load(Relaxed));
    going.map(|(id, _)| *id).collect()
}

#[test]
fn m7_a_user_with_many_searches_leaves_places_for_others() {
    let mut turns = turns(&["eva"; 48]);
    assert_eq!((turns.startable(), begin(&mut turns).len()), (6, 6));
    turns.push("bob", 99).unwrap();
    assert_eq!(turns.start().map(|start| start.work), Some(99), "at once, before 42 others");
    assert!(turns.start().is_none());
}

#[test]
fn m7_a_short_search_overtakes_long_ones() {
    let mut turns = turns(&["eva"; 48]);
    // A search that has used up its slice frees its slot for the next one, even of the same user.
    let mut begun = 0;
    loop {
        let ids = begin(&mut turns);
        if ids.is_empty() {
            break;
        }
        begun += ids.len();
        ids.into_iter().for_each(|id| turns.is_long(id));
    }
    assert_eq!(begun, BEGUN_PER_USER_MAX);
    assert_eq!(going(&turns), [0, 1, 2, 3, 4, 5], "the oldest go on");
    turns.push("bob", 99).unwrap();
    let short = turns.start().unwrap();
    assert_eq!((short.work, going(&turns)), (99, vec![0]), "one long search goes on beside a short one");
    turns.end(short.id);
    assert_eq!(going(&turns).len(), LONG_MAX);
}

#[test]
fn m7_long_searches_share_by_user() {
    let mut turns = turns(&["eva"; 10]);
    for _ in 0..2 {
        begin(&mut turns).into_iter().for_each(|id| turns.is_long(id));
    }
    turns.push("bob", 99).unwrap();
    let own = turns.start().unwrap().id;
    turns.is_long(own);
    assert_eq!(going(&turns), [0, 1, 2, 3, 4, own], "bob's first comes before eva's sixth");
    // A search that waits for memory lets those run that hold it.
    turns.is_blocked(0);
    assert_eq!(going(&turns).into_iter().filter(|id| *id != 0).count(), LONG_MAX);
    turns.is_unblocked(0);
    assert_eq!(going(&turns).len(), LONG_MAX);
}

#[test]
fn m7_a_search_that_ended_is_not_held() {
    let mut turns = turns(&["eva"; LONG_MAX + 2]);
    let mut begun = Vec::new();
    while let Some(start) = turns.start() {
        turns.is_long(start.id);
        begun.push(start);
    }
    let (last, before) = (&begun[LONG_MAX + 1], &begun[LONG_MAX]);
    assert!(last.is_held.load(Relaxed) && before.is_held.load(Relaxed));
    // It was finishing when it was to be paused.
    turns.end(last.id);
    assert!(!last.is_held.load(Relaxed) && before.is_held.load(Relaxed));
}

#[test]
fn half_of_the_cores_are_for_long_searches_while_short_ones_begin() {
    for (cores, want) in [(1, 1), (2, 1), (4, 2), (6, 3), (8, 4), (64, LONG_MAX)] {
        let mut turns: Turns<usize> = Turns::new(cores);
        for number in 0..LONG_MAX + 1 {
            turns.push(&format!("user {number}"), number).unwrap();
            let id = turns.start().unwrap().id;
            turns.is_long(id);
        }
        assert_eq!(going(&turns).len(), LONG_MAX);
        turns.push("bob", 99).unwrap();
        let short = turns.start().unwrap();
        assert_eq!(going(&turns).len(), want, "{cores}");
        assert_eq!(short.running, going(&turns).len() + 1, "the others are held");
    }
}

#[test]
fn as_many_begin_as_there_may_be() {
    let mut turns: Turns<usize> = Turns::new(2);
    for number in 0..BEGUN_MAX + 1 {
        turns.push(&format!("user {number}"), number).unwrap();
        if let Some(start) = turns.start() {
            turns.is_long(start.id);
        }
    }
    assert_eq!((turns.begun.len(), turns.startable()), (BEGUN_MAX, 0));
    turns.end(0);
    assert_eq!(turns.startable(), 1);
    assert!(turns.start().is_some() && turns.start().is_none());
}

#[test]
fn too_many_are_refused() {
    let mut turns = turns(&[]);
    (0..QUEUED_PER_USER_MAX).for_each(|number| turns.push("eva", number).unwrap());
    assert_eq!((turns.push("eva", 9), turns.push("bob", 9)), (Err(9), Ok(())));
}
