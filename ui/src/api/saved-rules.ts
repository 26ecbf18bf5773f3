// Saved objects of the kind `rule`: rules that people keep on the server.
import { ApiError, change, get, post } from "./call.ts";
import type { SavedSummary } from "./objects.ts";

/** The keys of a rule, as files of rules have them; `enabled`. */
export type RuleSpec = Record<string, unknown>;

export interface SavedRule extends SavedSummary {
  spec: RuleSpec;
}

/** What its editors decide. */
export type RuleContent = Pick<SavedRule, "name" | "folder" | "description" | "tags" | "spec">;

const path = (id: string): string => `objects/${encodeURIComponent(id)}`;
const etag = (seen: SavedSummary): string => `"${seen.revision}"`;

export function readSavedRule(id: string): Promise<SavedRule> {
  return get(path(id));
}

export function createRule(content: RuleContent): Promise<SavedRule> {
  return post("objects", { kind: "rule", ...content });
}

export function changeRule(seen: SavedSummary, content: RuleContent): Promise<SavedRule> {
  const { name, folder, description, tags, spec } = content;
  return change("PUT", path(seen.id), etag(seen), { kind: "rule", name, folder, description, tags, spec });
}

export function deleteRule(seen: SavedSummary): Promise<SavedRule> {
  return change("DELETE", path(seen.id), etag(seen));
}

/** Gives a rule to another owner, with whose rights it runs from then on; those it is shared with stay. */
export async function giveRule(seen: SavedSummary, owner: string): Promise<SavedRule> {
  const { acl } = await get<{ acl: unknown[] }>(`${path(seen.id)}/acl`);
  return change("PUT", `${path(seen.id)}/acl`, etag(seen), { acl, owner });
}

/** The state that somebody else has saved meanwhile, if that is why a change was refused. */
export function changedMeanwhile(cause: unknown): SavedRule | undefined {
  if (!(cause instanceof ApiError) || cause.body.code !== "changed") return undefined;
  return (cause.answer as { current: SavedRule }).current;
}
