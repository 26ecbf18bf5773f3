// The figures of a chart, from the answer of its panel.
//
// In: an answer: bars of counts over time, or the table of pipes. Out: labels and series, with the field and the value that
// each stands for. Holds nothing. Limits: SERIES_MAX series; the others are added up, exactly, as "other".
import type { Cell, SearchAnswer } from "../../../api/search.ts";
import type { Span } from "../../../time/range.ts";

/** Colours that can be told apart; see theme.css. */
export const SERIES_MAX = 6;
export const OTHER = "other";

export interface Series {
  name: string;
  values: (number | null)[];
  /** The value of the field that it stands for; undefined for a function or for others. */
  value?: string;
}

export interface ChartData {
  /** Starts of intervals, microseconds since 1970; undefined for a chart of values. */
  times?: number[];
  widthUs: number;
  /** The names of the points. */
  labels: string[];
  /** For each point of a chart of values, the fields and values that it stands for; empty when it stands for several. */
  keys: { field: string; value: string }[][];
  series: Series[];
  /** The field whose values are series. */
  by?: string;
}

const textOf = (cell: Cell): string =>
  cell === null ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell);
const numberOf = (cell: Cell | undefined): number | null =>
  typeof cell === "number" && Number.isFinite(cell) ? cell : null;

/** Returns the figures; undefined for an answer without any. */
export function chartOf(answer: SearchAnswer): ChartData | undefined {
  const { table, bars } = answer;
  if (!table) {
    if (!bars || bars.counts.length === 0) return undefined;
    const times = bars.counts.map((_, index) => bars.start_us + index * bars.width_us);
    return { times, widthUs: bars.width_us, labels: [], keys: [], series: [{ name: "messages", values: bars.counts }] };
  }
  if (table.columns[0] !== "time") return ofValues(table.columns, table.rows);
  return overTime(table.columns, table.rows, { fromUs: answer.from_us, toUs: answer.to_us });
}

/** Functions whose results of several groups can be added up. */
const SUMMABLE = /^(count|sum)\(/;
/** Most intervals of a chart; wider ranges are those of the rows only. */
const TIMES_MAX = 2_000;
/** Intervals of a timechart without a width, about. */
const INTERVALS = 30;

/** The starts of all intervals of a range, also of those without a row. */
function allTimes(known: number[], widthUs: number, { fromUs, toUs }: Span): number[] {
  const before = Math.max(0, Math.floor((known[0]! - fromUs) / widthUs));
  const first = known[0]! - before * widthUs - (known[0]! - before * widthUs > fromUs ? widthUs : 0);
  const count = Math.ceil((Math.max(toUs, known.at(-1)! + 1) - first) / widthUs);
  if (!(widthUs > 0) || count > TIMES_MAX) return known;
  const all = Array.from({ length: count }, (_, index) => first + index * widthUs);
  // Days of a zone may be an hour shorter or longer.
  return known.every((us) => all.includes(us)) ? all : known;
}

function overTime(columns: string[], rows: Cell[][], span: Span): ChartData | undefined {
  const at = (row: Cell[]): number => Date.parse(textOf(row[0] ?? null)) * 1000;
  const known = [...new Set(rows.map(at))].filter((us) => !Number.isNaN(us)).sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const steps = known.slice(1).map((us, index) => us - known[index]!);
  const widthUs =
    steps.length > 0 ? Math.min(...steps) : Math.max(1, Math.round((span.toUs - span.fromUs) / INTERVALS));
  const times = allTimes(known, widthUs, span);
  const index = new Map(times.map((us, position) => [us, position]));
  // A column of texts behind the time is the field of `by`.
  const isBy = columns.length > 2 && rows.some((row) => typeof row[1] === "string");
  const base = { times, widthUs, labels: [], keys: [] };
  // An interval without a row has no messages, but no average.
  const nothing = (column: string | undefined): null | 0 => (SUMMABLE.test(column ?? "") ? 0 : null);
  if (!isBy) {
    const series = columns.slice(1).map((name, column): Series => {
      const values: (number | null)[] = times.map(() => nothing(name));
      for (const row of rows) values[index.get(at(row)) ?? 0] = numberOf(row[column + 1]);
      return { name, values };
    });
    return { ...base, series: series.slice(0, SERIES_MAX) };
  }
  const byValue = new Map<string, (number | null)[]>();
  for (const row of rows) {
    const name = textOf(row[1] ?? null);
    const values = byValue.get(name) ?? times.map(() => nothing(columns[2]));
    values[index.get(at(row)) ?? 0] = numberOf(row[2]);
    byValue.set(name, values);
  }
  return { ...base, by: columns[1]!, series: largest([...byValue], columns[2]!) };
}

/** Returns the series with the largest sums; the rest are added up if the function is one that can be. */
function largest(all: [string, (number | null)[]][], column: string): Series[] {
  const sum = (values: (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const sorted = all.sort(([a, one], [b, two]) => sum(two) - sum(one) || a.localeCompare(b));
  const named = ([name, values]: [string, (number | null)[]]): Series => ({ name, values, value: name });
  if (sorted.length <= SERIES_MAX) return sorted.map(named);
  if (!SUMMABLE.test(column)) return sorted.slice(0, SERIES_MAX).map(named);
  const rest = sorted.slice(SERIES_MAX - 1).map(([, values]) => values);
  const values = rest[0]!.map((_, point) => rest.reduce((total, one) => total + (one[point] ?? 0), 0));
  return [...sorted.slice(0, SERIES_MAX - 1).map(named), { name: `${OTHER} (${rest.length})`, values }];
}

function ofValues(columns: string[], rows: Cell[][]): ChartData | undefined {
  const first = columns.findIndex((name, column) => column > 0 && isNumeric(name, column, rows));
  if (first < 1 || rows.length === 0) return undefined;
  const keys = rows.map((row) =>
    columns.slice(0, first).map((field, at) => ({ field, value: textOf(row[at] ?? null) })),
  );
  const labels = keys.map((parts) => parts.map(({ value }) => value).join(", "));
  const values = rows.map((row) => numberOf(row[first]));
  return { widthUs: 0, labels, keys, series: [{ name: columns[first]!, values }] };
}

function isNumeric(name: string, column: number, rows: Cell[][]): boolean {
  if (/^(count|sum|avg|min|max|distinct|median|p\d+)\(/.test(name) || name === "count") return true;
  return rows.some((row) => typeof row[column] === "number") && rows.every((row) => typeof row[column] !== "string");
}

/** Returns the number that a panel shows; undefined when there is none. */
export function numberIn(answer: SearchAnswer | undefined): number | undefined {
  if (!answer) return undefined;
  if (!answer.table) return answer.total;
  return numberOf(answer.table.rows[0]?.[0]) ?? undefined;
}

/** Round values for the marks of an axis from 0 to at least `most`. */
export function axisMarks(most: number, count: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const marks = [0];
  while (marks.at(-1)! < most) marks.push(Number((marks.length * step).toPrecision(12)));
  return marks;
}
