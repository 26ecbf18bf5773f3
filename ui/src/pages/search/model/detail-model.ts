// The state of the detail pane: one message in full, and the messages around it.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ApiError, isAborted, type ErrorBody } from "../../../api/call.ts";
import { readContext, type SameAs } from "../../../api/context.ts";
import { readMessage, type FullRow } from "../../../api/message.ts";
import type { Row, RowId } from "../../../api/row.ts";
import type { SearchModel } from "./search-model.ts";

const CONTEXT_ROWS = 5;
const CONTEXT_ROWS_MAX = 200;

export class DetailModel {
  readonly message = signal<FullRow | undefined>(undefined);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly context = signal<Row[]>([]);
  readonly same = signal<SameAs>("source");
  readonly before = signal(CONTEXT_ROWS);
  readonly after = signal(CONTEXT_ROWS);
  /** The message in the middle of the context; opening another one of the context does not move it. */
  readonly anchor = signal<RowId | undefined>(undefined);
  private readonly disposers: (() => void)[];

  constructor(private readonly page: SearchModel) {
    const open = computed(() => page.view.value.open);
    const contextOpen = computed(() => page.view.value.tab === "context");
    this.disposers = [
      effect(() => {
        const sequence = open.value;
        const logspace = page.logspace.value;
        if (sequence !== undefined && logspace) untracked(() => this.load(logspace, sequence, contextOpen.value));
        else this.message.value = undefined;
      }),
      effect(() => {
        const anchor = this.anchor.value;
        const logspace = page.logspace.value;
        if (!contextOpen.value || anchor === undefined || !logspace) return undefined;
        const request = {
          logspace,
          sequence: anchor,
          before: this.before.value,
          after: this.after.value,
          same: this.same.value,
        };
        const abort = new AbortController();
        readContext(request, abort.signal).then(
          ({ rows }) => (this.context.value = rows),
          (cause: unknown) => this.fail(cause),
        );
        return () => abort.abort();
      }),
    ];
  }

  stop(): void {
    for (const dispose of this.disposers) dispose();
  }

  more(side: "before" | "after"): void {
    this[side].value = Math.min(CONTEXT_ROWS_MAX, this[side].value + 2 * CONTEXT_ROWS);
  }

  private load(logspace: string, sequence: RowId, contextOpen: boolean): void {
    const inContext = contextOpen && this.context.peek().some((row) => row.sequence === sequence);
    if (!inContext) {
      batch(() => {
        this.anchor.value = sequence;
        this.before.value = CONTEXT_ROWS;
        this.after.value = CONTEXT_ROWS;
        this.context.value = [];
      });
    }
    this.error.value = undefined;
    readMessage(logspace, sequence).then(
      (message) => {
        if (this.page.view.peek().open === sequence) this.message.value = message;
      },
      (cause: unknown) => this.fail(cause),
    );
  }

  private fail(cause: unknown): void {
    if (isAborted(cause)) return;
    this.error.value = cause instanceof ApiError ? cause.body : { code: "internal", message: String(cause) };
  }
}
