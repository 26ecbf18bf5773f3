// The reason why a result is empty, so that the page can offer the one thing that helps.
import { readLogspaces, type Logspace } from "../../../api/logspaces.ts";
import { timeOf } from "../../../api/row.ts";
import { search, type SearchAnswer, type SearchQuestion } from "../../../api/search.ts";

export type Nothing =
  /** The configuration has no logspace. */
  | { why: "no-logspace" }
  /** The logspace has no message at all yet. */
  | { why: "first-run" }
  /** Some of the searched messages are locked, away or damaged: the answer does not include them. */
  | { why: "unread" }
  /** There are messages that match, but not in this range. */
  | { why: "range"; total: number; nearestUs: number }
  /** Nothing matches, at any time. */
  | { why: "query" };

export async function whyNothing(
  question: SearchQuestion,
  { unread = [] }: SearchAnswer,
  logspaces: Logspace[],
  signal: AbortSignal,
): Promise<Nothing> {
  if (unread.length > 0) return { why: "unread" };
  const known = logspaces.find(({ name }) => name === question.logspace);
  if (known?.messages === 0) {
    const now = (await readLogspaces(signal)).find(({ name }) => name === question.logspace);
    if (!now || now.messages === 0) return { why: "first-run" };
  }
  const ever = await search({ ...question, time: { clock: question.time.clock }, limit: 1, bars: 0 }, signal);
  const newest = ever.rows[0];
  if (ever.total === 0 || !newest) return { why: "query" };
  const nearestUs = timeOf(newest, question.time.clock);
  return { why: "range", total: ever.total, nearestUs };
}
