// Data that the query bar and the sidebar need besides the result: columns, values, and errors in the query.
import { computed, effect, signal } from "@preact/signals";
import { isAborted, type ErrorBody } from "../../../api/call.ts";
import { readColumns, type Column } from "../../../api/columns.ts";
import { readFacets, type Facet, type FacetValue } from "../../../api/facets.ts";
import { validate } from "../../../api/validate.ts";
import { readValues } from "../../../api/values.ts";
import type { SearchModel } from "./search-model.ts";

const VALUES_MAX = 12;
const FACET_VALUES_MAX = 500;
const COLUMNS_FRESH_MS = 15_000;
const VALIDATE_PAUSE_MS = 250;
/** A mistake is named after a longer pause: half-typed text is not wrong yet. */
const PROBLEM_PAUSE_MS = 1_200;

export class SuggestModel {
  readonly columns = signal<Column[]>([]);
  /** The error in the text being typed. */
  readonly problem = signal<ErrorBody | undefined>(undefined);
  readonly hints = signal<string[]>([]);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private request: AbortController | undefined;
  private readonly disposers: (() => void)[];

  constructor(private readonly page: SearchModel) {
    let requested = { logspace: "", at: 0 };
    const columns = effect(() => {
      const logspace = page.logspace.value;
      // Waits for the result, which is more urgent; new messages may bring new names.
      const answered = page.rows.value !== undefined;
      const fresh = requested.logspace === logspace && Date.now() - requested.at < COLUMNS_FRESH_MS;
      if (!logspace || !answered || fresh) return;
      requested = { logspace, at: Date.now() };
      readColumns(logspace).then(
        (columns) => {
          if (page.logspace.peek() === logspace) this.columns.value = columns.sort((a, b) => b.documents - a.documents);
        },
        () => {
          // Completion is optional; the search itself reports that the server is away.
        },
      );
    });
    // An error in the earlier text does not apply to the query that replaced it.
    const query = computed(() => page.view.value.query);
    const queryChanged = effect(() => {
      void query.value;
      clearTimeout(this.timer);
      this.request?.abort();
      this.problem.value = undefined;
      this.hints.value = [];
    });
    this.disposers = [columns, queryChanged];
  }

  stop(): void {
    for (const dispose of this.disposers) dispose();
    clearTimeout(this.timer);
    this.request?.abort();
  }

  async values(column: string, prefix: string): Promise<FacetValue[]> {
    try {
      return await readValues({ logspace: this.page.logspace.value, column, prefix, limit: VALUES_MAX });
    } catch {
      return [];
    }
  }

  /** Loads all values of one facet, as far as a list can hold them. */
  async facet(column: string): Promise<Facet | undefined> {
    const { logspace, query, time } = this.page.searchRequest({}, this.page.span.value);
    const snapshot = this.page.answer.value?.snapshot;
    const answer = await readFacets({
      logspace,
      query,
      time,
      columns: [column],
      limit: FACET_VALUES_MAX,
      ...(snapshot !== undefined ? { snapshot } : {}),
    });
    return answer.facets[0];
  }

  /** Checks a query once typing pauses. */
  check(query: string): void {
    clearTimeout(this.timer);
    this.request?.abort();
    if (query.trim() === "") {
      this.problem.value = undefined;
      this.hints.value = [];
      return;
    }
    const request = new AbortController();
    this.request = request;
    this.timer = setTimeout(() => {
      validate(query, request.signal).then(
        (validity) => {
          this.hints.value = validity.hints ?? [];
          if (validity.valid) this.problem.value = undefined;
          else
            this.timer = setTimeout(() => (this.problem.value = validity.error), PROBLEM_PAUSE_MS - VALIDATE_PAUSE_MS);
        },
        (cause: unknown) => {
          if (!isAborted(cause)) this.problem.value = undefined;
        },
      );
    }, VALIDATE_PAUSE_MS);
  }
}
