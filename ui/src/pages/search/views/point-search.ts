// The search for the messages of a mark of a chart.
//
// In: the view of the page, its answer, the point of the chart. Out: a change of the view. The times are absolute, so that
// the messages are those that were counted.
import type { SearchAnswer } from "../../../api/search.ts";
import { messagesBehind } from "../../../query/behind.ts";
import { fromUs } from "../../../time/range.ts";
import type { View } from "../../../view/view.ts";
import { cellSearch } from "../../dashboards/cell-search.ts";
import type { ChartData } from "../../dashboards/charts/chart-data.ts";
import type { Point } from "../../dashboards/charts/plot.tsx";
import { comparedWith, microsecondsOf } from "./views.ts";

interface Shown {
  view: View;
  logspace: string;
  answer: SearchAnswer;
  /** Returns true if messages have a field of that name. */
  isField(name: string): boolean;
}

/** Returns the change of the view that shows the messages of a point. */
export function pointSearch({ view, logspace, answer, isField }: Shown, data: ChartData, point: Point): Partial<View> {
  const found = cellSearch({ id: "", logspace, query: view.query, answer }, view.clock, data, point);
  const keys = data.keys[point.index] ?? [];
  const [only] = keys;
  // Fields that pipes make are asked with the same pipes.
  const behind = keys.length === 1 && only ? messagesBehind(view.query, only.field, only.value, isField) : undefined;
  const earlier = data.series[point.series]?.name.startsWith("earlier ") ? comparedWith(view.query) : undefined;
  const start = data.times?.[point.index];
  const range =
    earlier !== undefined && start !== undefined
      ? { from: fromUs(start - microsecondsOf(earlier)), to: fromUs(start + data.widthUs - microsecondsOf(earlier)) }
      : found.range;
  return { query: behind ?? found.query, range, chart: undefined, live: false };
}
