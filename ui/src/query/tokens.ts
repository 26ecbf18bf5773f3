// The words of a query, for colours and completion. The server's parser decides what a query means; this one only has
// to be right about where things begin and end.
//
// In: the text. Out: tokens in order, covering all but white space. Total: any text is accepted.

export type TokenKind = "term" | "field" | "phrase" | "regex" | "range" | "operator" | "paren" | "sign" | "pipe";

export interface Token {
  kind: TokenKind;
  from: number;
  to: number;
}

const OPERATOR = /^(?:AND|OR|NOT|&&|\|\|)(?=[\s()]|$)/;
const FIELD = /^(?:\\.|[^\s()"\\/:[\]{}|<>=!+-]|[+-](?=\w))(?:\\.|[^\s()"\\/:[\]{}|<>=])*:(?!:)(?:==?)?/;

export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  // A "/" starts a regular expression only where a value can stand.
  let fresh = true;
  while (at < query.length) {
    const rest = query.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      fresh = true;
      continue;
    }
    const [kind, length] = next(rest, fresh);
    tokens.push({ kind, from: at, to: at + length });
    at += length;
    fresh = kind === "field" || kind === "sign" || kind === "paren" || kind === "operator" || kind === "pipe";
  }
  return tokens;
}

function next(rest: string, fresh: boolean): [TokenKind, number] {
  const head = rest[0]!;
  if (head === "(" || head === ")") return ["paren", 1];
  if (head === '"') return ["phrase", quoted(rest, '"')];
  if (fresh) {
    const operator = OPERATOR.exec(rest);
    if (operator) return ["operator", operator[0].length];
    if (head === "/") return ["regex", quoted(rest, "/") + (/^i\b/.test(rest.slice(quoted(rest, "/"))) ? 1 : 0)];
    if ((head === "+" || head === "-" || head === "!") && rest.length > 1 && !/\s/.test(rest[1]!)) return ["sign", 1];
    if (head === "[" || head === "{") {
      const end = rest.search(/[\]}]/);
      return ["range", end < 0 ? rest.length : end + 1];
    }
    const field = FIELD.exec(rest);
    if (field) return ["field", field[0].length];
  }
  if (head === "|") return ["pipe", 1];
  const term = /^(?:\\.|[^\s()"|])+/s.exec(rest);
  return ["term", Math.max(1, term?.[0].length ?? 1)];
}

function quoted(rest: string, mark: string): number {
  for (let at = 1; at < rest.length; at++) {
    if (rest[at] === "\\") at++;
    else if (rest[at] === mark) return at + 1;
  }
  return rest.length;
}
