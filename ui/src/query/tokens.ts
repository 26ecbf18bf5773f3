// Splits a query into tokens, for colours and completion. The server's parser decides what a query means; this one only has
// to find where things begin and end.
//
// In: the text. Out: tokens in order, covering everything but white space. Any text is accepted.

export type TokenKind = "term" | "field" | "phrase" | "regex" | "range" | "operator" | "paren" | "prefix" | "pipe";

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
  let atStart = true;
  while (at < query.length) {
    const rest = query.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      atStart = true;
      continue;
    }
    const [kind, length] = nextToken(rest, atStart);
    tokens.push({ kind, from: at, to: at + length });
    at += length;
    atStart = kind === "field" || kind === "prefix" || kind === "paren" || kind === "operator" || kind === "pipe";
  }
  return tokens;
}

function nextToken(rest: string, atStart: boolean): [TokenKind, number] {
  const first = rest[0]!;
  if (first === "(" || first === ")") return ["paren", 1];
  if (first === '"') return ["phrase", quotedLength(rest, '"')];
  if (atStart) {
    const operator = OPERATOR.exec(rest);
    if (operator) return ["operator", operator[0].length];
    if (first === "/")
      return ["regex", quotedLength(rest, "/") + (/^i\b/.test(rest.slice(quotedLength(rest, "/"))) ? 1 : 0)];
    if ((first === "+" || first === "-" || first === "!") && rest.length > 1 && !/\s/.test(rest[1]!))
      return ["prefix", 1];
    if (first === "[" || first === "{") {
      const end = rest.search(/[\]}]/);
      return ["range", end < 0 ? rest.length : end + 1];
    }
    const field = FIELD.exec(rest);
    if (field) return ["field", field[0].length];
  }
  if (first === "|") return ["pipe", 1];
  const term = /^(?:\\.|[^\s()"|])+/s.exec(rest);
  return ["term", Math.max(1, term?.[0].length ?? 1)];
}

function quotedLength(rest: string, delimiter: string): number {
  for (let at = 1; at < rest.length; at++) {
    if (rest[at] === "\\") at++;
    else if (rest[at] === delimiter) return at + 1;
  }
  return rest.length;
}
