// The rows of one result by their place in the list: 0 is the newest.
//
// In: the first answer and a way to ask for more. Out: rows by index; `version` changes when some arrive. A place next to
// known rows is reached by paging with `before`; a far one is located through the bars, whose exact counts say how many
// rows are newer than a moment. By event time the bars do not follow the list's order, so there one can only page on.
// Limits: ROWS_KEPT_MAX rows in memory, the farthest are forgotten and asked for again; one request at a time.
import { signal } from "@preact/signals";
import type { Row, RowId } from "../../../api/row.ts";
import type { Bars, Clock, SearchAnswer, SearchQuestion } from "../../../api/search.ts";
import { fromUs } from "../../../time/range.ts";

export const PAGE_ROWS = 200;
/** Most rows that pipes may send to the screen; an export has all of them. */
export const PIPED_ROWS = 2_000;
const ROWS_KEPT_MAX = 20_000;
/** Up to this distance from a known row, paging is quicker than locating. */
const PAGING_REACH = 600;
/** A bar of at most this many rows is fetched as it is. */
const BAR_ROWS_MAX = 400;
const LOCATE_BARS = 30;
const LOCATE_STEPS_MAX = 12;

export type Ask = (more: Partial<SearchQuestion>, signal: AbortSignal) => Promise<SearchAnswer>;

export class Rows {
  readonly length = signal(0);
  readonly version = signal(0);
  readonly failed = signal(false);
  private readonly known = new Map<number, Row>();
  /** Names of the rows at known places; kept when the rows are forgotten. */
  private readonly anchors = new Map<number, RowId>();
  private readonly abort = new AbortController();
  private wanted: [number, number] | undefined;
  private busy = false;
  private pagedTo = 0;

  constructor(
    private readonly answer: SearchAnswer,
    private readonly clock: Clock,
    private readonly ask: Ask,
  ) {
    this.keep(0, answer.rows);
    this.grow();
  }

  at(index: number): Row | undefined {
    return this.known.get(index);
  }

  /** Returns the index of a row, if it is known. */
  indexOf(sequence: RowId): number | undefined {
    for (const [index, row] of this.known) if (row.sequence === sequence) return index;
    return undefined;
  }

  /** Sets the range of rows on the screen. */
  want(first: number, last: number): void {
    this.wanted = [Math.max(0, first), Math.min(last, this.length.value - 1)];
    void this.work();
  }

  retry(): void {
    this.failed.value = false;
    void this.work();
  }

  close(): void {
    this.abort.abort();
  }

  private get inOrder(): boolean {
    return this.clock === "received" && this.answer.bars.counts.length > 0;
  }

  private async work(): Promise<void> {
    if (this.busy || this.failed.value) return;
    this.busy = true;
    try {
      for (let place = this.missing(); place !== undefined; place = this.missing()) {
        const before = this.version.value;
        await this.fetch(place);
        // Repeating the request would not help when the answer lacks the row.
        if (this.known.get(place) === undefined && this.version.value === before) break;
      }
    } catch {
      // After close() these rows are not needed any more.
      if (!this.abort.signal.aborted) this.failed.value = true;
    } finally {
      this.busy = false;
    }
  }

  private missing(): number | undefined {
    if (!this.wanted || this.abort.signal.aborted) return undefined;
    const [first, last] = this.wanted;
    for (let place = first; place <= last; place++) if (!this.known.has(place)) return place;
    return undefined;
  }

  private async fetch(place: number): Promise<void> {
    const anchor = this.anchorBelow(place);
    if (anchor) {
      const [index, sequence] = anchor;
      const more = await this.ask({ before: sequence, limit: place - index - 1 + PAGE_ROWS }, this.abort.signal);
      this.keep(index + 1, more.rows);
    } else {
      await this.locate(place);
    }
    this.grow();
    this.forget(place);
  }

  /** Returns the nearest known row before this one, near enough to page from. */
  private anchorBelow(place: number): [number, RowId] | undefined {
    const reach = this.inOrder ? PAGING_REACH : place + 1;
    for (let index = place - 1; index >= Math.max(0, place - reach); index--) {
      const sequence = this.known.get(index)?.sequence ?? this.anchors.get(index);
      if (sequence !== undefined) return [index, sequence];
    }
    return undefined;
  }

  private async locate(place: number): Promise<void> {
    let { bars } = this.answer;
    let newer = 0;
    for (let step = 0; step < LOCATE_STEPS_MAX; step++) {
      const bar = barOf(bars, place - newer);
      if (!bar) return;
      newer += bar.newer;
      if (bar.count <= BAR_ROWS_MAX || bars.width_us <= LOCATE_BARS) {
        const time = { clock: this.clock, from: fromUs(this.answer.from_us), to: fromUs(bar.endUs) };
        const more = await this.ask({ time, limit: place - newer + PAGE_ROWS }, this.abort.signal);
        this.keep(newer, more.rows);
        return;
      }
      const time = { clock: this.clock, from: fromUs(bar.startUs), to: fromUs(bar.endUs) };
      const inside = await this.ask({ time, limit: 1, bars: LOCATE_BARS }, this.abort.signal);
      bars = inside.bars;
    }
  }

  private keep(first: number, rows: Row[]): void {
    for (const [offset, row] of rows.entries()) this.known.set(first + offset, row);
    const last = rows.at(-1);
    if (last) {
      this.anchors.set(first + rows.length - 1, last.sequence);
      this.pagedTo = Math.max(this.pagedTo, first + rows.length);
      this.version.value++;
    }
  }

  private grow(): void {
    const { total } = this.answer;
    this.length.value = this.inOrder ? total : Math.min(total, this.pagedTo + PAGE_ROWS);
  }

  private forget(center: number): void {
    if (this.known.size <= ROWS_KEPT_MAX) return;
    const far = [...this.known.keys()].sort((a, b) => Math.abs(b - center) - Math.abs(a - center));
    for (const index of far.slice(0, this.known.size - ROWS_KEPT_MAX / 2)) this.known.delete(index);
  }
}

interface BarPlace {
  /** Counts the rows in newer bars of the same set. */
  newer: number;
  count: number;
  startUs: number;
  endUs: number;
}

/** Returns the bar that holds the row at `place`, counted from the newest. */
export function barOf(bars: Bars, place: number): BarPlace | undefined {
  let newer = 0;
  for (let index = bars.counts.length - 1; index >= 0; index--) {
    const count = bars.counts[index]!;
    if (place < newer + count) {
      const startUs = bars.start_us + index * bars.width_us;
      return { newer, count, startUs, endUs: startUs + bars.width_us };
    }
    newer += count;
  }
  return undefined;
}
