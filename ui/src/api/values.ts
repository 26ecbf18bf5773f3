// GET /values: values of a column that start with a prefix, with counts; for completion.
import { get } from "./call.ts";
import type { FacetValue } from "./facets.ts";

export function readValues(
  request: { logspace: string; column: string; prefix: string; limit: number },
  signal?: AbortSignal,
): Promise<FacetValue[]> {
  return get<FacetValue[]>("values", request, signal, "report");
}
