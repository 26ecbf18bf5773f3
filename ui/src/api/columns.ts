// GET /columns: the columns of a logspace.
import { ask } from "./call.ts";

export interface Column {
  name: string;
  documents: number;
  numeric: boolean;
}

export function readColumns(logspace: string, signal?: AbortSignal): Promise<Column[]> {
  return ask<Column[]>("columns", { logspace }, signal);
}
