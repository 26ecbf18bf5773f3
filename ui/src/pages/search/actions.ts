// The actions of the search page, one function each: buttons and shortcuts call the same ones.
import { openPage } from "../../navigation/location.ts";
import { DEFAULT_DRAFT, encodeDraft } from "../draft/draft.ts";
import { copyText } from "../../components/copy-text.ts";
import { ApiError } from "../../api/call.ts";
import { makePackage, packageAddress, seal, type EvidencePackage } from "../../api/package.ts";
import { readSession } from "../../api/session.ts";
import { addFilter, removeFilter, activeFilter, type Filter } from "../../query/edit.ts";
import { changeCondition, splitPipes } from "../../query/pipes.ts";
import { valuesOf, type Row, type RowId } from "../../api/row.ts";
import { absolute, shift, zoomOut, type Range, type Span } from "../../time/range.ts";
import { rememberQuery } from "../../view/recent.ts";
import type { PaneTab } from "../../view/view.ts";
import type { Command } from "./keyboard.ts";
import type { IncompletePackage } from "./package-dialog.tsx";
import { formatCount } from "../../time/format.ts";
import type { SearchModel } from "./model/search-model.ts";
import { curlCommand, exportLink, permalink } from "./model/share-links.ts";
import type { ShareAction } from "./share-menu.tsx";

const PAGE_STEP_ROWS = 20;
/** How far the range reaches before and after the newest match when the page moves to it. */
const AROUND_US = 900_000_000;
const ZOOM_HISTORY_MAX = 50;
/** Making a package of many messages takes minutes, so the notice stays until it is ready. */
const PACKAGE_MS_MAX = 3_600_000;
const PACKAGE_NOTICE_MS = 15_000;

export class Actions {
  private readonly zoomHistory: Range[] = [];

  constructor(
    private readonly page: SearchModel,
    private readonly user: string,
    private readonly ui: {
      focusQuery(at?: number): void;
      focusList(): void;
      toggleTime(): void;
      showHelp(): void;
      confirmPackage(made: IncompletePackage): void;
      toggleSaved(): void;
      save(): void;
    },
  ) {}

  rowAt = (index: number): Row | undefined => {
    const { live, rows } = this.page;
    return live.value ? live.value.rows.value[index] : rows.value?.at(index);
  };

  get length(): number {
    const { live, rows } = this.page;
    return live.value ? live.value.rows.value.length : (rows.value?.length.value ?? 0);
  }

  search = (query: string): void => {
    rememberQuery(query);
    this.page.queryInput.value = undefined;
    if (query === this.page.view.value.query) void this.page.run();
    else this.page.navigate({ query });
  };

  setRange = (range: Range): void => {
    this.zoomHistory.length = 0;
    this.page.navigate({ range });
  };

  /** Zooms into a part of the range and remembers the earlier range. */
  zoom = (span: Span): void => {
    if (this.zoomHistory.length < ZOOM_HISTORY_MAX) this.zoomHistory.push(this.page.view.value.range);
    this.page.navigate({ range: absolute(span), live: false });
  };

  shift = (direction: -1 | 1): void =>
    this.page.navigate({ range: absolute(shift(this.page.currentSpan(), direction)), live: false });
  zoomOut = (): void =>
    this.page.navigate({ range: absolute(zoomOut(this.page.currentSpan(), Date.now() * 1000)), live: false });

  showAround = (us: number): void => this.setRange(absolute({ fromUs: us - AROUND_US, toUs: us + AROUND_US }));

  /** Narrows to the last quarter of the range, for a search that took too long. */
  narrowRange = (): void => {
    const { fromUs, toUs } = this.page.currentSpan();
    this.zoom({ fromUs: Math.round(toUs - (toUs - fromUs) / 4), toUs });
  };

  toggleFilter = (column: string, value: string, filter: Filter): void => {
    // Filters the text being typed: it would be lost otherwise.
    const query = this.page.queryInput.value ?? this.page.view.value.query;
    const isActive = activeFilter(query, column, value) === filter;
    this.page.navigate({
      query: isActive ? removeFilter(query, column, value) : addFilter(query, column, value, filter),
    });
  };

