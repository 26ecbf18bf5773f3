// POST /search: the count, the histogram's bars, the facets and the newest rows, all of one snapshot.
import { post, type OnSessionEnd } from "./call.ts";
import type { Facet } from "./facets.ts";
import type { Row, RowId } from "./row.ts";

export type Clock = "received" | "event";

export interface TimeRange {
  clock: Clock;
  from?: string;
  to?: string;
}

export interface SearchRequest {
  logspace: string;
  query: string;
  time: TimeRange;
  limit?: number;
  /** Only rows after this one. */
  before?: RowId;
  /** Only messages of the snapshot of an earlier answer. */
  snapshot?: RowId;
  /** 30 by default; 0 for none. */
  bars?: number;
  facets?: string[];
  timeout_ms?: number;
}

export interface Bars {
  start_us: number;
  width_us: number;
  counts: number[];
  /** Set by the page: messages of the answer that are not in the bars, because they are far away in time. */
  outside?: { messages: number; farthestUs: number };
}

export interface SearchAnswer {
  snapshot: RowId;
  total: number;
  took_ms: number;
  scanned: number;
  from_us: number;
  to_us: number;
  bars: Bars;
  rows: Row[];
  facets: Facet[];
  hints: string[];
  /** Messages that could not be read: locked, or damaged on disk. */
  unread?: Unread[];
  /** Set when the time ran out: messages received before were not searched. */
  searched_from_us?: number;
  /** Set when the pipes of the query make a table; there are no rows then. */
  table?: Table;
}

/** Messages that could not be read and are missing from an answer. */
export interface Unread {
  /** Name of their logspace, in a multiple one. */
  logspace?: string;
  from_us: number;
  to_us: number;
  /** `locked`, or a description of the damage. */
  why: string;
}

export type Cell = string | number | boolean | null | Cell[] | { [name: string]: Cell };

export interface Table {
  columns: string[];
  rows: Cell[][];
  /** True when there were more rows than requested. */
  more: boolean;
}

export function search(
  request: SearchRequest,
  signal?: AbortSignal,
  onSessionEnd?: OnSessionEnd,
): Promise<SearchAnswer> {
  return post<SearchAnswer>("search", request, signal, onSessionEnd);
}
