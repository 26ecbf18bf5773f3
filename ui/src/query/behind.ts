// The query for the messages behind a value of a table.
//
// In: the query that made the table, a column and its value. Out: the query that finds the messages; undefined where a value
// stands for no messages, as a count does. Fields that pipes make are asked with the same pipes.
import type { Cell } from "../api/search.ts";
import { addFilter, filterTerm } from "./edit.ts";
import { splitPipes } from "./pipes.ts";
import { tokenize } from "./tokens.ts";

/** What stands in a pattern for a word that changes. */
const GAP = "<*>";
/** Patterns of longer messages are cut here, in bytes. */
const PATTERN_BYTES_MAX = 1024;
/** Pipes that make fields of messages, and those that keep messages. */
const MAKERS = new Set(["rex", "json", "kv", "where"]);
const TIMES = new Set(["@received", "@event"]);

/** Returns the commands of the pipes of a query, each with its arguments. */
export function stagesOf(query: string): string[] {
  const { condition } = splitPipes(query);
  const bars = tokenize(query).filter((token) => token.kind === "pipe" && token.from >= condition.length);
  return bars.map((bar, index) => query.slice(bar.to, bars[index + 1]?.from ?? query.length).trim());
}

const commandOf = (stage: string): string => /^\w+/.exec(stage)?.[0] ?? "";

/** Returns a condition on the whole text of messages that have a pattern. */
export function patternTerm(pattern: string): string {
  const literal = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&");
  const isCut = new TextEncoder().encode(pattern).length >= PATTERN_BYTES_MAX;
  return `message:/^${pattern.split(GAP).map(literal).join("\\S+")}${isCut ? "" : "$"}/`;
}

/** Returns the query for the messages with a value in a column. `isField` tells the fields that messages have. */
export function messagesBehind(
  query: string,
  column: string,
  value: Cell,
  isField: (name: string) => boolean,
): string | undefined {
  const { condition } = splitPipes(query);
  const stages = stagesOf(query);
  const and = (term: string): string => joined(condition, term);
  if (typeof value !== "string") return undefined;
  if (column === "pattern" && stages.some((stage) => commandOf(stage) === "patterns")) return and(patternTerm(value));
  if (TIMES.has(column)) return and(`${column}:["${value}" TO "${value}"]`);
  // What a pipe makes hides a field of the same name.
  const makers = stages.slice(
    0,
    Math.max(
      0,
      stages.findIndex((stage) => !MAKERS.has(commandOf(stage))),
    ),
  );
  const kept = stages.every((stage) => MAKERS.has(commandOf(stage))) ? stages : makers;
  if (kept.some((stage) => makes(stage, column)))
    return `${condition || "*"} | ${[...kept, `where ${filterTerm(column, value)}`].join(" | ")}`;
  return isField(column) ? addFilter(condition, column, value, "include") : undefined;
}

/** Returns true if a stage may make a field. The names of an object's members are in the messages only. */
function makes(stage: string, field: string): boolean {
  const command = commandOf(stage);
  if (command === "rex") return stage.includes(`(?<${field}>`) || stage.includes(`(?P<${field}>`);
  return (command === "json" || command === "kv") && !field.startsWith("@");
}

function joined(condition: string, term: string): string {
  const text = condition.trim();
  if (text === "" || text === "*") return term;
  const isOr = tokenize(text).some((token) => /^(OR|\|\|)$/.test(text.slice(token.from, token.to)));
  return `${isOr ? `(${text})` : text} AND ${term}`;
}
