// The mock's answers to searches, in the form of the real API.
import { columnOf, FIXED_COLUMNS, valuesOf } from "../src/api/row.ts";
import type { ExplainRequest, Explanation } from "../src/api/explain.ts";
import type { Facet } from "../src/api/facets.ts";
import type { SearchAnswer, SearchRequest, Table, TimeRange } from "../src/api/search.ts";
import { rawOf, type Store, type Row } from "./data.ts";
import { compile } from "./query.ts";

const UNIT_US: Record<string, number> = { s: 1e6, m: 60e6, h: 3600e6, d: 86_400e6, w: 604_800e6 };

/** ISO 8601, seconds since 1970, or now with an offset. */
export function instant(text: string, nowUs: number): number {
  const relative = /^now(?:([+-]\d+)([smhdw]))?$/.exec(text);
  if (relative) return nowUs + (relative[1] ? Number(relative[1]) * UNIT_US[relative[2]!]! : 0);
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1e6);
  // Date keeps milliseconds only: the rest of the fraction is added by hand.
  const fraction = /\.(\d+)/.exec(text)?.[1]?.padEnd(6, "0").slice(0, 6) ?? "0";
  const whole = Date.parse(text.replace(/\.\d+/, ""));
  if (Number.isNaN(whole)) throw new RangeError(`cannot read the time ${text}`);
  return whole * 1000 + Number(fraction);
}

function timeOf(row: Row, time: TimeRange): number {
  return time.clock === "event" ? row.event_us : row.received_us;
}

interface Selected {
  rows: Row[];
  fromUs: number;
  toUs: number;
  hints: string[];
  highlights(row: Row): [number, number][];
}

function select(store: Store, query: string, time: TimeRange, nowUs: number, snapshot?: number): Selected {
  const compiled = compile(query);
  const fromUs = time?.from ? instant(time.from, nowUs) : (store.rows[0]?.received_us ?? nowUs);
  const toUs = time?.to ? instant(time.to, nowUs) : nowUs;
  const seen = snapshot === undefined ? store.rows : store.rows.slice(0, snapshot);
  const rows = seen.filter((row) => {
    const at = timeOf(row, time ?? { clock: "received" });
    return at >= fromUs && at < toUs && compiled.matches(row);
  });
  return { rows, fromUs, toUs, hints: compiled.hints, highlights: compiled.highlights };
}

export function answerSearch(store: Store, question: SearchRequest, nowUs: number): SearchAnswer {
  const started = performance.now();
  const time = question.time ?? { clock: "received" };
  const [query = "", ...pipes] = (question.query ?? "").split(/\s*\|\s*/);
  // The mock's logspaces are local: rows and snapshots have numbers.
  const snapshot = question.snapshot === undefined ? undefined : Number(question.snapshot);
  const found = select(store, query, time, nowUs, snapshot);
  const below =
    question.before === undefined ? found.rows : found.rows.filter((row) => row.sequence < Number(question.before));
  const limit = question.limit ?? 200;
  const newest = limit === 0 ? [] : below.slice(-limit).reverse();
  const answer: SearchAnswer = {
    snapshot: store.rows.length,
    total: found.rows.length,
    took_ms: 0,
    scanned: store.rows.length,
    from_us: found.fromUs,
    to_us: found.toUs,
    rows: newest.map((row) => ({ ...row, highlights: found.highlights(row) })),
    bars: { start_us: 0, width_us: 0, counts: [] },
    facets: [],
    hints: found.hints,
  };
  const bars = question.bars ?? 30;
  if (bars > 0) {
    const width = Math.max(1, Math.ceil((found.toUs - found.fromUs) / bars));
    const counts = new Array<number>(bars).fill(0);
    for (const row of found.rows) counts[Math.min(bars - 1, Math.floor((timeOf(row, time) - found.fromUs) / width))]!++;
    answer.bars = { start_us: found.fromUs, width_us: width, counts };
  }
  if (pipes.length > 0) {
    const table = piped(found.rows, pipes[0]!, time);
    answer.table = pipes[1]?.startsWith("diff") ? compared(table) : table;
    answer.rows = [];
  }
  answer.facets = (question.facets ?? []).map((column) => facet(found.rows, column, 10));
  answer.took_ms = performance.now() - started;
  return answer;
}

/** The mock has no index: each word of the query is a part that reads all messages. */
export function answerExplain(store: Store, question: ExplainRequest, nowUs: number): Explanation {
  const started = performance.now();
  const [query = "", ...pipes] = (question.query ?? "").split(/\s*\|\s*/);
  const told = (asks: string): Explanation["tree"] => {
    const messages = select(store, asks, question.time, nowUs).rows.length;
    return {
      asks: asks || "any",
      reads: "text",
      segments: 1,
      messages,
      undecided: 0,
      took_ms: performance.now() - started,
    };
  };
  const words = query.split(/\s+(?:AND\s+)?/).filter((word) => word !== "");
  const whole = told(query);
  const parts = words.length > 1 ? words.map(told) : [];
  const messages = select(store, "", question.time, nowUs).rows.length;
  const took_ms = performance.now() - started;
  return {
    tree: parts.length > 0 ? { ...whole, asks: "AND", reads: "parts", parts } : whole,
    pipes: pipes.map((pipe) => `| ${pipe}`),
    segments: 1,
    skipped_by_time: 0,
    messages,
    messages_read: messages,
    blocks_read: 1,
    bytes_read: messages * 61,
    index_ms: took_ms,
    estimated_ms: took_ms,
  };
}

