// GET /context: the messages around one, oldest first, the anchor included.
import { ask } from "./call.ts";
import type { Row, RowId } from "./row.ts";

export type SameAs = "source" | "host" | "none";

export interface ContextQuestion {
  logspace: string;
  sequence: RowId;
  before: number;
  after: number;
  same: SameAs;
}

export function readContext(question: ContextQuestion, signal?: AbortSignal): Promise<{ rows: Row[] }> {
  return ask("context", { ...question }, signal);
}
