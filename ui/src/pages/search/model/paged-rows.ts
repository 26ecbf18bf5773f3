// The rows of one result by their index in the list: 0 is the newest.
//
// In: the first answer and a function that fetches more. Out: rows by index; `version` changes when rows arrive. Rows next to
// loaded ones are fetched by paging with `before`; a far one is located through the histogram's bars, whose exact counts say
// how many rows are newer than a moment. By event time the bars do not follow the order of the list, so there we can only page.
// Limits: ROWS_KEPT_MAX rows in memory, the farthest are evicted and fetched again when needed; one request at a time.
import { signal } from "@preact/signals";
import type { Row, RowId } from "../../../api/row.ts";
import type { Bars, Clock, SearchAnswer, SearchRequest } from "../../../api/search.ts";
import { fromUs } from "../../../time/range.ts";

export const PAGE_ROWS = 200;
/** Most rows that pipes may send to the screen; an export has all of them. */
export const PIPED_ROWS = 2_000;
const ROWS_KEPT_MAX = 20_000;
/** Up to this many rows from a loaded one, paging is quicker than locating. */
const PAGING_ROWS_MAX = 600;
/** A bar of at most this many rows is fetched as it is. */
const BAR_ROWS_MAX = 400;
const LOCATE_BARS = 30;
const LOCATE_STEPS_MAX = 12;

export type FetchRows = (more: Partial<SearchRequest>, signal: AbortSignal) => Promise<SearchAnswer>;

export class PagedRows {
  readonly length = signal(0);
  readonly version = signal(0);
  readonly failed = signal(false);
  private readonly loaded = new Map<number, Row>();
  /** Sequence numbers to page from, by index; kept when the rows are evicted. */
  private readonly sequences = new Map<number, RowId>();
  private readonly abort = new AbortController();
  private visible: [number, number] | undefined;
  private busy = false;
  private pagedTo = 0;

  constructor(
    private readonly answer: SearchAnswer,
    private readonly clock: Clock,
    private readonly fetchRows: FetchRows,
  ) {
    this.store(0, answer.rows);
    this.updateLength();
  }

  at(index: number): Row | undefined {
    return this.loaded.get(index);
  }

  /** Returns the index of a row, if it is loaded. */
  indexOf(sequence: RowId): number | undefined {
    for (const [index, row] of this.loaded) if (row.sequence === sequence) return index;
    return undefined;
  }

  /** Sets the range of rows on the screen. */
  setVisible(first: number, last: number): void {
    this.visible = [Math.max(0, first), Math.min(last, this.length.value - 1)];
    void this.loadMissing();
  }

  retry(): void {
    this.failed.value = false;
    void this.loadMissing();
  }

  close(): void {
    this.abort.abort();
  }

  private get ordered(): boolean {
    return this.clock === "received" && this.answer.bars.counts.length > 0;
  }

  private async loadMissing(): Promise<void> {
    if (this.busy || this.failed.value) return;
    this.busy = true;
    try {
      for (let index = this.firstMissing(); index !== undefined; index = this.firstMissing()) {
        const before = this.version.value;
        await this.fetch(index);
        // When the answer lacks the row, the same request again would not help.
        if (this.loaded.get(index) === undefined && this.version.value === before) break;
      }
    } catch {
      // After close() these rows are not needed any more.
      if (!this.abort.signal.aborted) this.failed.value = true;
    } finally {
      this.busy = false;
    }
  }

  private firstMissing(): number | undefined {
    if (!this.visible || this.abort.signal.aborted) return undefined;
    const [first, last] = this.visible;
    for (let index = first; index <= last; index++) if (!this.loaded.has(index)) return index;
    return undefined;
  }

  private async fetch(index: number): Promise<void> {
    const nearest = this.nearestBefore(index);
    if (nearest) {
      const [before, sequence] = nearest;
      const more = await this.fetchRows({ before: sequence, limit: index - before - 1 + PAGE_ROWS }, this.abort.signal);
      this.store(before + 1, more.rows);
    } else {
      await this.locate(index);
    }
    this.updateLength();
    this.evict(index);
  }

  /** Returns the index and the sequence number of the nearest loaded row before `index`, if it is near enough to page from. */
  private nearestBefore(index: number): [number, RowId] | undefined {
    const reach = this.ordered ? PAGING_ROWS_MAX : index + 1;
    for (let before = index - 1; before >= Math.max(0, index - reach); before--) {
      const sequence = this.loaded.get(before)?.sequence ?? this.sequences.get(before);
      if (sequence !== undefined) return [before, sequence];
    }
    return undefined;
  }

  private async locate(index: number): Promise<void> {
    let { bars } = this.answer;
    let newer = 0;
    for (let step = 0; step < LOCATE_STEPS_MAX; step++) {
      const bar = findBar(bars, index - newer);
      if (!bar) return;
      newer += bar.newer;
      if (bar.count <= BAR_ROWS_MAX || bars.width_us <= LOCATE_BARS) {
        const time = { clock: this.clock, from: fromUs(this.answer.from_us), to: fromUs(bar.endUs) };
        const more = await this.fetchRows({ time, limit: index - newer + PAGE_ROWS }, this.abort.signal);
        this.store(newer, more.rows);
        return;
      }
      const time = { clock: this.clock, from: fromUs(bar.startUs), to: fromUs(bar.endUs) };
      const inside = await this.fetchRows({ time, limit: 1, bars: LOCATE_BARS }, this.abort.signal);
      bars = inside.bars;
    }
  }

  private store(first: number, rows: Row[]): void {
    for (const [offset, row] of rows.entries()) this.loaded.set(first + offset, row);
    const last = rows.at(-1);
    if (last) {
      this.sequences.set(first + rows.length - 1, last.sequence);
      this.pagedTo = Math.max(this.pagedTo, first + rows.length);
      this.version.value++;
    }
  }

  private updateLength(): void {
    const { total } = this.answer;
    this.length.value = this.ordered ? total : Math.min(total, this.pagedTo + PAGE_ROWS);
  }

  private evict(center: number): void {
    if (this.loaded.size <= ROWS_KEPT_MAX) return;
    const far = [...this.loaded.keys()].sort((a, b) => Math.abs(b - center) - Math.abs(a - center));
    for (const index of far.slice(0, this.loaded.size - ROWS_KEPT_MAX / 2)) this.loaded.delete(index);
  }
}

interface BarPosition {
  /** Number of rows in newer bars. */
  newer: number;
  count: number;
  startUs: number;
  endUs: number;
}

/** Returns the bar that holds the row at `index`, counted from the newest. */
export function findBar(bars: Bars, index: number): BarPosition | undefined {
  let newer = 0;
  for (let bar = bars.counts.length - 1; bar >= 0; bar--) {
    const count = bars.counts[bar]!;
    if (index < newer + count) {
      const startUs = bars.start_us + bar * bars.width_us;
      return { newer, count, startUs, endUs: startUs + bars.width_us };
    }
    newer += count;
  }
  return undefined;
}