  addWord = (word: string): void => {
    const query = (this.page.queryInput.value ?? this.page.view.value.query).trim();
    this.page.navigate({ query: changeCondition(query, (old) => (old && old !== "*" ? `${old} AND ${word}` : word)) });
  };

  toggleColumn = (name: string): void => {
    const { columns } = this.page.view.value;
    this.setColumns(columns.includes(name) ? columns.filter((known) => known !== name) : [...columns, name]);
  };

  setColumns = (columns: string[]): void => {
    const { cursor } = this.page;
    this.page.navigate({ columns }, "replace");
    cursor.value = { ...cursor.value, cell: Math.min(cursor.value.cell, columns.length + 1) };
  };

  selectCell = (index: number, cell: number): void => {
    this.page.cursor.value = { row: index, cell };
    const row = this.rowAt(index);
    if (row) this.open(row.sequence);
  };

  open = (sequence: RowId | undefined): void => {
    this.page.live.value?.pause();
    this.page.navigate({ open: sequence }, "replace");
  };

  close = (): void => this.page.navigate({ open: undefined }, "replace");
  setTab = (tab: PaneTab): void => this.page.navigate({ tab }, "replace");
  toggleWrap = (): void => this.page.navigate({ wrap: !this.page.view.value.wrap }, "replace");

  moveRow = (by: number): void => {
    const { cursor, view } = this.page;
    const row = Math.max(0, Math.min(this.length - 1, cursor.value.row + by));
    cursor.value = { ...cursor.value, row };
    this.ui.focusList();
    const target = this.rowAt(row);
    if (view.value.open !== undefined && target) this.open(target.sequence);
  };

  /** Turns on live mode, which shows new messages: a fixed range is replaced by a relative one. */
  toggleLive = (): void => {
    const { view } = this.page;
    const on = !view.value.live;
    const fixed = view.value.range.to !== "now";
    this.page.navigate({ live: on, ...(on && fixed ? { range: { from: "now-15m", to: "now" } } : {}) });
  };

  /** Opens a new rule that looks for what the query finds. */
  makeRule = (): void => {
    const { condition } = splitPipes(this.page.view.value.query);
    const draft = { ...DEFAULT_DRAFT, logspace: this.page.logspace.value, query: condition.trim() };
    openPage("draft", `${encodeDraft(draft) || "?"}&number=find`.replace("?&", "?"));
  };

  copy = async (text: string, what: string): Promise<void> => {
    this.page.notify((await copyText(text)) ? `${what} copied` : "The browser did not allow copying");
  };

  share = (what: ShareAction): void => {
    if (what === "csv" || what === "csv-safe" || what === "ndjson" || what === "raw")
      void this.download(exportLink(this.page, what));
    else if (what === "package") void this.package();
    else if (what === "curl") void this.copy(curlCommand(this.page, this.user), "Command");
    else
      void this.copy(
        permalink(this.page, what),
        what === "fixed" ? "Link with fixed times" : "Link with relative times",
      );
  };

  /** Searches the text in the query bar. */
  searchTyped = (): void => this.search(this.page.queryInput.value ?? this.page.view.value.query);

  /** Downloads a file. The session is checked first: a browser does not tell us that a download was refused. */
  private download = async (url: string): Promise<void> => {
    try {
      await readSession();
      const link = document.createElement("a");
      link.href = url;
      link.download = "";
      link.click();
    } catch (cause) {
      this.page.notify(messageOf(cause), PACKAGE_NOTICE_MS);
    }
  };

  downloadPackage = (made: EvidencePackage): void => void this.download(packageAddress(made));

  /** Seals the logspace, so that a package has everything that was found. */
  sealAndPackage = async (): Promise<void> => {
    try {
      this.page.notify("Sealing \u2026", PACKAGE_MS_MAX);
      await seal(this.page.logspace.value);
      await this.package();
    } catch (cause) {
      this.page.notify(messageOf(cause), PACKAGE_NOTICE_MS);
    }
  };

