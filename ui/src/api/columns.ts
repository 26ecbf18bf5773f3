// GET /columns: the columns of a logspace.
import { get } from "./call.ts";

export interface Column {
  name: string;
  documents: number;
  numeric: boolean;
}

export function readColumns(logspace: string, signal?: AbortSignal): Promise<Column[]> {
  return get<Column[]>("columns", { logspace }, signal, "report");
}
