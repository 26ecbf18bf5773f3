// The state of the page as one value. The URL holds all of it, see codec.ts.
import type { RowId } from "../api/row.ts";
import type { Clock } from "../api/search.ts";
import type { Range } from "../time/range.ts";

export type PaneTab = "fields" | "raw" | "tokens" | "json" | "context";
export const PANE_TABS: readonly PaneTab[] = ["fields", "raw", "tokens", "json", "context"];

/** The forms in which the table of a query's pipes can be drawn. */
export type ChartKind = "line" | "bar" | "area" | "pie" | "number" | "heat";
export const CHART_KINDS: readonly ChartKind[] = ["line", "bar", "area", "pie", "number", "heat"];

export interface View {
  /** The first logspace when empty. */
  logspace: string;
  query: string;
  range: Range;
  clock: Clock;
  /** Columns of the list between the time and the message. */
  columns: string[];
  wrap: boolean;
  live: boolean;
  /** The message in the detail pane. */
  open: RowId | undefined;
  tab: PaneTab;
  /** The form in which a table is drawn; undefined to show the table itself. */
  chart: ChartKind | undefined;
  /** Id of the saved search that the view began with; empty for none. */
  saved: string;
}

export const DEFAULT_COLUMNS = ["severity", "host", "program"];

export const DEFAULT_VIEW: View = {
  logspace: "",
  query: "",
  range: { from: "now-1h", to: "now" },
  clock: "received",
  columns: DEFAULT_COLUMNS,
  wrap: false,
  live: false,
  open: undefined,
  tab: "fields",
  chart: undefined,
  saved: "",
};

/** Returns true if two views send the same search to the server. */
export function isSameSearch(a: View, b: View): boolean {
  return (
    a.logspace === b.logspace &&
    a.query === b.query &&
    a.clock === b.clock &&
    a.range.from === b.range.from &&
    a.range.to === b.range.to
  );
}