  /** Makes an evidence package of all sealed messages that the search finds. */
  private package = async (): Promise<void> => {
    const { page } = this;
    page.notify("Making an evidence package of the sealed messages …", PACKAGE_MS_MAX);
    try {
      const { logspace, query, time } = page.searchRequest({}, page.span.value ?? page.currentSpan());
      const made = await makePackage({ logspace, query, time });
      const missing = made.unread ? `; not in it: ${made.unread.join("; ")}` : "";
      const found = page.answer.value?.total ?? 0;
      if (made.messages < found) {
        page.notify("");
        const may = page.rights.value;
        return this.ui.confirmPackage({ made, found, maySeal: may.includes("administer"), unread: made.unread ?? [] });
      }
      const messages = `${formatCount(made.messages)} sealed messages`;
      page.notify(`${messages}, manifest ${made.manifest.slice(0, 16)} …${missing}`, PACKAGE_NOTICE_MS);
      this.downloadPackage(made);
    } catch (cause) {
      page.notify(messageOf(cause), PACKAGE_NOTICE_MS);
    }
  };

  run(command: Command, focused: Element | null): void {
    const steps: Record<Command, () => void> = {
      query: () => this.ui.focusQuery(),
      older: () => this.moveRow(1),
      newer: () => this.moveRow(-1),
      pageDown: () => this.moveRow(PAGE_STEP_ROWS),
      pageUp: () => this.moveRow(-PAGE_STEP_ROWS),
      first: () => this.moveRow(-Infinity),
      cellLeft: () => this.moveCell(-1),
      cellRight: () => this.moveCell(1),
      open: () => this.openCursor(),
      back: () => this.back(),
      filter: () => this.filterFocused("include", focused),
      exclude: () => this.filterFocused("exclude", focused),
      context: () => this.showContext(),
      time: () => this.ui.toggleTime(),
      earlier: () => this.shift(-1),
      later: () => this.shift(1),
      zoomOut: this.zoomOut,
      rerun: () => void this.page.run(),
      live: this.toggleLive,
      wrap: this.toggleWrap,
      copyLink: () => this.share("fixed"),
      help: () => this.ui.showHelp(),
      saved: () => this.ui.toggleSaved(),
      save: () => this.ui.save(),
    };
    steps[command]();
  }

  private moveCell(by: number): void {
    const { cursor, columns } = this.page;
    const cell = Math.max(0, Math.min(columns.value.length + 1, cursor.value.cell + by));
    cursor.value = { ...cursor.value, cell };
    this.ui.focusList();
  }

  private openCursor(): void {
    const row = this.rowAt(this.page.cursor.value.row);
    if (!row) return;
    if (this.page.view.value.open === row.sequence) this.close();
    else this.open(row.sequence);
  }

  private showContext(): void {
    const row = this.rowAt(this.page.cursor.value.row);
    const open = this.page.view.value.open ?? row?.sequence;
    if (open !== undefined) this.page.navigate({ open, tab: "context" }, "replace");
  }

  /** Closes the open message; with none open, returns to the range before the last zoom. */
  private back(): void {
    if (this.page.view.value.open !== undefined) return this.close();
    const range = this.zoomHistory.pop();
    if (range) this.page.navigate({ range });
  }

  private filterFocused(filter: Filter, focused: Element | null): void {
    const line = focused?.closest<HTMLElement>("[data-field]");
    if (line) return this.toggleFilter(line.dataset["field"]!, line.dataset["value"]!, filter);
    const { row, cell } = this.page.cursor.value;
    const column = this.page.columns.value[cell - 1];
    const found = this.rowAt(row);
    const values = column && found ? valuesOf(found, column).filter((value) => value !== "") : [];
    if (column && values.length === 1) this.toggleFilter(column, values[0]!, filter);
    else if (values.length > 1) this.page.notify(`The message has several values of ${column}: open it and choose one`);
    else this.page.notify("Move the cursor to a value with the arrow keys, then filter by it");
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof ApiError ? cause.message : String(cause);
}
