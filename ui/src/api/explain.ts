// POST /explain: what a search costs, and where its time goes.
import { post } from "./call.ts";
import type { SearchRequest } from "./search.ts";

/** The ways in which a part of a condition is decided. */
export type Reads = "parts" | "nothing" | "words" | "columns" | "text";

export interface ExplainedPart {
  /** The condition in words. */
  asks: string;
  reads: Reads;
  /** Segments in which it was evaluated. */
  segments: number;
  /** Distinct words or values that match. */
  words?: number;
  /** Entries of the lists of these words. */
  postings?: number;
  /** Messages that may match. */
  messages: number;
  /** Messages among them that the index cannot decide. */
  undecided: number;
  took_ms: number;
  parts?: ExplainedPart[];
}

export interface Explanation {
  tree: ExplainedPart;
  pipes: string[];
  segments: number;
  skipped_by_time: number;
  messages: number;
  /** Messages, blocks and bytes whose text is read. */
  messages_read: number;
  blocks_read: number;
  bytes_read: number;
  index_ms: number;
  estimated_ms: number;
}

export type ExplainRequest = Pick<SearchRequest, "logspace" | "query" | "time" | "timeout_ms">;

export function explain(request: ExplainRequest, signal?: AbortSignal): Promise<Explanation> {
  return post<Explanation>("explain", request, signal);
}
