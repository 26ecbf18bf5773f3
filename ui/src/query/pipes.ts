// Splits a query into its condition, which selects messages, and its pipes.
//
// In: the text of a query. Out: both parts. The server's parser is the authority; this one only has to find the first `|`.
import { tokenize } from "./tokens.ts";

/** The commands of pipes, each with a description, for completion. */
export const COMMANDS: [string, string][] = [
  ["stats", "count() by host"],
  ["top", "20 host"],
  ["timechart", "5m count()"],
  ["patterns", "texts that messages have in common"],
  ["where", "ms:>500"],
  ["rex", '"user=(?<user>\\w+)"'],
  ["json", "fields of an object"],
  ["kv", "name=value pairs"],
  ["sort", "-count"],
  ["head", "100"],
  ["fields", "host, message"],
  ["dedup", "host"],
  ["context", "5 5"],
  ["diff", "earlier=1d"],
  ["terms", "host"],
];

/** Returns the condition without the pipes, and the pipes from the first `|` on. */
export function splitPipes(query: string): { condition: string; pipes: string } {
  const pipe = tokenize(query).find((token) => token.kind === "pipe");
  if (!pipe) return { condition: query, pipes: "" };
  return { condition: query.slice(0, pipe.from).trimEnd(), pipes: query.slice(pipe.from) };
}

export function hasPipes(query: string): boolean {
  return splitPipes(query).pipes !== "";
}

/** Returns the query with its condition changed and the same pipes. */
export function changeCondition(query: string, change: (condition: string) => string): string {
  const { condition, pipes } = splitPipes(query);
  const changed = change(condition);
  return pipes ? `${changed || "*"} ${pipes}` : changed;
}
