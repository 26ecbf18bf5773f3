// POST /facets: the top values of columns, for the messages that a search selects.
import { post, type OnSessionEnd } from "./call.ts";
import type { RowId } from "./row.ts";
import type { TimeRange } from "./search.ts";

export interface FacetValue {
  value: string;
  count: number;
}

export interface Facet {
  column: string;
  values: FacetValue[];
  /** Rows whose value is not among `values`. */
  other: number;
  distinct: number;
  /** Rows that have a value in the column. */
  coverage: number;
  /** Counted without the query's own selection of this column: what another selection would find. */
  alternatives?: boolean;
}

export interface FacetsRequest {
  logspace: string;
  query: string;
  time: TimeRange;
  columns: string[];
  limit?: number;
  snapshot?: RowId;
}

export function readFacets(
  request: FacetsRequest,
  signal?: AbortSignal,
  onSessionEnd?: OnSessionEnd,
): Promise<{ facets: Facet[]; snapshot: RowId }> {
  return post("facets", request, signal, onSessionEnd);
}
