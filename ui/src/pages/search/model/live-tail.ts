// The live tail: new rows above the earlier ones, without a gap and without a row twice.
//
// In: rows as the server sends them. Out: `rows`, newest first; while `paused`, new ones wait and are counted.
// At most ROWS_PER_TICK rows are drawn per tick: of a flood the newest are shown, the others only counted.
// Limits: ROWS_KEPT_MAX rows in the list, WAITING_MAX waiting while paused; beyond these the oldest are dropped.
import { batch, signal } from "@preact/signals";
import type { ErrorBody } from "../../../api/call.ts";
import type { Row, RowId } from "../../../api/row.ts";
import { openTail, type Tail } from "../../../api/tail.ts";

const TICK_MS = 250;
const ROWS_PER_TICK = 60;
const ROWS_KEPT_MAX = 3_000;
const WAITING_MAX = 2_000;

export class LiveTail {
  readonly rows = signal<Row[]>([]);
  readonly waiting = signal(0);
  readonly paused = signal(false);
  readonly connection = signal<"opening" | "open" | "lost">("opening");
  /** Why the server refuses the tail; it has ended then. */
  readonly refusal = signal<ErrorBody | undefined>(undefined);
  /** Rows that matched since the start. */
  readonly matched = signal(0);
  /** Rows that reached the list. */
  readonly shown = signal(0);
  /** Messages that came too fast for the server to compare with the query. */
  readonly missed = signal(0);
  /** Matching rows a second, over the last status interval. */
  readonly rate = signal(0);
  private readonly tail: Tail;
  private readonly timer: ReturnType<typeof setInterval>;
  private pending: Row[] = [];
  private received = 0;
  private matchedBefore: number | undefined;

  constructor(question: { logspace: string; query: string; after: RowId }, rows: Row[]) {
    this.rows.value = rows;
    this.tail = openTail(question, {
      row: (row) => this.receive(row),
      status: ({ matched, missed }) => {
        // The count starts at zero with each connection.
        const newMatches =
          this.matchedBefore === undefined || matched < this.matchedBefore ? matched : matched - this.matchedBefore;
        this.matchedBefore = matched;
        batch(() => {
          this.rate.value = newMatches;
          this.matched.value += newMatches;
          this.missed.value = missed ?? 0;
        });
      },
      connection: (state) => (this.connection.value = state),
      refused: (error) => (this.refusal.value = error),
    });
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  /** Holds new rows back; called when the user scrolls away from the top. */
  pause(): void {
    this.paused.value = true;
  }

  /** Shows what was held back; called when the user is at the top again. */
  resume(): void {
    this.paused.value = false;
    this.tick();
  }

  close(): void {
    clearInterval(this.timer);
    this.tail.close();
  }

  private receive(row: Row): void {
    this.received++;
    this.pending.push(row);
    if (this.pending.length > WAITING_MAX) this.pending.splice(0, this.pending.length - WAITING_MAX);
  }

  private tick(): void {
    if (this.pending.length === 0) return;
    if (this.paused.value) {
      this.waiting.value = this.received;
      return;
    }
    const limit = Math.max(ROWS_PER_TICK, this.waiting.value ? WAITING_MAX : 0);
    const newRows = this.pending.slice(-limit).reverse();
    this.pending = [];
    this.received = 0;
    batch(() => {
      this.shown.value += newRows.length;
      this.waiting.value = 0;
      this.rows.value = [...newRows, ...this.rows.value].slice(0, ROWS_KEPT_MAX);
    });
  }
}
