// GET /message: one message with everything known about it.
import { get } from "./call.ts";
import type { Row, RowId } from "./row.ts";

export interface FullRow extends Row {
  /** The bytes as received. */
  raw_base64: string;
  /** The words under which the index finds it. */
  tokens: string[];
}

export function readMessage(logspace: string, sequence: RowId, signal?: AbortSignal): Promise<FullRow> {
  return get<FullRow>("message", { logspace, sequence }, signal);
}
