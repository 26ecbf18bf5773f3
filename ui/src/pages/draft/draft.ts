// A rule that is being written, as one value <-> the query part of its address, and the text of a file of rules.
import type { Severity } from "../../api/row.ts";

export type DraftKind = "count" | "match" | "absence" | "distinct" | "new-value";
export const DRAFT_KINDS: readonly DraftKind[] = ["count", "match", "absence", "distinct", "new-value"];

export interface Draft {
  /** The first logspace when empty. */
  logspace: string;
  query: string;
  title: string;
  kind: DraftKind;
  /** It fires above this number. */
  more: string;
  within: string;
  /** The fields that messages are grouped by, with commas. */
  by: string;
  /** The field whose values are counted or new. */
  field: string;
  severity: Severity;
  /** How far back it is checked. */
  from: string;
}

export const DEFAULT_DRAFT: Draft = {
  logspace: "",
  query: "",
  title: "",
  kind: "count",
  more: "10",
  within: "1m",
  by: "host",
  field: "",
  severity: "warning",
  from: "now-7d",
};

/** Names in the address; the query and the logspace have those of the search page. */
const NAMES: [keyof Draft, string][] = [
  ["logspace", "in"],
  ["query", "q"],
  ["title", "title"],
  ["kind", "kind"],
  ["more", "more"],
  ["within", "within"],
  ["by", "by"],
  ["field", "field"],
  ["severity", "severity"],
  ["from", "from"],
];

export function encodeDraft(draft: Draft): string {
  const parts = new URLSearchParams();
  for (const [key, name] of NAMES) if (draft[key] !== DEFAULT_DRAFT[key]) parts.set(name, draft[key]);
  const text = parts.toString();
  return text ? `?${text}` : "";
}

export function decodeDraft(text: string): Draft {
  const parts = new URLSearchParams(text);
  const draft: Record<keyof Draft, string> = { ...DEFAULT_DRAFT };
  for (const [key, name] of NAMES) draft[key] = parts.get(name) ?? draft[key];
  if (!DRAFT_KINDS.includes(draft.kind as DraftKind)) draft.kind = DEFAULT_DRAFT.kind;
  return draft as Draft;
}

const hasThreshold = (kind: DraftKind): boolean => kind === "count" || kind === "distinct";
export const hasWithin = (kind: DraftKind): boolean => hasThreshold(kind) || kind === "absence";
export const hasField = (kind: DraftKind): boolean => kind === "distinct" || kind === "new-value";
export { hasThreshold };

/** The keys of the rule, in the order in which people write them. */
export function ruleOf(draft: Draft): Record<string, string | number | string[]> {
  const by = draft.by
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const more = Number(draft.more);
  return {
    id: idOf(draft.title || draft.query),
    title: draft.title.trim() || titleOf(draft),
    severity: draft.severity,
    ...(draft.logspace ? { logspace: draft.logspace } : {}),
    query: draft.query.trim() || "*",
    ...(by.length === 0 ? {} : { by: by.length === 1 ? by[0]! : by }),
    kind: draft.kind,
    ...(hasField(draft.kind) ? { field: draft.field.trim() } : {}),
    ...(hasThreshold(draft.kind)
      ? { "more-than": Number.isFinite(more) && draft.more.trim() ? more : draft.more }
      : {}),
    ...(hasWithin(draft.kind) ? { within: draft.within.trim() } : {}),
  };
}

function titleOf({ kind, query }: Draft): string {
  const what = query.trim() || "messages";
  return kind === "absence" ? `Silence: ${what}` : what;
}

/** An identifier: letters, digits and dashes. */
function idOf(text: string): string {
  const plain = text.normalize("NFKD").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return words.slice(0, 60).replace(/-+$/, "") || "new-rule";
}

/** The text of a file of rules. JSON is a part of YAML, so that its quotes are right for every value. */
export function fileOf(draft: Draft): string {
  const lines = Object.entries(ruleOf(draft)).map(([key, value]) => `${key}: ${plainOrQuoted(value)}`);
  return `rules:\n- ${lines.join("\n  ")}\n`;
}

/** Values that YAML could read as something else are quoted. */
function plainOrQuoted(value: string | number | string[]): string {
  if (Array.isArray(value)) return `[${value.map(plainOrQuoted).join(", ")}]`;
  if (typeof value === "number") return String(value);
  const isPlain = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain || /^\d+[smhd]$/.test(value) ? value : JSON.stringify(value);
}
