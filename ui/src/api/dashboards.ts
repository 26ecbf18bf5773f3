// Saved objects of the kind `dashboard`, and the answers of all panels of one.
import { change, get, post, type ErrorBody, type OnSessionEnd } from "./call.ts";
import type { AclItem, SavedSummary } from "./objects.ts";
import type { RowId } from "./row.ts";
import type { Clock, SearchAnswer } from "./search.ts";

export type PanelKind = "number" | "line" | "bar" | "pie" | "table" | "messages" | "heat" | "text";

export interface PanelOptions {
  rows?: number;
  columns?: string[];
  compare?: boolean;
  unit?: string;
}

/** A panel on the grid of twelve columns. */
export interface Panel {
  id: string;
  title: string;
  kind: PanelKind;
  x: number;
  y: number;
  w: number;
  h: number;
  /** Empty for that of the dashboard. */
  logspace: string;
  query: string;
  /** Times of its own. */
  time?: { from: string; to: string };
  text?: string;
  options: PanelOptions;
}

export interface Parameter {
  name: string;
  title: string;
  type: "text" | "number";
  default: string;
}

export interface DashboardSpec {
  logspace: string;
  time: { clock: Clock; from: string; to: string };
  refresh_s: number;
  parameters: Parameter[];
  panels: Panel[];
}

export interface Dashboard extends SavedSummary {
  spec: DashboardSpec;
  acl?: AclItem[];
}

export type DashboardContent = Pick<Dashboard, "name" | "folder" | "description" | "tags" | "spec">;

export interface FieldValue {
  field: string;
  value: string;
}

/** The times, the logspace and the values with which panels are searched. */
export interface RunRequest {
  from?: string;
  to?: string;
  clock?: Clock;
  in?: string;
  params?: Record<string, string>;
  filters?: FieldValue[];
  panels?: string[];
}

export interface PanelAnswer {
  id: string;
  logspace: string;
  /** The query with the values of parameters and the filters. */
  query: string;
  answer?: SearchAnswer;
  previous?: SearchAnswer;
  error?: ErrorBody;
}

export interface RunAnswer {
  taken_us: number;
  snapshot: Record<string, RowId>;
  panels: PanelAnswer[];
}

const LIST_MAX = 500;
const etag = (seen: SavedSummary): string => `"${seen.revision}"`;
const path = (id: string): string => `objects/${encodeURIComponent(id)}`;

export function listDashboards(signal?: AbortSignal): Promise<{ objects: SavedSummary[]; more: boolean }> {
  return get("objects", { kind: "dashboard", limit: LIST_MAX }, signal);
}

export function readDashboard(id: string, signal?: AbortSignal): Promise<Dashboard> {
  return get(path(id), {}, signal);
}

export function createDashboard(content: DashboardContent): Promise<Dashboard> {
  return post("objects", { kind: "dashboard", ...content });
}

export function changeDashboard(seen: SavedSummary, content: DashboardContent): Promise<Dashboard> {
  return change("PUT", path(seen.id), etag(seen), { kind: "dashboard", ...content });
}

export function deleteDashboard(seen: SavedSummary): Promise<Dashboard> {
  return change("DELETE", path(seen.id), etag(seen));
}

export function shareDashboard(seen: SavedSummary, acl: AclItem[]): Promise<Dashboard> {
  return change("PUT", `${path(seen.id)}/acl`, etag(seen), { acl });
}

export function runDashboard(
  id: string,
  request: RunRequest,
  signal?: AbortSignal,
  onSessionEnd?: OnSessionEnd,
): Promise<RunAnswer> {
  return post(`dashboards/${encodeURIComponent(id)}/run`, request, signal, onSessionEnd);
}

/** Runs a dashboard that is not saved. */
export function runDraft(spec: DashboardSpec, run: RunRequest, signal?: AbortSignal): Promise<RunAnswer> {
  return post("dashboards/run", { spec, run }, signal);
}
