//! Objects from the list to their acknowledgement, in any order.

use super::*;
use crate::s3::content::Form;
use message::Outcome;

fn object(key: &str, size: u64) -> ListedObject {
    ListedObject { key: key.to_owned(), etag: String::new(), size, is_archived: false }
}

fn progress() -> Progress {
    Progress::new(Register::open(None).unwrap())
}

fn admit(progress: &Progress, keys: &[&str]) -> Vec<Job> {
    let objects = keys.iter().map(|key| object(key, 9)).collect();
    progress.admit(objects, OldObjects::Read).unwrap()
}

fn keys(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.object.key.as_str()).collect()
}

fn at(offset: u64) -> ObjectPosition {
    ObjectPosition { offset, form: Some(Form::Plain) }
}

#[test]
fn an_object_is_handed_out_until_it_is_acknowledged() {
    let progress = progress();
    let jobs = admit(&progress, &["a", "b"]);
    assert_eq!(keys(&jobs), ["a", "b"]);
    assert!(admit(&progress, &["a", "b"]).is_empty());
    let [first, second] = [4, 9].map(|offset| jobs[0].book.add(at(offset)));
    second.complete(Outcome::Done);
    progress.end(jobs[0].id);
    assert_eq!((progress.commit().unwrap(), progress.is_settled()), (Fate::Saved, false));
    // Nothing of it is safe: a restart reads it from its beginning.
    progress.restart();
    let jobs = admit(&progress, &["a"]);
    assert_eq!((jobs.len(), jobs[0].position), (1, ObjectPosition::START));
    first.complete(Outcome::Done);
    jobs[0].book.add(at(5)).complete(Outcome::Done);
    progress.commit().unwrap();
    progress.restart();
    let jobs = admit(&progress, &["a"]);
    assert_eq!(jobs[0].position, at(5));
    jobs[0].book.add(at(9)).complete(Outcome::Done);
    progress.end(jobs[0].id);
    assert_eq!(keys(&admit(&progress, &["a", "b"])), ["b"]);
    progress.restart();
    assert_eq!(keys(&admit(&progress, &["a", "b"])), ["b"]);
}

#[test]
fn a_batch_that_was_given_up_keeps_its_object_unread() {
    let progress = progress();
    let jobs = admit(&progress, &["a"]);
    jobs[0].book.add(at(3)).complete(Outcome::Done);
    jobs[0].book.add(at(6)).complete(Outcome::Failed);
    jobs[0].book.add(at(9)).complete(Outcome::Done);
    progress.end(jobs[0].id);
    assert_eq!(progress.commit().unwrap(), Fate::GivenUp);
    progress.restart();
    assert_eq!(admit(&progress, &["a"])[0].position, at(3));
}

#[test]
fn objects_that_are_not_given_are_tried_again() {
    let progress = progress();
    let jobs = admit(&progress, &["a", "b"]);
    jobs[0].book.add(at(3)).complete(Outcome::Done);
    progress.put_off(&jobs[0]);
    progress.end(jobs[1].id);
    assert!(progress.has_unreadable());
    progress.commit().unwrap();
    let again = progress.unreadable().unwrap();
    assert_eq!((keys(&again), again[0].position), (vec!["a"], at(3)));
    assert!(progress.unreadable().unwrap().is_empty(), "it is being read");
    progress.put_off(&again[0]);
    progress.begin_round();
    assert!(!progress.has_unreadable());
    assert_eq!(keys(&admit(&progress, &["a", "b"])), ["a"]);
}

#[test]
fn an_object_that_changed_asks_for_the_whole_list() {
    let progress = progress();
    let jobs = admit(&progress, &["a", "b"]);
    jobs[0].book.add(at(3)).complete(Outcome::Done);
    progress.leave(jobs[0].id, Leave::Gone);
    assert!(!progress.needs_whole_list());
    progress.leave(jobs[1].id, Leave::Changed);
    assert!(progress.needs_whole_list() && progress.is_settled());
    progress.commit().unwrap();
    progress.begin_round();
    assert!(!progress.needs_whole_list());
    assert_eq!(admit(&progress, &["a"])[0].position, ObjectPosition::START);
}

#[test]
fn empty_objects_and_old_ones_are_taken_for_read() {
    let progress = progress();
    let listed = || vec![object("folder/", 0), object("old", 5)];
    assert_eq!(keys(&progress.admit(listed(), OldObjects::Skipped).unwrap()), [""; 0]);
    progress.end_round().unwrap();
    let later = [listed(), vec![object("new", 5), object("folder2/", 0)]].concat();
    assert_eq!(keys(&progress.admit(later, OldObjects::Skipped).unwrap()), ["new"]);
}
