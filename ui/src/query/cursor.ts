// Finds what the cursor is in, for completion: a field's name, its value or a pipe's command.
//
// In: the text of a query and the cursor. Out: the start and the kind of the text to complete. Also converts positions as the
// server counts them.
import { tokenize } from "./tokens.ts";

export type CursorContext =
  | { kind: "name"; from: number; prefix: string; inPipe: boolean }
  | { kind: "command"; from: number; prefix: string }
  | { kind: "value"; from: number; prefix: string; field: string };

/** Returns the text to complete at the cursor; undefined inside phrases, ranges and regular expressions. */
export function cursorContext(query: string, cursor: number): CursorContext | undefined {
  const tokens = tokenize(query);
  const index = tokens.findIndex((token) => token.from < cursor && cursor <= token.to);
  const token = tokens[index];
  const previous = token ? tokens[index - 1] : tokens.findLast((other) => other.to <= cursor);
  if (previous?.kind === "pipe" && (!token || token.kind === "term"))
    return { kind: "command", from: token?.from ?? cursor, prefix: query.slice(token?.from ?? cursor, cursor) };
  // Commands other than `where` take names of fields, not conditions.
  const pipe = tokens.findLastIndex(
    (other, at) => other.kind === "pipe" && (index < 0 || at < index) && other.to <= cursor,
  );
  const command = pipe < 0 ? undefined : tokens[pipe + 1];
  const inPipe = command !== undefined && query.slice(command.from, command.to) !== "where";
  if (!token) return { kind: "name", from: cursor, prefix: "", inPipe };
  const text = query.slice(token.from, cursor);
  if (token.kind === "field") {
    if (cursor === token.to) return { kind: "value", from: cursor, prefix: "", field: fieldName(text) };
    return { kind: "name", from: token.from, prefix: text, inPipe };
  }
  const field = tokens[index - 1];
  const ofField = field?.kind === "field" && field.to === token.from;
  if (ofField && (token.kind === "term" || token.kind === "phrase")) {
    const prefix = token.kind === "phrase" ? text.slice(1).replace(/\\(.)/g, "$1") : text;
    return { kind: "value", from: token.from, prefix, field: fieldName(query.slice(field.from, field.to)) };
  }
  if (token.kind === "term") return { kind: "name", from: token.from, prefix: text, inPipe };
  if (token.kind === "paren" || token.kind === "prefix") return { kind: "name", from: cursor, prefix: "", inPipe };
  return undefined;
}

function fieldName(text: string): string {
  return text.replace(/:=*$/, "").replace(/\\(.)/g, "$1");
}

/** Converts a position in characters, as the server counts, to UTF-16 units, as JavaScript counts. */
export function utf16Offset(query: string, characters: number): number {
  let units = 0;
  let seen = 0;
  for (const character of query) {
    if (seen++ >= characters) break;
    units += character.length;
  }
  return units;
}