/** `top FIELD`, `timechart count()` and `timechart count() by FIELD`, by the hour. */
function piped(rows: Row[], pipe: string, time: TimeRange): Table {
  const words = pipe.split(/\s+/);
  const [command, column] = [words[0], words.at(-1)!];
  if (command === "patterns") return patterns(rows);
  const top = facet(rows, column, 10).values;
  if (command !== "timechart") {
    const share = (count: number): number => Math.round((10_000 * count) / Math.max(1, rows.length)) / 100;
    return {
      columns: [column, "count", "percent"],
      rows: top.map(({ value, count }) => [value, count, share(count)]),
      more: false,
    };
  }
  const hour = 3_600_000_000;
  if (column === "count()") {
    const counts = new Map<number, number>();
    for (const row of rows) {
      const start = Math.floor(timeOf(row, time) / hour) * hour;
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
    const sorted = [...counts].sort(([a], [b]) => a - b);
    return {
      columns: ["time", "count"],
      rows: sorted.map(([start, count]) => [new Date(start / 1000).toISOString(), count]),
      more: false,
    };
  }
  const made = top.flatMap(({ value }) => {
    const counts = new Map<number, number>();
    for (const row of rows.filter((row) => columnOf(row, column) === value)) {
      const start = Math.floor(timeOf(row, time) / hour) * hour;
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
    return [...counts].map(([start, count]) => [new Date(start / 1000).toISOString(), value, count]);
  });
  return { columns: ["time", column, "count"], rows: made, more: false };
}

/** `diff`: the mock compares with half of the counts. */
function compared({ columns, rows, more }: Table): Table {
  const known = columns.filter((name) => name !== "percent");
  const made = rows.map((row) => {
    const cells = row.slice(0, known.length);
    const count = Number(cells.at(-1));
    return [...cells, Math.floor(count / 2), Math.ceil(count / 2)];
  });
  const of = known.at(-1)!;
  return { columns: [...known, `earlier ${of}`, `change ${of}`], rows: made, more };
}

/** Counts texts with each word that has a digit left out. */
function patterns(rows: Row[]): Table {
  const counts = new Map<string, number>();
  for (const { message } of rows) {
    const pattern = message.replace(/[\w.-]*\d[\w.-]*/g, "<*>");
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 50);
  return { columns: ["pattern", "count"], rows: sorted, more: counts.size > 50 };
}

function facet(rows: Row[], column: string, limit: number): Facet {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const value of valuesOf(row, column)) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const values = sorted.slice(0, limit).map(([value, count]) => ({ value, count }));
  const coverage = sorted.reduce((sum, [, count]) => sum + count, 0);
  const shown = values.reduce((sum, { count }) => sum + count, 0);
  return { column, values, other: coverage - shown, distinct: counts.size, coverage };
}

export function answerFacets(
  store: Store,
  question: { query: string; time: TimeRange; columns: string[]; limit?: number; snapshot?: number },
  nowUs: number,
): { facets: Facet[]; snapshot: number } {
  const snapshot = question.snapshot ?? store.rows.length;
  const { rows } = select(store, question.query, question.time, nowUs, snapshot);
  return { facets: question.columns.map((column) => facet(rows, column, question.limit ?? 10)), snapshot };
}

export function answerColumns(store: Store): { name: string; documents: number; numeric: boolean }[] {
  const documents = new Map<string, number>();
  const numeric = new Map<string, boolean>();
  for (const row of store.rows) {
    for (const name of [...FIXED_COLUMNS, ...Object.keys(row.values)]) {
      const text = columnOf(row, name);
      if (text === "") continue;
      documents.set(name, (documents.get(name) ?? 0) + 1);
      numeric.set(name, (numeric.get(name) ?? true) && /^-?\d+(\.\d+)?$/.test(text));
    }
  }
  return [...documents].map(([name, count]) => ({ name, documents: count, numeric: numeric.get(name)! }));
}

export function answerValues(
  store: Store,
  column: string,
  prefix: string,
  limit: number,
): { value: string; count: number }[] {
  const wanted = prefix.toLowerCase();
  return facet(store.rows, column, Infinity)
    .values.filter(({ value }) => value.toLowerCase().startsWith(wanted))
    .slice(0, limit);
}

export function answerContext(
  store: Store,
  question: { sequence: number; before: number; after: number; same: string },
): { rows: Row[] } | undefined {
  const anchor = store.rows[question.sequence];
  if (!anchor) return undefined;
  const related = (row: Row): boolean =>
    question.same === "none" ||
    (question.same === "host" ? row.host === anchor.host : row.source === anchor.source && row.peer === anchor.peer);
  const walk = (step: number, wanted: number): Row[] => {
    const rows: Row[] = [];
    for (let at = anchor.sequence + step; rows.length < wanted && store.rows[at]; at += step) {
      if (related(store.rows[at]!)) rows.push(store.rows[at]!);
    }
    return rows;
  };
  return { rows: [...walk(-1, question.before).reverse(), anchor, ...walk(1, question.after)] };
}

export function answerMessage(store: Store, sequence: number): unknown {
  const row = store.rows[sequence];
  if (!row) return undefined;
  const tokens = [...new Set(row.message.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  return { ...row, raw_base64: Buffer.from(rawOf(row)).toString("base64"), tokens };
}
