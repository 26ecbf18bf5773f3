// GET /validate: checks a query; an error has its position.
import { ask, type ErrorBody } from "./call.ts";

export interface Validity {
  valid: boolean;
  hints?: string[];
  error?: ErrorBody;
}

export function validate(query: string, signal?: AbortSignal): Promise<Validity> {
  return ask<Validity>("validate", { query }, signal);
}
