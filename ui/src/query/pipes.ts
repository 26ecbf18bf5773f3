// Splits a query into its question and its pipes.
//
// In: the query text. Out: both parts. The server's parser decides; this one only has to see the first `|`.
import { tokenize } from "./tokens.ts";

/** The commands of pipes, each with a description, for completion. */
export const COMMANDS: [string, string][] = [
  ["stats", "count() by host"],
  ["top", "20 host"],
  ["timechart", "5m count()"],
  ["patterns", "what texts have in common"],
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

/** The question without its pipes, and the pipes from the first `|` on. */
export function splitPipes(query: string): { question: string; pipes: string } {
  const bar = tokenize(query).find((token) => token.kind === "pipe");
  if (!bar) return { question: query, pipes: "" };
  return { question: query.slice(0, bar.from).trimEnd(), pipes: query.slice(bar.from) };
}

export function hasPipes(query: string): boolean {
  return splitPipes(query).pipes !== "";
}

/** Returns the query with another question before the same pipes. */
export function withQuestion(query: string, change: (question: string) => string): string {
  const { question, pipes } = splitPipes(query);
  const changed = change(question);
  return pipes ? `${changed || "*"} ${pipes}` : changed;
}
