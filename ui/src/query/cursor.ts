// The position of the cursor in a query: in a field's name or in its value. Also positions as the server
// counts them.
import { quoteValue } from "./edit.ts";
import { tokenize } from "./tokens.ts";

export type Place =
  | { kind: "name"; from: number; prefix: string }
  | { kind: "command"; from: number; prefix: string }
  | { kind: "value"; from: number; prefix: string; field: string };

/** Returns the text to complete at the cursor; undefined inside phrases, ranges and regular expressions. */
export function placeAt(query: string, cursor: number): Place | undefined {
  const tokens = tokenize(query);
  const index = tokens.findIndex((token) => token.from < cursor && cursor <= token.to);
  const token = tokens[index];
  const behind = token ? tokens[index - 1] : tokens.findLast((known) => known.to <= cursor);
  if (behind?.kind === "pipe" && (!token || token.kind === "term"))
    return { kind: "command", from: token?.from ?? cursor, prefix: query.slice(token?.from ?? cursor, cursor) };
  if (!token) return { kind: "name", from: cursor, prefix: "" };
  const text = query.slice(token.from, cursor);
  if (token.kind === "field") {
    if (cursor === token.to) return { kind: "value", from: cursor, prefix: "", field: fieldName(text) };
    return { kind: "name", from: token.from, prefix: text };
  }
  const before = tokens[index - 1];
  const ofField = before?.kind === "field" && before.to === token.from;
  if (ofField && (token.kind === "term" || token.kind === "phrase")) {
    const prefix = token.kind === "phrase" ? text.slice(1).replace(/\\(.)/g, "$1") : text;
    return { kind: "value", from: token.from, prefix, field: fieldName(query.slice(before.from, before.to)) };
  }
  if (token.kind === "term") return { kind: "name", from: token.from, prefix: text };
  if (token.kind === "paren" || token.kind === "sign") return { kind: "name", from: cursor, prefix: "" };
  return undefined;
}

function fieldName(text: string): string {
  return text.replace(/:=*$/, "").replace(/\\(.)/g, "$1");
}

/** Returns a completed value as it is written into the query. */
export const writtenValue = quoteValue;

/** The server counts characters, JavaScript UTF-16 units. */
export function unitsOf(query: string, characters: number): number {
  let units = 0;
  let seen = 0;
  for (const character of query) {
    if (seen++ >= characters) break;
    units += character.length;
  }
  return units;
}
