// A rule that is being written, as one value <-> the query part of its address, the specification of a saved rule, and the
// text of a file of rules.
import type { RuleSpec } from "../../api/saved-rules.ts";
import type { Severity } from "../../api/row.ts";
import { linesOf, readLines } from "./extra.ts";

export const DRAFT_KINDS = [
  "count",
  "match",
  "absence",
  "distinct",
  "new-value",
  "sequence",
  "not-followed",
  "sum",
  "avg",
  "min",
  "max",
] as const;
export type DraftKind = (typeof DRAFT_KINDS)[number];

export const THRESHOLDS = ["more-than", "at-least", "less-than", "at-most", "exactly"] as const;
export type Threshold = (typeof THRESHOLDS)[number];

export interface Draft {
  /** The first logspace when empty; several have commas. */
  logspace: string;
  query: string;
  title: string;
  description: string;
  kind: DraftKind;
  /** How the figure is compared. */
  op: Threshold;
  /** The number that it is compared with. */
  more: string;
  within: string;
  /** The fields that messages are grouped by, with commas. */
  by: string;
  /** The field whose values are counted, new or numbers. */
  field: string;
  /** The second message of a sequence. */
  then: string;
  severity: Severity;
  /** Further keys of the rule, one a line. */
  extra: string;
  /** How far back it is checked. */
  from: string;
}

export const DEFAULT_DRAFT: Draft = {
  logspace: "",
  query: "",
  title: "",
  description: "",
  kind: "count",
  op: "more-than",
  more: "10",
  within: "1m",
  by: "host",
  field: "",
  then: "",
  severity: "warning",
  extra: "",
  from: "now-7d",
};

/** Names in the address; the query and the logspace have those of the search page. */
const NAMES: [keyof Draft, string][] = [
  ["logspace", "in"],
  ["query", "q"],
  ["title", "title"],
  ["description", "description"],
  ["kind", "kind"],
  ["op", "op"],
  ["more", "more"],
  ["within", "within"],
  ["by", "by"],
  ["field", "field"],
  ["then", "then"],
  ["severity", "severity"],
  ["extra", "extra"],
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
  if (!THRESHOLDS.includes(draft.op as Threshold)) draft.op = DEFAULT_DRAFT.op;
  return draft as Draft;
}

const isFigure = (kind: DraftKind): boolean => ["sum", "avg", "min", "max"].includes(kind);
export const hasThreshold = (kind: DraftKind): boolean => kind === "count" || kind === "distinct" || isFigure(kind);
export const hasThen = (kind: DraftKind): boolean => kind === "sequence" || kind === "not-followed";
export const hasWithin = (kind: DraftKind): boolean => hasThreshold(kind) || kind === "absence" || hasThen(kind);
export const hasField = (kind: DraftKind): boolean => kind === "distinct" || kind === "new-value" || isFigure(kind);

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

const oneOrMany = (names: string[]): string | string[] => (names.length === 1 ? names[0]! : names);

/** What the rule does: the keys that both a file and a saved rule have. */
function conditionOf(draft: Draft): RuleSpec {
  const [by, logspaces, more] = [listOf(draft.by), listOf(draft.logspace), Number(draft.more)];
  return {
    severity: draft.severity,
    ...(logspaces.length ? { logspace: oneOrMany(logspaces) } : {}),
    query: draft.query.trim() || "*",
    ...(by.length ? { by: oneOrMany(by) } : {}),
    kind: draft.kind,
    ...(hasField(draft.kind) ? { field: draft.field.trim() } : {}),
    ...(hasThen(draft.kind) ? { then: draft.then.trim() || "*" } : {}),
    ...(hasThreshold(draft.kind) && draft.more.trim()
      ? { [draft.op]: Number.isFinite(more) ? more : draft.more.trim() }
      : {}),
    ...(hasWithin(draft.kind) ? { within: draft.within.trim() } : {}),
    ...readLines(draft.extra),
  };
}

/** The keys of the rule in a file, in the order in which people write them. */
export function ruleOf(draft: Draft): RuleSpec {
  const description = draft.description.trim();
  return {
    id: idOf(draft.title || draft.query),
    title: titleOf(draft),
    ...(description ? { description } : {}),
    ...conditionOf(draft),
  };
}

/** The specification of a saved rule; `first` is the logspace of a draft that names none. */
export function specOf(draft: Draft, first: string, isEnabled: boolean): RuleSpec {
  return { logspace: first, ...conditionOf(draft), enabled: isEnabled };
}

/** The draft of a saved rule; what the form has no field for is a further key. */
export function draftOf(spec: RuleSpec, name: string, description: string): Draft {
  const rest = { ...spec };
  const take = (key: string): unknown => {
    const value = rest[key];
    delete rest[key];
    return value;
  };
  const text = (key: string, other: string): string => {
    const value = take(key);
    if (value === undefined) return other;
    return Array.isArray(value) ? value.join(", ") : String(value);
  };
  take("enabled");
  const kind = text("kind", DEFAULT_DRAFT.kind) as DraftKind;
  const op = THRESHOLDS.find((key) => hasThreshold(kind) && key in rest);
  const query = text("query", "");
  return {
    ...DEFAULT_DRAFT,
    title: name,
    description,
    kind,
    logspace: text("logspace", ""),
    query: query === "*" ? "" : query,
    by: text("by", ""),
    severity: text("severity", DEFAULT_DRAFT.severity) as Severity,
    op: op ?? DEFAULT_DRAFT.op,
    // Another threshold, such as between, is a further key.
    more: op ? text(op, "") : hasThreshold(kind) ? "" : DEFAULT_DRAFT.more,
    field: hasField(kind) ? text("field", "") : DEFAULT_DRAFT.field,
    then: hasThen(kind) ? text("then", "") : DEFAULT_DRAFT.then,
    within: hasWithin(kind) ? text("within", "") : DEFAULT_DRAFT.within,
    extra: linesOf(rest),
  };
}

/** The name of the rule: the title, or what it looks for. */
export function titleOf({ title, kind, query }: Draft): string {
  const what = query.trim() || "messages";
  return title.trim() || (kind === "absence" ? `Silence: ${what}` : what).slice(0, 200);
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
function plainOrQuoted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainOrQuoted).join(", ")}]`;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[A-Za-z][A-Za-z0-9_.-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isPlain || /^\d+[smhd]$/.test(value) ? value : JSON.stringify(value);
}
