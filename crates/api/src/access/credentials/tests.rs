//! Passwords that are right, wrong, tried at once, remembered and changed.

use super::*;
use std::net::Ipv4Addr;
use tokio::{runtime::Runtime, task::JoinSet};

struct Bench {
    runtime: Runtime,
    credentials: Arc<Credentials>,
    accounts: Accounts,
    _folder: tempfile::TempDir,
}

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const RIGHT: &str = "a long password";

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let accounts = Accounts::at(&folder.path().join("users.json"));
        accounts.add("eva", RIGHT).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let credentials = Arc::new(Credentials::new().unwrap());
        Bench { runtime: runtime.unwrap(), credentials, accounts, _folder: folder }
    }

    /// The verdicts of checks that are all made at once.
    fn check(&self, asked: impl Iterator<Item = (String, String)>) -> Vec<Verdict> {
        self.runtime.block_on(async {
            let mut checks = JoinSet::new();
            for (name, password) in asked {
                let credentials = self.credentials.clone();
                let users = Users { accounts: self.accounts.clone(), directory: None, now_s: 0 };
                checks.spawn(async move { credentials.check(&users, HERE, &name, &password).await });
            }
            checks.join_all().await
        })
    }

    fn one(&self, name: &str, password: &str) -> Verdict {
        self.check([(name.to_owned(), password.to_owned())].into_iter()).remove(0)
    }
}

fn count(verdicts: &[Verdict], wanted: impl Fn(&Verdict) -> bool) -> usize {
    verdicts.iter().filter(|verdict| wanted(verdict)).count()
}

#[test]
fn h4_parallel_wrong_passwords_are_not_all_tried() {
    let (bench, start) = (Bench::new(), Instant::now());
    let verdicts = bench.check((0..400).map(|n| ("eva".to_owned(), format!("wrong password {n}"))));
    let tried = count(&verdicts, |verdict| *verdict == Err(Refusal::Wrong));
    // A busy machine takes seconds, and each may allow one more.
    let allowed = 5 + start.elapsed().as_secs() as usize;
    assert!((5..=allowed).contains(&tried), "{tried}");
    assert_eq!(count(&verdicts, |verdict| matches!(verdict, Err(Refusal::Wait(_)))), 400 - tried);
    assert!(bench.credentials.running().is_empty());
}

#[test]
fn h4_equal_checks_share_one_hash() {
    let bench = Bench::new();
    let right = bench.check((0..300).map(|_| ("eva".to_owned(), RIGHT.to_owned())));
    assert_eq!(count(&right, Result::is_ok), 300);
    let wrong = bench.check((0..300).map(|_| ("eva".to_owned(), "wrong password".to_owned())));
    assert_eq!(count(&wrong, Result::is_ok), 0);
    assert!(bench.credentials.running().is_empty());
}

#[test]
fn h4_a_right_password_is_remembered_until_it_changes() {
    let bench = Bench::new();
    let first = bench.one("eva", RIGHT).unwrap();
    // Without a turn nothing can be hashed.
    let turns = bench.credentials.turns.available_permits() as u32;
    let held = bench.credentials.turns.clone().try_acquire_many_owned(turns).unwrap();
    assert_eq!(bench.one("eva", RIGHT), Ok(first.clone()));
    assert_eq!(bench.one("eva", "wrong password"), Err(Refusal::Busy));
    drop(held);
    bench.accounts.set_password("eva", "another password").unwrap();
    assert_eq!(bench.one("eva", RIGHT), Err(Refusal::Wrong));
    let second = bench.one("eva", "another password").unwrap();
    assert_ne!(first, second);
    bench.accounts.remove("eva").unwrap();
    assert_eq!(bench.one("eva", "another password"), Err(Refusal::Wrong));
}

#[test]
fn h4_what_is_remembered_cannot_be_guessed() {
    let bench = Bench::new();
    assert!(bench.one("eva", RIGHT).is_ok());
    let start = Instant::now();
    for quarter in 0..20 {
        let at = start + Duration::from_secs(900 * quarter);
        bench.credentials.throttle().begin(HERE, "eva", at).unwrap();
    }
    assert!(matches!(bench.one("eva", RIGHT), Err(Refusal::Wait(_))));
}

#[test]
fn h4_who_cannot_wait_is_told_so_and_not_counted() {
    let bench = Bench::new();
    let turns = bench.credentials.turns.available_permits() as u32;
    let held = bench.credentials.turns.clone().try_acquire_many_owned(turns).unwrap();
    let places = bench.credentials.waiting.try_acquire_many(WAITING_MAX as u32).unwrap();
    for n in 0..20 {
        assert_eq!(bench.one("eva", &format!("some password {n}")), Err(Refusal::Busy));
    }
    drop((held, places));
    assert!(bench.one("eva", RIGHT).is_ok());
}

