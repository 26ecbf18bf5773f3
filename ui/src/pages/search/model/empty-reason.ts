// The reason why a result is empty, so that the page can offer the one action that helps.
import { readLogspaces, type Logspace } from "../../../api/logspaces.ts";
import { timeOf } from "../../../api/row.ts";
import { search, type SearchAnswer, type SearchRequest } from "../../../api/search.ts";

export type EmptyReason =
  /** The configuration has no logspace. */
  | { kind: "no-logspace" }
  /** The logspace has no message at all yet. */
  | { kind: "first-run" }
  /** Some of the searched messages are locked, away or damaged: the answer does not include them. */
  | { kind: "unread" }
  /** There are messages that match, but not in this range. */
  | { kind: "range"; total: number; nearestUs: number }
  /** Nothing matches, at any time. */
  | { kind: "query" };

export async function findEmptyReason(
  request: SearchRequest,
  { unread = [] }: SearchAnswer,
  logspaces: Logspace[],
  signal: AbortSignal,
): Promise<EmptyReason> {
  if (unread.length > 0) return { kind: "unread" };
  const known = logspaces.find(({ name }) => name === request.logspace);
  if (known?.messages === 0) {
    const now = (await readLogspaces()).find(({ name }) => name === request.logspace);
    if (!now || now.messages === 0) return { kind: "first-run" };
  }
  const ever = await search({ ...request, time: { clock: request.time.clock }, limit: 1, bars: 0 }, signal);
  const newest = ever.rows[0];
  if (ever.total === 0 || !newest) return { kind: "query" };
  const nearestUs = timeOf(newest, request.time.clock);
  return { kind: "range", total: ever.total, nearestUs };
}
