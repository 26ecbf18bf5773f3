// Further keys of a rule as text, `key: value` a line <-> the same as values.
//
// In: what somebody types; the keys of a rule that the form has no field for. Out: the same. A value is JSON, a list in
// brackets, or a text; the server names keys that it does not know.
import type { RuleSpec } from "../../api/saved-rules.ts";

export function readLines(text: string): RuleSpec {
  const found: RuleSpec = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    const key = (at < 0 ? line : line.slice(0, at)).trim();
    if (key) found[key] = at < 0 ? "" : valueOf(line.slice(at + 1).trim());
  }
  return found;
}

export function linesOf(keys: RuleSpec): string {
  return Object.entries(keys)
    .map(([key, value]) => `${key}: ${shown(value)}`)
    .join("\n");
}

function valueOf(text: string): unknown {
  const json = parsed(text);
  if (json !== undefined) return json;
  const list = /^\[(.*)\]$/.exec(text);
  if (!list) return text;
  return list[1]!
    .split(",")
    .map((part) => valueOf(part.trim()))
    .filter((part) => part !== "");
}

/** A text is shown without quotes if it is read back as the same text. */
function shown(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return valueOf(value) === value && value.trim() === value && !value.includes("\n") ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