#[test]
fn m3_impossible_names_leave_nothing_behind() {
    let bench = Bench::new();
    let names = (0..10).map(|n| (format!("{n}{}", "x".repeat(1 << 20)), RIGHT.to_owned()));
    let verdicts = bench.check(names);
    assert!((5..10).contains(&count(&verdicts, |verdict| *verdict == Err(Refusal::Wrong))));
    assert!(bench.one("eva", &"x".repeat(PASSWORD_BYTES_MAX + 1)).is_err());
    assert!(bench.one("eva", RIGHT).is_ok());
    assert!(bench.credentials.verified().keys().eq(["eva"]));
}

#[test]
fn the_longest_password_is_checked_like_others() {
    let bench = Bench::new();
    let longest = "pine and oak, ".repeat(80)[..PASSWORD_BYTES_MAX].to_owned();
    bench.accounts.set_password("eva", &longest).unwrap();
    assert!(bench.one("eva", &longest).is_ok());
    assert_eq!(bench.one("eva", &longest[1..]), Err(Refusal::Wrong));
}

#[test]
fn a_damaged_file_counts_no_failures() {
    let bench = Bench::new();
    std::fs::write(bench._folder.path().join("users.json"), r#"{"users":{"eva":{"password":"x"}}}"#).unwrap();
    for _ in 0..20 {
        let verdict = bench.one("eva", RIGHT);
        assert!(matches!(&verdict, Err(Refusal::Failed(why)) if why.contains("users.json")), "{verdict:?}");
    }
    std::fs::write(bench._folder.path().join("users.json"), "{").unwrap();
    assert!(matches!(bench.one("eva", RIGHT), Err(Refusal::Failed(_))));
}

#[test]
fn a_bounded_number_of_passwords_is_remembered() {
    let credentials = Credentials::new().unwrap();
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let verified = |number: u8, second| {
        let credential = CredentialId([number; 32]);
        Verified { tag: [number; 32], account: "a".to_owned(), credential, at: at(second) }
    };
    let known = |name: &str| credentials.verified().get(name).map(|verified| verified.tag[0]);
    for number in 0..VERIFIED_MAX {
        credentials.remember(&format!("n{number}"), verified(1, number.min(1) as u64));
    }
    credentials.remember("late", verified(2, 59));
    credentials.remember("n7", verified(3, 59));
    assert_eq!((known("late"), known("n7"), known("n0")), (None, Some(3), Some(1)), "there is no room");
    credentials.remember("late", verified(4, 60));
    assert_eq!(
        (known("late"), known("n0"), known("n1")),
        (Some(4), None, Some(1)),
        "the oldest is forgotten"
    );
    credentials.remember("later", verified(5, 61));
    assert_eq!((known("later"), known("n1"), known("n7")), (Some(5), None, Some(3)));
    assert_eq!(credentials.verified().len(), 3);
}

#[test]
fn a_password_is_remembered_for_a_minute() {
    let credentials = Credentials::new().unwrap();
    let (at, credential, tag) = (Instant::now(), CredentialId([1; 32]), [2; 32]);
    credentials.remember("eva", Verified { tag, account: "eva".to_owned(), credential, at });
    let remembers = |name: &str, tag: Tag, credential: u8, after_ms| {
        credentials.remembers(
            name,
            &tag,
            &CredentialId([credential; 32]),
            at + Duration::from_millis(after_ms),
        )
    };
    assert!(remembers("eva", tag, 1, 59_999));
    assert!(!remembers("eva", tag, 1, 60_000), "it is over");
    assert!(!remembers("eva", tag, 2, 0), "another password now");
    assert!(!remembers("eva", [3; 32], 1, 0), "another one was given");
    assert!(!remembers("bob", tag, 1, 0));
}

#[test]
fn a_check_is_joined_until_it_has_a_verdict() {
    let credentials = Credentials::new().unwrap();
    let tag = [7; 32];
    let join = || Check::join(&credentials, tag);
    let running = || credentials.running().contains_key(&tag);
    // Two callers; both leave before there is a verdict.
    let (first, second) = (join(), join());
    assert!(Arc::ptr_eq(&first.verdict, &second.verdict));
    drop(first);
    assert!(running(), "one still waits");
    drop(second);
    assert!(!running());
    // After the verdict the next caller begins another check, which the leaving of the others does not end.
    let (first, second) = (join(), join());
    first.verdict.set(Err(Refusal::Wrong)).unwrap();
    drop(second);
    assert!(!running(), "nobody joins what has a verdict");
    let third = join();
    assert!(!third.verdict.initialized());
    drop(first);
    assert!(running(), "the check of another is not ended");
    drop(third);
    assert!(!running());
}
