// GET /values: values of a column that start with a prefix, with counts; for completion.
import { ask } from "./call.ts";
import type { FacetValue } from "./facets.ts";

export function readValues(
  question: { logspace: string; column: string; prefix: string; limit: number },
  signal?: AbortSignal,
): Promise<FacetValue[]> {
  return ask<FacetValue[]>("values", question, signal);
}
