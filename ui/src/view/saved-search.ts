// The view <-> the specification of a saved search. A saved search has no open message and is never live.
import type { SavedContent, SearchSpec } from "../api/objects.ts";
import type { View } from "./view.ts";

/** Returns what is saved of a view; `logspace` is the one that the result is of. */
export function specOf(view: View, logspace: string, facets: string[]): SearchSpec {
  const { query, range, clock, columns, wrap } = view;
  return { query, logspace, time: { clock, ...range }, columns, facets, wrap };
}

/** Returns the view that a saved search opens. */
export function viewOf(spec: SearchSpec, saved: string): Partial<View> {
  const { query, logspace, columns, wrap } = spec;
  const { clock, from, to } = spec.time;
  return { query, logspace, range: { from, to }, clock, columns, wrap, live: false, open: undefined, saved };
}

/** One member in which two searches differ, with both values as text. */
export interface Difference {
  what: string;
  one: string;
  other: string;
}

const ROWS: [string, (spec: SearchSpec) => string][] = [
  ["Query", (spec) => spec.query.trim() || "all messages"],
  ["Logspace", (spec) => spec.logspace],
  ["Time", (spec) => (spec.time.from || spec.time.to ? `${spec.time.from || "…"} – ${spec.time.to || "…"}` : "all")],
  ["Clock", (spec) => spec.time.clock],
  ["Columns", (spec) => spec.columns.join(", ") || "none"],
  ["Fields", (spec) => spec.facets.join(", ") || "none"],
  ["Long messages", (spec) => (spec.wrap ? "wrapped" : "in one line")],
];

/** Lists what differs. A search without a logspace is for the first one of the reader. */
export function differences(one: SearchSpec, other: SearchSpec, first: string): Difference[] {
  const named = (spec: SearchSpec): SearchSpec => ({ ...spec, logspace: spec.logspace || first });
  const [left, right] = [named(one), named(other)];
  return ROWS.map(([what, text]) => ({ what, one: text(left), other: text(right) })).filter(
    (row) => row.one !== row.other,
  );
}

/** Lists what differs between two states of a saved search, with their names. */
export function differingMembers(
  one: Pick<SavedContent, "name" | "folder" | "tags" | "spec">,
  other: Pick<SavedContent, "name" | "folder" | "tags" | "spec">,
  first: string,
): Difference[] {
  const named = [
    { what: "Name", one: one.name, other: other.name },
    { what: "Folder", one: one.folder || "none", other: other.folder || "none" },
    { what: "Tags", one: one.tags.join(", ") || "none", other: other.tags.join(", ") || "none" },
  ].filter((row) => row.one !== row.other);
  return [...named, ...differences(one.spec, other.spec, first)];
}

/** Returns the tags of a text with commas, each once. */
export function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter(Boolean))].sort();
}

/** Returns the entries that have every word of a text in their name, folder, tags or query. */
export function matching<Entry extends { name: string; folder: string; tags: string[]; summary: string }>(
  entries: Entry[],
  text: string,
): Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ name, folder, tags, summary }) => {
    const all = [name, folder, summary, ...tags].join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
