// The columns of a table: which are numeric, and the series of its chart over time.
//
// In: the table of an answer. Out: numbers for a plot. Limits: SERIES_MAX lines; the others are added up.
import type { Cell, Table } from "../../../api/search.ts";

/** Most lines of a chart: more cannot be distinguished. */
export const SERIES_MAX = 8;

export const isNumeric = (table: Table, column: number): boolean =>
  table.rows.some((row) => typeof row[column] === "number") &&
  table.rows.every((row) => row[column] === null || typeof row[column] === "number");

/** The microseconds since 1970 of a time of a table, which may have more digits than a Date keeps. */
export function microseconds(text: string): number {
  const fraction = /\.(\d+)Z$/.exec(text)?.[1] ?? "";
  const seconds = Math.floor(Date.parse(text) / 1000);
  return seconds * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

export interface Series {
  /** Seconds since 1970, ascending. */
  times: number[];
  lines: { name: string; values: (number | null)[] }[];
}

/** Returns the lines of a table whose first column is a time: one for each value of its text columns, or one for each
 * numeric column. */
export function seriesOf(table: Table): Series | undefined {
  if (table.columns[0] !== "time" || table.rows.length < 2) return undefined;
  const numberColumns = table.columns
    .map((_, column) => column)
    .filter((column) => column > 0 && isNumeric(table, column));
  const textColumns = table.columns
    .map((_, column) => column)
    .filter((column) => column > 0 && !numberColumns.includes(column));
  if (numberColumns.length === 0) return undefined;
  const times = [...new Set(table.rows.map((row) => Date.parse(String(row[0])) / 1000))].sort((a, b) => a - b);
  if (times.some(Number.isNaN)) return undefined;
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const lines = new Map<string, (number | null)[]>();
  const setPoint = (name: string, row: Cell[], column: number): void => {
    const value = row[column];
    if (typeof value !== "number") return;
    const line = lines.get(name) ?? new Array<number | null>(times.length).fill(textColumns.length ? 0 : null);
    line[indexOf.get(Date.parse(String(row[0])) / 1000)!] = value;
    lines.set(name, line);
  };
  for (const row of table.rows) {
    if (textColumns.length)
      setPoint(textColumns.map((column) => String(row[column] ?? "")).join(" "), row, numberColumns[0]!);
    else for (const column of numberColumns) setPoint(table.columns[column]!, row, column);
  }
  return { times, lines: largestSeries(lines) };
}

function largestSeries(lines: Map<string, (number | null)[]>): Series["lines"] {
  const sum = (values: (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const all = [...lines].map(([name, values]) => ({ name, values }));
  all.sort((a, b) => sum(b.values) - sum(a.values));
  if (all.length <= SERIES_MAX) return all;
  const rest = all.slice(SERIES_MAX - 1);
  const values = rest[0]!.values.map((_, index) => rest.reduce((total, line) => total + (line.values[index] ?? 0), 0));
  return [...all.slice(0, SERIES_MAX - 1), { name: `${rest.length} others`, values }];
}
