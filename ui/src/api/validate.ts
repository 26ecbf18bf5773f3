// GET /validate: checks a query; an error has its position.
import { get, type ErrorBody } from "./call.ts";

export interface Validity {
  valid: boolean;
  hints?: string[];
  error?: ErrorBody;
}

export function validate(query: string, signal?: AbortSignal): Promise<Validity> {
  return get<Validity>("validate", { query }, signal, "report");
}
