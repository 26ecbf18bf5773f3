// The search that shows exactly the messages behind a panel or a mark of its chart.
//
// In: a panel's answer, the point of its chart. Out: a view of the search page. The times are absolute, so that the messages
// are those that were counted.
import type { PanelAnswer } from "../../api/dashboards.ts";
import type { Clock } from "../../api/search.ts";
import { quoteField } from "../../query/edit.ts";
import { splitPipes } from "../../query/pipes.ts";
import { fromUs, type Range } from "../../time/range.ts";
import { DEFAULT_VIEW, type View } from "../../view/view.ts";
import type { ChartData } from "./charts/chart-data.ts";
import type { Point } from "./charts/plot.tsx";

/** A clause for exactly this value: no character of it has a meaning. */
export function exactTerm(field: string, value: string): string {
  return `${quoteField(field)}:"${value.replace(/[\\"*?]/g, "\\$&")}"`;
}

/** The whole query of a panel, over the times that were searched. */
export function panelSearch(panel: PanelAnswer, clock: Clock): View {
  const answer = panel.answer;
  const range = answer ? { from: fromUs(answer.from_us), to: fromUs(answer.to_us) } : DEFAULT_VIEW.range;
  return { ...DEFAULT_VIEW, logspace: panel.logspace, query: panel.query, range, clock };
}

/** The messages of one mark. */
export function cellSearch(panel: PanelAnswer, clock: Clock, data: ChartData, { series, index }: Point): View {
  const whole = panelSearch(panel, clock);
  const terms: string[] = [];
  const value = data.series[series]?.value;
  if (data.by !== undefined && value !== undefined) terms.push(exactTerm(data.by, value));
  for (const key of data.keys[index] ?? []) terms.push(exactTerm(key.field, key.value));
  const condition = splitPipes(panel.query).condition.trim();
  const isAll = condition === "" || condition === "*";
  const query = [...(isAll ? [] : [terms.length > 0 ? `(${condition})` : condition]), ...terms].join(" AND ");
  return { ...whole, query, range: rangeOf(panel, data, index) ?? whole.range };
}

/** The interval of a mark, within the times that were searched. */
function rangeOf(panel: PanelAnswer, data: ChartData, index: number): Range | undefined {
  const start = data.times?.[index];
  const answer = panel.answer;
  if (start === undefined || !answer) return undefined;
  const from = Math.max(start, answer.from_us);
  const to = data.widthUs > 0 ? Math.min(start + data.widthUs, answer.to_us) : answer.to_us;
  return { from: fromUs(from), to: fromUs(Math.max(from, to)) };
}
