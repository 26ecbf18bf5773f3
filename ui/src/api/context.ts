// GET /context: the messages around one, oldest first, the anchor included.
import { get } from "./call.ts";
import type { Row, RowId } from "./row.ts";

export type SameAs = "source" | "host" | "none";

export interface ContextRequest {
  logspace: string;
  sequence: RowId;
  before: number;
  after: number;
  same: SameAs;
}

export function readContext(request: ContextRequest, signal?: AbortSignal): Promise<{ rows: Row[] }> {
  return get("context", { ...request }, signal);
}
