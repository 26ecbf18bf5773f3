//! Pipes over a scope that is partly unreadable: everything else is answered, and the missing part is
//! reported.

use super::{START_US, options, store};
use crate::{Query, ResultCache, Search, SearchScope, search, search_piped, stream};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, ColumnValues, Document, Locked, Pattern, Phrase, PhraseAnswer,
    ReadError, SegmentResults, SegmentView,
};
use std::{ops::Range, sync::Arc};

/// The damaged part of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    /// One message.
    Message,
    /// Its columns.
    Columns,
    /// Its index.
    Index,
}

struct Damaged(Arc<dyn SegmentView>, Harm, Arc<SegmentResults>);

impl Damaged {
    fn check(&self, harm: Harm) -> Result<(), ReadError> {
        let error = ReadError::Corrupt { path: "00017.ds".into(), offset: 7, what: "checksum mismatch" };
        if self.1 == harm { Err(error) } else { Ok(()) }
    }
}

impl SegmentView for Damaged {
    fn len(&self) -> u32 {
        self.0.len()
    }

    fn first_sequence(&self) -> u64 {
        self.0.first_sequence()
    }

    fn received_range(&self) -> (i64, i64) {
        self.0.received_range()
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        self.0.received_between(from_us, to_us)
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        self.0.received_edges(edges_us)
    }

    fn event_between(&self, from_us: i64, to_us: i64, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.0.event_between(from_us, to_us, cancel)
    }

    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        self.0.event_times(documents, visit)
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.check(Harm::Index)?;
        self.0.words(pattern, cancel)
    }

    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        self.check(Harm::Index)?;
        self.0.phrase(phrase, cancel)
    }

    fn values(&self, column: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.0.values(column, pattern, cancel)
    }

    fn count_values(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        self.check(Harm::Columns)?;
        self.0.count_values(column, documents, cancel, add)
    }

    fn value_ids(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
    ) -> Result<Option<ColumnValues>, ReadError> {
        self.check(Harm::Columns)?;
        self.0.value_ids(column, documents, cancel)
    }

    fn results(&self) -> Option<&Arc<SegmentResults>> {
        Some(&self.2)
    }

    fn columns(&self) -> Vec<ColumnUse> {
        self.0.columns()
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        for id in documents {
            if id == 3 {
                self.check(Harm::Message)?;
            }
            let mut more = true;
            self.0.read(&mut std::iter::once(id), cancel, &mut |id, document| {
                more = visit(id, document);
                more
            })?;
            if !more {
                break;
            }
        }
        Ok(())
    }
}

/// The store of the other tests, with one damaged segment of 17 messages.
fn harmed(harm: Harm) -> SearchScope {
    let mut snapshot = store().members[0].snapshot.as_ref().clone();
    snapshot.segments[1] = Arc::new(Damaged(snapshot.segments[1].clone(), harm, Arc::default()));
    snapshot.into()
}

/// Checks the number of rows of a query and the remarks about missing ones.
#[track_caller]
fn check(space: &SearchScope, text: &str, rows: usize, unread: &[Range<u64>]) {
    let query = Query::parse(text, &options()).unwrap();
    let kept = Search { cache: ResultCache::new(1 << 20), ..Search::default() };
    // The answer says what is missing each time, also when results of other segments are kept.
    for how in [&Search::default(), &kept, &kept] {
        let mut count = 0;
        let outcome = stream(space, &query, how, &mut |_| {
            count += 1;
            true
        })
        .unwrap();
        let said: Vec<Range<u64>> =
            outcome.unread.iter().filter_map(|unread| unread.messages.clone()).collect();
        assert_eq!((count, said.as_slice()), (rows, unread), "{text}");
    }
    if !query.written_pipes().is_empty() {
        let mut again = 0;
        let (answer, _) = search_piped(space, &query, &Search::default(), &mut |_| {
            again += 1;
            Ok(true)
        })
        .unwrap();
        let said: Vec<_> = answer.unread.iter().filter_map(|unread| unread.messages.clone()).collect();
        assert_eq!((again, said.as_slice()), (rows, unread), "{text}");
        assert_eq!(answer.hints.len(), unread.len(), "{text}: {:?}", answer.hints);
    }
}

#[test]
fn damage_costs_what_it_hit() {
    let second = std::iter::once(17..34).collect::<Vec<Range<u64>>>();
    check(&harmed(Harm::Message), "*", 99, &second);
    check(&harmed(Harm::Message), "* | fields host", 99, &second);
    check(&harmed(Harm::Message), "* | kv | stats count() by user", 2, &second);
    check(&harmed(Harm::Message), "* | stats count() by host", 2, &[]);
    check(&harmed(Harm::Index), "login", 21, &second);
    check(&harmed(Harm::Index), "login | stats count()", 1, &second);
    // The messages still have what the columns lack.
    check(&harmed(Harm::Columns), "* | top host", 2, &[]);
    check(&harmed(Harm::Columns), "* | stats count() by host, program", 2, &[]);
    let facets = Search { facets: vec![Column::Host], ..Search::default() };
    let answer = search(&harmed(Harm::Columns), &Query::all(), &facets).unwrap();
    assert_eq!(answer.facets[0].values, [(b"gw1".to_vec(), 50), (b"gw2".to_vec(), 50)]);
}

#[test]
fn what_is_locked_or_away_is_said() {
    let mut snapshot = store().members[0].snapshot.as_ref().clone();
    snapshot.segments.drain(..2);
    let extent = |first: u64, count| {
        let us = |number: u64| START_US + number as i64 * 1_000_000;
        Locked { first, count, received_us: (us(first), us(first + count - 1)) }
    };
    snapshot.locked.push(extent(0, 17));
    snapshot.away.push(extent(17, 17));
    let space: SearchScope = snapshot.into();
    check(&space, "* | stats count()", 1, &[0..17, 17..34]);
    check(&space, "*", 66, &[0..17, 17..34]);
    let later = Search { from_us: Some(START_US + 20_000_000), ..Search::default() };
    let answer = search(&space, &Query::all(), &later).unwrap();
    assert_eq!(answer.unread.len(), 1);
    assert!(answer.hints[0].contains("archive that is not attached"), "{:?}", answer.hints);
}
