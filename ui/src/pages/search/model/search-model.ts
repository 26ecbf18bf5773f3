// The state of the search page: the view (which the URL holds), its result, and the selection.
//
// In: events of the components. Out: signals they show. Holds: the request under way (a newer one aborts it), the live
// tail, the rows. Everything that fetches on this page is here or in a sibling file.
import { batch, computed, signal, type Signal } from "@preact/signals";
import { ApiError, isAborted, type ErrorBody } from "../../../api/call.ts";
import { explain, type Explanation } from "../../../api/explain.ts";
import { readLogspaces, type Logspace } from "../../../api/logspaces.ts";
import { search, type SearchAnswer, type SearchQuestion } from "../../../api/search.ts";
import { hasPipes } from "../../../query/pipes.ts";
import { absolute, barsFor, resolve, type Span } from "../../../time/range.ts";
import { decodeView, encodeView } from "../../../view/codec.ts";
import { narrow } from "../../../view/preferences.ts";
import { asksTheSame, type View } from "../../../view/view.ts";
import { whyNothing, type Nothing } from "./empty-reason.ts";
import { Live } from "./live-tail.ts";
import { PAGE_ROWS, PIPED_ROWS, Rows } from "./paged-rows.ts";

const TIMEOUT_MS = 30_000;
/** Interval at which count, bars and facets are refreshed in live mode. */
const LIVE_REFRESH_MS = 5_000;

export class SearchModel {
  readonly view = signal<View>(decodeView(location.search));
  readonly logspaces: Signal<Logspace[]>;
  readonly answer = signal<SearchAnswer | undefined>(undefined);
  readonly rows = signal<Rows | undefined>(undefined);
  readonly live = signal<Live | undefined>(undefined);
  readonly loading = signal(false);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly nothing = signal<Nothing | undefined>(undefined);
  /** Row and cell of the keyboard's cursor in the list. */
  readonly cursor = signal({ row: 0, cell: 0 });
  readonly notice = signal("");
  /** Columns whose facets are requested. */
  readonly facetColumns = signal(["severity", "host", "program", "facility"]);

  readonly logspace = computed(() => this.view.value.logspace || this.logspaces.value[0]?.name || "");
  readonly span = computed<Span | undefined>(() => {
    const answer = this.answer.value;
    return answer && { fromUs: answer.from_us, toUs: answer.to_us };
  });

  /** The columns that fit the width of the window. */
  readonly columns = computed(() =>
    narrow.value ? this.view.value.columns.filter((name) => name === "severity") : this.view.value.columns,
  );

  /** The text in the query bar while it differs from the query of the result. */
  draft: string | undefined;

  private request: AbortController | undefined;
  private refreshTimer: ReturnType<typeof setTimeout> | undefined;
  private noticeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(logspaces: Logspace[]) {
    this.logspaces = signal(logspaces);
  }

  start(): void {
    addEventListener("popstate", this.onPop);
    void this.run();
  }

  stop(): void {
    removeEventListener("popstate", this.onPop);
    this.request?.abort();
    this.endLive();
    this.rows.value?.close();
    clearTimeout(this.refreshTimer);
  }

  private readonly onPop = (): void => {
    const before = this.view.value;
    this.view.value = decodeView(location.search);
    if (!asksTheSame(before, this.view.value) || before.live !== this.view.value.live) void this.run();
  };

  /** Changes the view and the URL with it. A new question is a step in the browser's history. */
  go(change: Partial<View>, history_: "push" | "replace" = "push"): void {
    const before = this.view.value;
    const after = { ...before, ...change };
    const asksAnew = !asksTheSame(before, after) || before.live !== after.live;
    if (asksAnew && change.open === undefined && !asksTheSame(before, after)) after.open = undefined;
    if (change.query !== undefined) this.draft = undefined;
    this.view.value = after;
    const url = location.pathname + encodeView(after);
    if (history_ === "push" && asksAnew) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
    if (asksAnew) void this.run();
  }

