// View <-> the query part of the URL.
//
// Converts a View to the text after "?", and back. A part that equals the default is left out, so that links stay short; a
// part that cannot be parsed becomes the default, so that an old or mangled link still opens the page.
// Limits: COLUMNS_MAX columns.
import { isInstant } from "../time/range.ts";
import { CHART_KINDS, DEFAULT_VIEW, PANE_TABS, type PaneTab, type View } from "./view.ts";

const COLUMNS_MAX = 24;

export function encodeView(view: View): string {
  const parts = new URLSearchParams();
  if (view.logspace) parts.set("in", view.logspace);
  if (view.query) parts.set("q", view.query);
  const { from, to } = view.range;
  if (from !== DEFAULT_VIEW.range.from || to !== DEFAULT_VIEW.range.to) {
    parts.set("from", from);
    parts.set("to", to);
  }
  if (view.clock !== DEFAULT_VIEW.clock) parts.set("clock", view.clock);
  if (view.columns.join() !== DEFAULT_VIEW.columns.join()) {
    parts.set("columns", view.columns.map(encodeURIComponent).join(","));
  }
  if (view.wrap) parts.set("wrap", "1");
  if (view.live) parts.set("live", "1");
  if (view.open !== undefined) parts.set("open", String(view.open));
  if (view.tab !== DEFAULT_VIEW.tab) parts.set("tab", view.tab);
  if (view.chart) parts.set("chart", view.chart);
  if (view.saved) parts.set("o", view.saved);
  // These are readable in a query and need no escape there.
  const text = parts.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return text ? `?${text}` : "";
}

export function decodeView(text: string): View {
  const parts = new URLSearchParams(text);
  const tab = parts.get("tab") as PaneTab | null;
  return {
    logspace: parts.get("in") ?? "",
    query: parts.get("q") ?? "",
    range: decodeRange(parts),
    clock: parts.get("clock") === "event" ? "event" : "received",
    columns: decodeColumns(parts.get("columns")),
    wrap: parts.get("wrap") === "1",
    live: parts.get("live") === "1",
    open: decodeRow(parts.get("open")),
    tab: tab && PANE_TABS.includes(tab) ? tab : DEFAULT_VIEW.tab,
    chart: CHART_KINDS.find((kind) => kind === parts.get("chart")),
    saved: decodeId(parts.get("o")),
  };
}

function decodeRange(parts: URLSearchParams): View["range"] {
  const from = parts.get("from");
  const to = parts.get("to");
  if (from === null && to === null) return DEFAULT_VIEW.range;
  const readable = (text: string | null): string => (text && isInstant(text) ? text : "");
  return { from: readable(from), to: readable(to) };
}

/** Parses a sequence number, or the text that identifies a row where those are hidden. */
function decodeRow(text: string | null): View["open"] {
  if (text === null) return undefined;
  if (/^[A-Za-z0-9_-]{22}$/.test(text)) return text;
  const number = Number(text || NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Returns the id of a saved search; the server redirects the link `o/ID` to `?load=ID`. */
export function decodeId(text: string | null): string {
  return text && /^[a-z0-9-]{1,64}$/.test(text) ? text : "";
}

function decodeColumns(text: string | null): string[] {
  if (text === null) return DEFAULT_VIEW.columns;
  const names = text.split(",").filter(Boolean).map(decodePart);
  return [...new Set(names)].slice(0, COLUMNS_MAX);
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
