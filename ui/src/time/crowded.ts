// The part of a histogram that has nearly all messages, so that one message of another century does not flatten the rest.
//
// In: bars. Out: the part and what lies outside of it; nothing when the bars are well spread. Holds: nothing.
import type { Bars } from "../api/search.ts";
import type { Span } from "./range.ts";

/** At most one message of so many may lie outside. */
const OUTSIDE_OF = 1_000;
/** From this number of messages on, a single one may lie outside. */
const MESSAGES_MIN = 20;
/** The part is shown by itself when it has at most this share of the bars. */
const SHARE_MAX = 1 / 8;

export interface Crowded {
  span: Span;
  /** How many messages lie outside. */
  outside: number;
  /** The time of one of them: the start of the bar that is farthest away. */
  farthestUs: number;
}

export function crowdedPart({ start_us, width_us, counts }: Bars): Crowded | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < MESSAGES_MIN) return undefined;
  const allowed = Math.max(1, Math.floor(total / OUTSIDE_OF));
  let best: { from: number; to: number } | undefined;
  let inside = 0;
  let from = 0;
  for (let to = 0; to < counts.length; to++) {
    inside += counts[to]!;
    while (inside - counts[from]! >= total - allowed) inside -= counts[from++]!;
    if (inside >= total - allowed && (!best || to - from < best.to - best.from)) best = { from, to };
  }
  if (!best || best.to - best.from + 1 > counts.length * SHARE_MAX) return undefined;
  const { from: first, to: last } = best;
  const outside = counts
    .map((count, bar) => ({ count, bar }))
    .filter(({ count, bar }) => count > 0 && (bar < first || bar > last));
  if (outside.length === 0) return undefined;
  const distance = (bar: number): number => (bar < first ? first - bar : bar - last);
  const farthest = outside.reduce((most, other) => (distance(other.bar) > distance(most.bar) ? other : most));
  return {
    span: { fromUs: start_us + first * width_us, toUs: start_us + (last + 1) * width_us },
    outside: outside.reduce((sum, { count }) => sum + count, 0),
    farthestUs: start_us + farthest.bar * width_us,
  };
}
