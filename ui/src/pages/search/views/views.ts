// The views of a result, each of which is a pipe in the text of the query.
//
// In: a query, the view that is wanted. Out: the view that a query has, and the query of another one. Pipes that make fields
// or leave messages out stay. Holds nothing.
import { stagesOf } from "../../../query/behind.ts";
import { splitPipes } from "../../../query/pipes.ts";
import { UNIT_US, type Span } from "../../../time/range.ts";
import type { ChartKind } from "../../../view/view.ts";

export type ViewName = "messages" | "chart" | "table" | "patterns" | "compare";

const TABLE = /^(top|terms|stats|timechart)\b/;
const PATTERNS = /^patterns\b/;
const DIFF = /^diff\b/;
export const makesTable = (stage: string): boolean => TABLE.test(stage) || PATTERNS.test(stage);

/** Returns the view of a query and the form of its chart. */
export function viewOf(query: string, chart: ChartKind | undefined): ViewName {
  const stages = stagesOf(query);
  if (stages.some((stage) => DIFF.test(stage))) return "compare";
  if (stages.some((stage) => PATTERNS.test(stage))) return "patterns";
  if (!stages.some((stage) => TABLE.test(stage))) return "messages";
  return chart ? "chart" : "table";
}

/** Returns the query of a view. `earlier` is the distance of a comparison, such as `1h`. */
export function queryFor(view: ViewName, query: string, earlier: string): string {
  const condition = splitPipes(query).condition.trim();
  const stages = stagesOf(query).filter((stage) => !DIFF.test(stage));
  const at = stages.findIndex(makesTable);
  const before = at < 0 ? stages : stages.slice(0, at);
  const table = at < 0 ? undefined : stages[at];
  const after = at < 0 ? [] : stages.slice(at + 1);
  const hasTable = table !== undefined && TABLE.test(table);
  const written = (all: string[]): string => (all.length === 0 ? condition : [condition || "*", ...all].join(" | "));
  switch (view) {
    case "messages":
      return written(before);
    case "patterns":
      return written([...before, table && PATTERNS.test(table) ? table : "patterns"]);
    case "chart":
      return written(hasTable ? stages : [...before, "timechart count()"]);
    case "table":
      return written(hasTable ? stages : [...before, "top 20 host"]);
    case "compare":
      return written([...before, table ?? "timechart count()", `diff earlier=${earlier}`, ...after]);
  }
}

const LONGEST_FIRST = Object.entries(UNIT_US).reverse();

/** Returns the length of a range as a duration that `diff` reads, in whole seconds. */
export function durationOf({ fromUs, toUs }: Span): string {
  const us = Math.max(1e6, Math.round((toUs - fromUs) / 1e6) * 1e6);
  const [unit, size] = LONGEST_FIRST.find(([, size]) => us % size === 0) ?? ["s", 1e6];
  return `${us / size}${unit}`;
}

/** Returns the duration of the comparison of a query; undefined when it has none. */
export function comparedWith(query: string): string | undefined {
  const stage = stagesOf(query).find((one) => DIFF.test(one));
  return stage && (/^diff\s+(?:earlier\s*=\s*)?(\S+)$/.exec(stage)?.[1] ?? undefined);
}

/** Returns the length of a duration such as `1h`; 0 for a text that is none. */
export function microsecondsOf(duration: string): number {
  const parts = [...duration.matchAll(/(\d+)([wdhms])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_US[unit!]!, 0);
}
