// Saved objects of the kind `search`: lists, contents, versions that were seen (`If-Match`), people.
import type { Clock } from "./search.ts";
import { change, get, post } from "./call.ts";

export type Level = "view" | "edit" | "own";

/** The specification of a saved search. */
export interface SearchSpec {
  query: string;
  /** Empty for the first logspace of the reader. */
  logspace: string;
  time: { clock: Clock; from: string; to: string };
  columns: string[];
  facets: string[];
  wrap: boolean;
}

/** A saved search in a list. */
export interface SavedSummary {
  id: string;
  name: string;
  folder: string;
  description: string;
  tags: string[];
  /** The query, shortened. */
  summary: string;
  owner: string;
  /** True when the owner's account was removed. */
  owner_removed?: boolean;
  revision: number;
  changed_us: number;
  changed_by: string;
  deleted_us?: number;
  /** The file that it is kept in; it can only be read here. */
  file?: string;
  level: Level;
  shared: boolean;
}

export interface AclItem {
  /** `everyone`, or `user:` and a name. */
  principal: string;
  level: Level;
}

export interface SavedSearch extends SavedSummary {
  spec: SearchSpec;
  /** For those who own it. */
  acl?: AclItem[];
}

/** A version of a saved search. */
export interface SavedVersion {
  revision: number;
  action: "create" | "change" | "share" | "delete" | "restore";
  changed_us: number;
  changed_by: string;
  comment: string;
  name: string;
  folder: string;
}

/** What its editors decide. */
export type SavedContent = Pick<SavedSearch, "name" | "folder" | "description" | "tags" | "spec">;

/** The answer when somebody else has changed the search since it was read. */
export interface ChangedAnswer {
  current: SavedSearch;
}

const LIST_MAX = 500;

const etag = (seen: SavedSummary): string => `"${seen.revision}"`;
const path = (id: string): string => `objects/${encodeURIComponent(id)}`;

export function listSearches(
  deleted: boolean,
  signal?: AbortSignal,
): Promise<{ objects: SavedSummary[]; more: boolean }> {
  return get("objects", { kind: "search", limit: LIST_MAX, ...(deleted ? { deleted: "true" } : {}) }, signal);
}

export function readSearch(id: string): Promise<SavedSearch> {
  return get(path(id));
}

export function createSearch(content: SavedContent): Promise<SavedSearch> {
  return post("objects", { kind: "search", ...content });
}

export function changeSearch(seen: SavedSummary, content: SavedContent): Promise<SavedSearch> {
  return change("PUT", path(seen.id), etag(seen), { kind: "search", ...content });
}

export function deleteSearch(seen: SavedSummary): Promise<SavedSearch> {
  return change("DELETE", path(seen.id), etag(seen));
}

/** Brings a deleted search back; with a revision, a search to the content that it had then. */
export function restoreSearch(seen: SavedSummary, revision?: number): Promise<SavedSearch> {
  return change("POST", `${path(seen.id)}/restore`, etag(seen), revision === undefined ? {} : { revision });
}

export function listVersions(id: string): Promise<SavedVersion[]> {
  return get(`${path(id)}/versions`);
}

export function readVersion(id: string, revision: number): Promise<SavedSearch> {
  return get(`${path(id)}/versions/${revision}`);
}

/** Shares a search; an owner is named only to give it away. */
export function shareSearch(seen: SavedSummary, acl: AclItem[], owner?: string): Promise<SavedSearch> {
  return change("PUT", `${path(seen.id)}/acl`, etag(seen), owner === undefined ? { acl } : { acl, owner });
}
