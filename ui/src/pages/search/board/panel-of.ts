// The panel that shows what the search page shows.
//
// In: a query, the form of its chart. Out: the kind of a panel, its query, a title. The server checks the panel when the
// dashboard is saved.
import type { Panel, PanelKind } from "../../../api/dashboards.ts";
import { stagesOf } from "../../../query/behind.ts";
import type { ChartKind } from "../../../view/view.ts";
import { makesTable } from "../views/views.ts";

const TITLE_CHARS_MAX = 60;
const WIDTHS: Partial<Record<PanelKind, [number, number]>> = { number: [3, 2], line: [12, 3], messages: [12, 4] };

/** Returns the kind of the panel for a query; a chart that was chosen is one of those that fit its table. */
export function kindFor(query: string, chart: ChartKind | undefined): PanelKind {
  const stages = stagesOf(query);
  const last = stages.at(-1);
  if (last === undefined) return "bar";
  if (!stages.some(makesTable)) return "messages";
  if (chart) return chart === "area" ? "line" : chart;
  if (/^timechart\b/.test(last)) return "line";
  if (/^(top|terms)\b/.test(last)) return "bar";
  if (/^stats\b/.test(last)) return /\bby\b/.test(last) ? "bar" : "number";
  return "table";
}

/** Returns the panel, without its place. */
export function panelOf(
  query: string,
  chart: ChartKind | undefined,
  title: string,
): Pick<Panel, "title" | "kind" | "query" | "options" | "w" | "h"> {
  const kind = kindFor(query, chart);
  const [w, h] = WIDTHS[kind] ?? [6, 3];
  // A panel reads these two characters as the beginning of a parameter.
  const literal = (query.trim() || "*").replaceAll("${", "$\\{");
  return { title, kind, query: literal, options: {}, w, h };
}

/** Returns a title for a query that has none. */
export function titleOf(query: string, name: string | undefined): string {
  const written = query.trim();
  const text = name ?? (written === "" || written === "*" ? "Messages" : written);
  return text.length > TITLE_CHARS_MAX ? `${text.slice(0, TITLE_CHARS_MAX - 1)}\u2026` : text;
}
