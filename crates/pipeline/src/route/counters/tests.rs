//! Counters, and that a reset sets them to zero.

use super::*;
use message::{Ack, Message, Origin, Stamp};
use template::RenderOptions;

/// Keeps the first message, and makes two of each batch, of a tick and of an end.
struct Sample;

fn batch(count: usize) -> Batch {
    let mut batch =
        Batch::new(Arc::default(), vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    batch.messages.extend((0..count).map(|_| Message::default()));
    batch
}

impl Parser for Sample {
    fn parse(&self, _: &mut Batch, within: &Selection, _: &mut Renderer) -> Selection {
        let mut first = Selection::none(within.batch_len());
        first.add(0);
        first
    }

    fn parse_making(
        &self,
        batch: &mut Batch,
        within: &Selection,
        renderer: &mut Renderer,
        made: &mut Vec<Batch>,
    ) -> Selection {
        made.push(self::batch(2));
        self.parse(batch, within, renderer)
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn close(&self, _: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch(4));
    }

    fn tick(&self, _: &mut Renderer, made: &mut Vec<Batch>) {
        made.push(batch(8));
    }
}

#[test]
fn a_parser_counts_what_it_reads_stops_and_makes() {
    let counters = Arc::<ParserCounters>::default();
    let parser = CountedParser::new(Arc::new(Sample), counters.clone());
    let mut renderer = Renderer::new(RenderOptions::default(), Arc::default());
    let check = |want: (u64, u64, u64)| {
        assert_eq!((counters.processed(), counters.discarded(), counters.made()), want);
    };
    assert!(parser.is_timed() && !parser.consumes());
    assert_eq!(parser.parse(&mut batch(3), &Selection::all(3), &mut renderer).count(), 1);
    check((3, 2, 0));
    // Batches that other steps made before are not counted again.
    let mut made = vec![batch(100)];
    parser.parse_making(&mut batch(3), &Selection::all(3), &mut renderer, &mut made);
    check((6, 4, 2));
    parser.tick(&mut renderer, &mut made);
    check((6, 4, 10));
    parser.close(&mut renderer, &mut made);
    check((6, 4, 14));
    assert_eq!(made.len(), 4);
    counters.reset();
    check((0, 0, 0));
}

#[test]
fn paths_filters_and_routers_count() {
    let filter = FilterCounters::default();
    filter.add(3, 4);
    filter.add(1, 1);
    assert_eq!((filter.matched(), filter.not_matched()), (4, 5));
    filter.reset();
    assert_eq!((filter.matched(), filter.not_matched()), (0, 0));
    let path = PathCounters::default();
    path.add(3, 2);
    assert_eq!((path.ingress(), path.egress()), (3, 2));
    path.reset();
    assert_eq!((path.ingress(), path.egress()), (0, 0));
    let router = RouterCounters::default();
    router.add(3, 2);
    assert_eq!((router.routed(), router.unrouted()), (3, 2));
    router.reset();
    assert_eq!((router.routed(), router.unrouted()), (0, 0));
}