  /** Asks the question again; used for relative ranges and after failures. */
  async run(): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    clearTimeout(this.refreshTimer);
    this.endLive();
    batch(() => {
      this.loading.value = true;
      this.error.value = undefined;
    });
    try {
      if (this.logspaces.value.length === 0) await this.readLogspaces();
      if (this.error.value) return;
      if (this.logspaces.value.length === 0) {
        this.nothing.value = { why: "no-logspace" };
        return;
      }
      const answer = await search(
        this.question({
          limit: hasPipes(this.view.value.query) ? PIPED_ROWS : PAGE_ROWS,
          bars: barsFor(this.window()),
          facets: this.facetColumns.value,
        }),
        request.signal,
      );
      if (request.signal.aborted) return;
      this.show(answer);
      if (this.view.value.live) this.startLive(answer);
      if (answer.total === 0)
        this.nothing.value = await whyNothing(this.question({}), answer, this.logspaces.value, request.signal);
    } catch (cause) {
      if (!isAborted(cause)) this.fail(cause);
    } finally {
      if (this.request === request) this.loading.value = false;
    }
  }

  /** Builds a question about the current view; its time range is `span` if given, else the one of the view. */
  question(more: Partial<SearchQuestion>, span?: Span): SearchQuestion {
    const { query, clock, range } = this.view.value;
    const { from, to } = span ? absolute(span) : range;
    return {
      logspace: this.logspace.value,
      query,
      time: { clock, ...(from ? { from } : {}), ...(to ? { to } : {}) },
      timeout_ms: TIMEOUT_MS,
      ...more,
    };
  }

  /** Explains the cost of the question on the screen. */
  explain(signal: AbortSignal): Promise<Explanation> {
    return explain(this.question({}, this.span.value), signal);
  }

  /** Returns the window on the screen now, with both ends. */
  window(): Span {
    return resolve(this.view.value.range, Date.now() * 1000, this.span.value);
  }

  /** Shows a notice for a while. */
  say(text: string, ms = 4_000): void {
    clearTimeout(this.noticeTimer);
    this.notice.value = text;
    this.noticeTimer = setTimeout(() => (this.notice.value = ""), ms);
  }

  /** Opens the facets of columns; their values are loaded now and come with each answer. */
  setFacets(columns: string[]): void {
    this.facetColumns.value = columns;
    void this.refresh();
  }

  private show(answer: SearchAnswer): void {
    const span = { fromUs: answer.from_us, toUs: answer.to_us };
    const clock = this.view.value.clock;
    const question = this.question({}, span);
    batch(() => {
      this.rows.value?.close();
      this.answer.value = answer;
      if (answer.total > 0) this.nothing.value = undefined;
      // Rows made by pipes arrive all at once: there is no next page to request.
      const list = hasPipes(question.query ?? "") ? { ...answer, total: answer.rows.length } : answer;
      this.rows.value = new Rows(list, clock, (more, abort) =>
        search({ ...question, bars: 0, snapshot: answer.snapshot, ...more }, abort),
      );
      const open = this.view.value.open;
      const place = open === undefined ? undefined : this.rows.value.indexOf(open);
      this.cursor.value = { row: place ?? 0, cell: this.cursor.value.cell };
    });
  }

  private fail(cause: unknown): void {
    this.error.value = cause instanceof ApiError ? cause.body : { code: "internal", message: String(cause) };
  }

  /** Loads the logspaces that the user may search, and their locks. */
  async readLogspaces(): Promise<void> {
    try {
      this.logspaces.value = await readLogspaces();
    } catch (cause) {
      this.fail(cause);
    }
  }

  private startLive(answer: SearchAnswer): void {
    const { query } = this.view.value;
    this.live.value = new Live({ logspace: this.logspace.value, query, after: answer.snapshot }, answer.rows);
    this.refreshTimer = setTimeout(() => void this.refresh(), LIVE_REFRESH_MS);
  }

  private endLive(): void {
    this.live.value?.close();
    this.live.value = undefined;
  }

  /** Fetches count, bars and facets again; the rows stay. */
  private async refresh(): Promise<void> {
    clearTimeout(this.refreshTimer);
    const known = this.answer.value;
    const live = this.view.value.live;
    if (!known || !this.request) return;
    const { signal: abort } = this.request;
    const span = live ? undefined : { fromUs: known.from_us, toUs: known.to_us };
    try {
      const fresh = await search(
        this.question({ limit: 1, bars: barsFor(this.window()), facets: this.facetColumns.value }, span),
        abort,
      );
      if (abort.aborted) return;
      // The rows of the list belong to their snapshot; unless live, the answer keeps its count.
      this.answer.value = live ? fresh : { ...known, facets: fresh.facets };
      this.nothing.value = undefined;
    } catch (cause) {
      if (isAborted(cause)) return;
    }
    if (live) this.refreshTimer = setTimeout(() => void this.refresh(), LIVE_REFRESH_MS);
  }
}
