// The state of the search page: the view (which the URL holds), its result, and the selection.
//
// In: events of the components. Out: the signals that they show. Holds: the request under way (a newer one aborts it), the
// live tail, the rows. Everything on this page that fetches is here or in a file beside it.
import { batch, computed, signal, type Signal } from "@preact/signals";
import { ApiError, isAborted, type ErrorBody, type OnSessionEnd } from "../../../api/call.ts";
import { explain, type Explanation } from "../../../api/explain.ts";
import { readLogspaces, type Logspace } from "../../../api/logspaces.ts";
import { search, type SearchAnswer, type SearchRequest } from "../../../api/search.ts";
import { readFacets, type Facet } from "../../../api/facets.ts";
import { withoutSelection } from "../../../query/edit.ts";
import { hasPipes, splitPipes } from "../../../query/pipes.ts";
import { absolute, barCountFor, resolve, type Span } from "../../../time/range.ts";
import { crowdedPart } from "../../../time/crowded.ts";
import { decodeView, encodeView } from "../../../view/codec.ts";
import { pageAt, pathOf } from "../../../view/route.ts";
import { isNarrow } from "../../../view/preferences.ts";
import { isSameSearch, type View } from "../../../view/view.ts";
import { findEmptyReason, type EmptyReason } from "./empty-reason.ts";
import { LiveTail } from "./live-tail.ts";
import { PAGE_ROWS, PIPED_ROWS, PagedRows } from "./paged-rows.ts";

const TIMEOUT_MS = 30_000;
/** Interval at which count, bars, facets and tables are refreshed in live mode. */
export const LIVE_REFRESH_MS = 5_000;

export class SearchModel {
  readonly view = signal<View>(decodeView(location.search));
  readonly logspaces: Signal<Logspace[]>;
  readonly answer = signal<SearchAnswer | undefined>(undefined);
  readonly rows = signal<PagedRows | undefined>(undefined);
  readonly live = signal<LiveTail | undefined>(undefined);
  readonly loading = signal(false);
  readonly error = signal<ErrorBody | undefined>(undefined);
  readonly emptyReason = signal<EmptyReason | undefined>(undefined);
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

  /** The rights of the user on this logspace. */
  readonly rights = computed(() => this.logspaces.value.find(({ name }) => name === this.logspace.value)?.may ?? []);

  /** The columns that fit the width of the window. */
  readonly columns = computed(() =>
    isNarrow.value ? this.view.value.columns.filter((name) => name === "severity") : this.view.value.columns,
  );

