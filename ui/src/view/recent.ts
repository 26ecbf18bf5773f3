// The latest queries, newest first; kept in this browser only.
//
// Limits: QUERIES_MAX, each of at most QUERY_CHARACTERS_MAX.

const KEY = "duramen.recent";
const QUERIES_MAX = 30;
const QUERY_CHARACTERS_MAX = 1_000;

export function recentQueries(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((query): query is string => typeof query === "string") : [];
  } catch {
    return [];
  }
}

/** Returns the list with a query put first. */
export function withQuery(queries: string[], query: string): string[] {
  const text = query.trim();
  if (!text || text === "*" || text.length > QUERY_CHARACTERS_MAX) return queries;
  return [text, ...queries.filter((known) => known !== text)].slice(0, QUERIES_MAX);
}

export function rememberQuery(query: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(withQuery(recentQueries(), query)));
  } catch {
    // A private window may refuse; then no earlier queries are offered.
  }
}
