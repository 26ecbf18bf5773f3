// The changes that the page makes to a query: filter by a value, exclude it, remove the filter.
//
// In: the text of a query, and a field with its value. Out: the new text. The rest of the query stays as it was written.
import { splitPipes, changeCondition } from "./pipes.ts";
import { tokenize } from "./tokens.ts";

export type Filter = "include" | "exclude";

const SPECIAL = /[+\-&|!(){}[\]^"~*?:\\/<>=\s]/;

/** Returns a value as a term: plain if possible, else a phrase. */
export function quoteValue(value: string): string {
  if (value !== "" && !SPECIAL.test(value) && !/^(AND|OR|NOT)$/i.test(value)) return value;
  return `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

export function quoteField(name: string): string {
  // A dash or a dot inside a name is not special; other special characters get a backslash.
  return name.replace(/[+&|!(){}[\]^"~*?:\\/<>=\s]/g, "\\$&").replace(/^-/, "\\-");
}

/** Shortens a name for headings: the prefix of all structured data is left out. */
export function shortName(name: string): string {
  return name.replace(/^\.SDATA\./, "");
}

export function filterTerm(field: string, value: string): string {
  return `${quoteField(field)}:${quoteValue(value)}`;
}

/** Returns the query with the filter added; it replaces the opposite filter on the same value and is not repeated. */
export function addFilter(query: string, field: string, value: string, filter: Filter): string {
  return changeCondition(query, (condition) => addToCondition(condition, field, value, filter));
}

function addToCondition(query: string, field: string, value: string, filter: Filter): string {
  const term = filterTerm(field, value);
  const addition = filter === "exclude" ? `NOT ${term}` : term;
  if (activeFilter(query, field, value) === filter) return query;
  const rest = removeFilter(query, field, value).trim();
  if (rest === "" || rest === "*") return addition;
  return `${needsParentheses(rest) ? `(${rest})` : rest} AND ${addition}`;
}

/** Returns the filter on a value at the top level of the query. */
export function activeFilter(query: string, field: string, value: string): Filter | undefined {
  const position = findFilter(splitPipes(query).condition, filterTerm(field, value));
  return position && (position.negated ? "exclude" : "include");
}

/** Returns the query without its top-level filter on the value. */
export function removeFilter(query: string, field: string, value: string): string {
  return changeCondition(query, (condition) => removeFromCondition(condition, field, value));
}

function removeFromCondition(query: string, field: string, value: string): string {
  const position = findFilter(query, filterTerm(field, value));
  if (!position) return query;
  const left = query
    .slice(0, position.from)
    .replace(/\s*(?:AND|&&)\s*$/, "")
    .trimEnd();
  const right = query
    .slice(position.to)
    .replace(/^\s*(?:AND|&&)(?=\s)/, "")
    .trimStart();
  if (left && right) return `${left} AND ${right.replace(/^AND\s+/, "")}`;
  return left || right;
}

interface FilterPosition {
  from: number;
  to: number;
  negated: boolean;
}

function findFilter(query: string, term: string): FilterPosition | undefined {
  const tokens = tokenize(query);
  if (tokens.some((token) => isOr(query.slice(token.from, token.to)) && depthAt(query, token.from) === 0))
    return undefined;
  for (const [index, token] of tokens.entries()) {
    const value = tokens[index + 1];
    if (token.kind !== "field" || !value || query.slice(token.from, value.to) !== term) continue;
    if (depthAt(query, token.from) > 0) continue;
    const before = tokens[index - 1];
    const operator = before && query.slice(before.from, before.to);
    const negated = operator === "NOT" || operator === "-" || operator === "!";
    const hasOperator = negated || operator === "+";
    return { from: hasOperator ? before!.from : token.from, to: value.to, negated };
  }
  return undefined;
}

function needsParentheses(query: string): boolean {
  return tokenize(query).some((token) => isOr(query.slice(token.from, token.to)) && depthAt(query, token.from) === 0);
}

function isOr(text: string): boolean {
  return text === "OR" || text === "||";
}

function depthAt(query: string, at: number): number {
  let depth = 0;
  for (const token of tokenize(query)) {
    if (token.from >= at) break;
    if (token.kind === "paren") depth += query[token.from] === "(" ? 1 : -1;
  }
  return depth;
}
