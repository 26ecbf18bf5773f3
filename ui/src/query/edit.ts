// The changes that the page makes to a query: filter by a value, exclude it, remove the filter.
//
// In: the text of a query, and a field with its value. Out: the new text. The rest of the query stays as it was written.
// Several values of one field are alternatives: host:(gw1 OR gw2). Terms are compared by what they mean, not by how they are
// quoted.
import { splitPipes, changeCondition } from "./pipes.ts";
import { tokenize, type Token } from "./tokens.ts";

export type Filter = "include" | "exclude";

// A plus or a minus is special only in front.
const SPECIAL = /^[+-]|[&|!(){}[\]^"~*?:\\/<>=\s]/;

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
  if (filterIn(query, field, value) === filter) return query;
  const rest = removeFromCondition(query, field, value).trim();
  const others = filter === "include" ? clausesOn(rest, field).find((clause) => !clause.negated) : undefined;
  if (others) return replaceClause(rest, others, field, [...others.values, value]);
  const term = filterTerm(field, value);
  const addition = filter === "exclude" ? `NOT ${term}` : term;
  if (rest === "" || rest === "*") return addition;
  return `${hasTopLevelOr(rest) ? `(${rest})` : rest} AND ${addition}`;
}

/** Returns the filter on a value at the top level of the query. */
export function activeFilter(query: string, field: string, value: string): Filter | undefined {
  return filterIn(splitPipes(query).condition, field, value);
}

function filterIn(condition: string, field: string, value: string): Filter | undefined {
  const clause = clausesOn(condition, field).find(({ values }) => values.includes(value));
  return clause && (clause.negated ? "exclude" : "include");
}

/** Returns the query without its top-level filter on the value. */
export function removeFilter(query: string, field: string, value: string): string {
  return changeCondition(query, (condition) => removeFromCondition(condition, field, value));
}

function removeFromCondition(query: string, field: string, value: string): string {
  const clause = clausesOn(query, field).find(({ values }) => values.includes(value));
  if (!clause) return query;
  const others = clause.values.filter((other) => other !== value);
  return others.length > 0 ? replaceClause(query, clause, field, others) : cut(query, clause);
}

/** Returns the query without the values that it selects of a field; undefined when it selects none at its top level. */
export function withoutSelection(query: string, field: string): string | undefined {
  const { condition } = splitPipes(query);
  const selection = clausesOn(condition, field).find((clause) => !clause.negated);
  return selection && changeCondition(query, (text) => cut(text, selection));
}

function replaceClause(query: string, clause: Clause, field: string, values: string[]): string {
  const terms = values.map(quoteValue);
  const text = `${quoteField(field)}:${terms.length === 1 ? terms[0] : `(${terms.join(" OR ")})`}`;
  const negation = clause.negated ? "NOT " : "";
  return query.slice(0, clause.from) + negation + text + query.slice(clause.to);
}

function cut(query: string, { from, to }: Clause): string {
  const left = query
    .slice(0, from)
    .replace(/\s*(?:AND|&&)\s*$/, "")
    .trimEnd();
  const right = query
    .slice(to)
    .replace(/^\s*(?:AND|&&)(?=\s)/, "")
    .trimStart();
  if (left && right) return `${left} AND ${right.replace(/^AND\s+/, "")}`;
  return left || right;
}

/** A condition on one field at the top level of a query: `host:gw1`, `NOT host:(gw1 OR gw2)`. */
interface Clause {
  from: number;
  to: number;
  negated: boolean;
  values: string[];
}

/** Returns the clauses on a field; none where the query is an OR, whose parts are no filters. */
function clausesOn(query: string, field: string): Clause[] {
  if (hasTopLevelOr(query)) return [];
  const tokens = tokenize(query);
  const clauses: Clause[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "paren") depth += query[token.from] === "(" ? 1 : -1;
    if (depth > 0 || token.kind !== "field" || unescaped(query.slice(token.from, token.to - 1)) !== field) continue;
    const values = valuesAfter(query, tokens, index);
    if (!values) continue;
    const before = tokens[index - 1];
    const operator = before ? query.slice(before.from, before.to) : "";
    const negated = operator === "NOT" || operator === "-" || operator === "!";
    clauses.push({ from: negated || operator === "+" ? before!.from : token.from, negated, ...values });
  }
  return clauses;
}

/** Reads the value behind a field, or several in parentheses with OR between them. */
function valuesAfter(query: string, tokens: Token[], field: number): { to: number; values: string[] } | undefined {
  const textOf = (token: Token): string => query.slice(token.from, token.to);
  const first = tokens[field + 1];
  if (!first || first.from !== tokens[field]!.to) return undefined;
  if (isPlain(first, textOf(first))) return { to: first.to, values: [valueOf(textOf(first))] };
  if (textOf(first) !== "(") return undefined;
  const values: string[] = [];
  for (let at = field + 2; at < tokens.length; at += 2) {
    const [value, next] = [tokens[at]!, tokens[at + 1]];
    if (!next || !isPlain(value, textOf(value))) return undefined;
    values.push(valueOf(textOf(value)));
    if (textOf(next) === ")") return { to: next.to, values };
    if (!isOr(textOf(next))) return undefined;
  }
  return undefined;
}

/** Returns true for a term that means one value: a phrase, or a word without wildcards, ranges and comparisons. */
function isPlain(token: Token, text: string): boolean {
  return token.kind === "phrase" ? /^".*"$/s.test(text) : token.kind === "term" && !/^[<>=]|[*?~^]|^\.\./.test(text);
}

function valueOf(text: string): string {
  return unescaped(text.startsWith('"') ? text.slice(1, -1) : text);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, "$1");
}

function hasTopLevelOr(query: string): boolean {
  let depth = 0;
  for (const token of tokenize(query)) {
    const text = query.slice(token.from, token.to);
    if (token.kind === "paren") depth += text === "(" ? 1 : -1;
    if (depth === 0 && isOr(text)) return true;
  }
  return false;
}

function isOr(text: string): boolean {
  return text === "OR" || text === "||";
}