  /** The text in the query bar, once it was edited after the search. */
  readonly queryInput = signal<string | undefined>(undefined);
  /** True while the text in the query bar is not the query of the result. */
  readonly isStale = computed(() => {
    const typed = this.queryInput.value;
    return typed !== undefined && typed.trim() !== this.view.value.query.trim();
  });

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
    // Another page is shown now.
    if (pageAt(location.pathname) !== "search") return;
    this.view.value = decodeView(location.search);
    this.queryInput.value = undefined;
    if (!isSameSearch(before, this.view.value) || before.live !== this.view.value.live) void this.run();
  };

  /** Changes the view and the URL with it. A new search is a step in the browser's history. */
  navigate(change: Partial<View>, history_: "push" | "replace" = "push"): void {
    const before = this.view.value;
    const after = { ...before, ...change };
    const searchChanged = !isSameSearch(before, after) || before.live !== after.live;
    if (searchChanged && change.open === undefined && !isSameSearch(before, after)) after.open = undefined;
    if (change.query !== undefined) this.queryInput.value = undefined;
    this.view.value = after;
    const url = pathOf("search") + encodeView(after);
    if (history_ === "push" && searchChanged) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
    if (searchChanged) void this.run();
  }

  /** Puts the query of the result back into the query bar. */
  restoreQuery(): void {
    this.queryInput.value = undefined;
  }

  /** Runs the search again; used for relative ranges and after failures. */
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
    await this.answerQuery(request, "ask");
    if (this.request === request) this.loading.value = false;
  }

  private async answerQuery(request: AbortController, onSessionEnd: OnSessionEnd): Promise<void> {
    try {
      if (this.logspaces.value.length === 0) await this.readLogspaces();
      if (this.error.value) return;
      if (this.logspaces.value.length === 0) {
        this.emptyReason.value = { kind: "no-logspace" };
        return;
      }
      const answer = await search(
        this.searchRequest({
          limit: hasPipes(this.view.value.query) ? PIPED_ROWS : PAGE_ROWS,
          bars: barCountFor(this.currentSpan()),
          facets: this.facetColumns.value,
        }),
        request.signal,
        onSessionEnd,
      );
      if (request.signal.aborted) return;
      this.error.value = undefined;
      this.showAnswer(answer);
      void this.showAlternatives(answer, request.signal);
      void this.showCrowdedBars(answer, request.signal);
      if (this.view.value.live) this.startLive(answer);
      if (answer.total === 0)
        this.emptyReason.value = await findEmptyReason(
          this.searchRequest({}),
          answer,
          this.logspaces.value,
          request.signal,
        );
    } catch (cause) {
      if (isAborted(cause)) return;
      const sessionEnded = cause instanceof ApiError && cause.body.code === "unauthorized";
      if (sessionEnded && onSessionEnd === "report") this.scheduleTable();
      else this.fail(cause);
    }
  }

  /** Builds a request for the current view; its time range is `span` if given, else the one of the view. */
  searchRequest(more: Partial<SearchRequest>, span?: Span): SearchRequest {
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

  /** Explains what the search on the screen costs. */
  explain(signal: AbortSignal): Promise<Explanation> {
    return explain(this.searchRequest({}, this.span.value), signal);
  }

  /** Returns the time range on the screen with both ends resolved to microseconds. */
  currentSpan(): Span {
    return resolve(this.view.value.range, Date.now() * 1000, this.span.value);
  }

  /** Shows a notice for a while. */
  notify(text: string, ms = 4_000): void {
    clearTimeout(this.noticeTimer);
    this.notice.value = text;
    this.noticeTimer = setTimeout(() => (this.notice.value = ""), ms);
  }

  /** Opens the facets of columns; their values are loaded now and come with each answer. */
  setFacets(columns: string[]): void {
    this.facetColumns.value = columns;
    void this.refresh();
  }

  private showAnswer(answer: SearchAnswer): void {
    const span = { fromUs: answer.from_us, toUs: answer.to_us };
    const clock = this.view.value.clock;
    const base = this.searchRequest({}, span);
    batch(() => {
      this.rows.value?.close();
      this.answer.value = answer;
      if (answer.total > 0) this.emptyReason.value = undefined;
      // Rows made by pipes arrive all at once: there is no next page to request.
      const list = hasPipes(base.query ?? "") ? { ...answer, total: answer.rows.length } : answer;
      this.rows.value = new PagedRows(list, clock, (more, abort) =>
        search({ ...base, bars: 0, snapshot: answer.snapshot, ...more }, abort),
      );
      const open = this.view.value.open;
      const index = open === undefined ? undefined : this.rows.value.indexOf(open);
      this.cursor.value = { row: index ?? 0, cell: this.cursor.value.cell };
    });
  }

  /**
   * Counts the values of columns that the query selects from as if it did not, so that others can be added. The first
   * answer only has the selected ones.
   */
  private async showAlternatives(answer: SearchAnswer, abort: AbortSignal): Promise<void> {
    const { query } = this.view.value;
    const span = { fromUs: answer.from_us, toUs: answer.to_us };
    const counted = this.facetColumns.value.map(async (column) => {
      const without = withoutSelection(query, column);
      if (without === undefined) return undefined;
      const { logspace, time } = this.searchRequest({}, span);
      const question = { logspace, query: splitPipes(without).condition, time, columns: [column] };
      const { facets } = await readFacets({ ...question, snapshot: answer.snapshot }, abort, "report");
      return facets[0] && { ...facets[0], alternatives: true };
    });
    const facets = (await Promise.all(counted.map((facet) => facet.catch(() => undefined)))).filter(
      (facet) => facet !== undefined,
    );
    const shown = this.answer.value;
    if (abort.aborted || facets.length === 0 || shown?.snapshot !== answer.snapshot) return;
    const better = (known: Facet): Facet => facets.find(({ column }) => column === known.column) ?? known;
    this.answer.value = { ...shown, facets: shown.facets.map(better) };
  }

  /** Asks for the bars of the part that has nearly all messages, when the others are far away. */
  private async showCrowdedBars(answer: SearchAnswer, abort: AbortSignal): Promise<void> {
    const part = answer.bars && crowdedPart(answer.bars);
    if (!part) return;
    const question = this.searchRequest(
      { limit: 1, bars: barCountFor(part.span), snapshot: answer.snapshot },
      part.span,
    );
    const { bars } = await search(question, abort, "report").catch(() => ({ bars: undefined }));
    const shown = this.answer.value;
    if (!bars || abort.aborted || shown?.snapshot !== answer.snapshot) return;
    const outside = { messages: part.outside, farthestUs: part.farthestUs };
    this.answer.value = { ...shown, bars: { ...bars, outside } };
  }

  /** Ends the search that is running, in the server too; the earlier result stays. */
  stopSearch(): void {
    this.request?.abort();
    this.request = undefined;
    this.loading.value = false;
    this.notify(this.answer.value ? "Stopped. The earlier result is shown." : "Stopped.");
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
    if (hasPipes(query)) return this.scheduleTable();
    this.live.value = new LiveTail({ logspace: this.logspace.value, query, after: answer.snapshot }, answer.rows);
    this.refreshTimer = setTimeout(() => void this.refresh(), LIVE_REFRESH_MS);
  }

  /** Makes the table of a live search again after a while. */
  private scheduleTable(): void {
    const { request } = this;
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => request && void this.answerQuery(request, "report"), LIVE_REFRESH_MS);
  }

  private endLive(): void {
    this.live.value?.close();
    this.live.value = undefined;
  }

  /** Fetches the count, the bars and the facets again; the rows stay. */
  private async refresh(): Promise<void> {
    clearTimeout(this.refreshTimer);
    const known = this.answer.value;
    const live = this.view.value.live;
    if (!known || !this.request) return;
    const { signal: abort } = this.request;
    const span = live ? undefined : { fromUs: known.from_us, toUs: known.to_us };
    try {
      const fresh = await search(
        this.searchRequest({ limit: 1, bars: barCountFor(this.currentSpan()), facets: this.facetColumns.value }, span),
        abort,
        "report",
      );
      if (abort.aborted) return;
      // The rows of the list belong to their snapshot; unless live, the answer keeps its count.
      this.answer.value = live ? fresh : { ...known, facets: fresh.facets };
      void this.showAlternatives(this.answer.value, abort);
      this.emptyReason.value = undefined;
    } catch (cause) {
      if (isAborted(cause)) return;
    }
    if (live) this.refreshTimer = setTimeout(() => void this.refresh(), LIVE_REFRESH_MS);
  }
}
