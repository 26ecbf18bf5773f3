// A part of the query language, enough to develop the page: words, phrases, fields, wildcards, ranges, regular
// expressions, AND OR NOT + - and groups. The real one is in the server; this one gives answers of the same form.
import { columnOf, type Row } from "../src/api/row.ts";
import { SEVERITIES } from "./data.ts";

export class SyntaxProblem extends Error {
  readonly position: number;
  readonly length: number;
  readonly suggestion: string;
  constructor(message: string, position: number, length: number, suggestion: string) {
    super(message);
    this.position = position;
    this.length = length;
    this.suggestion = suggestion;
  }
}

export interface Compiled {
  matches(row: Row): boolean;
  /** Positions of the matches in the message, as [start, length]. */
  highlights(row: Row): [number, number][];
  hints: string[];
}

type Test = (row: Row) => boolean;
interface Token {
  kind: "word" | "phrase" | "regex" | "range" | "open" | "close";
  text: string;
  field: string;
  sign: "" | "+" | "-";
  at: number;
  length: number;
}

export function compile(query: string): Compiled {
  const tokens = lex(query);
  const marks: RegExp[] = [];
  const hints: string[] = [];
  let at = 0;

  const peek = (): Token | undefined => tokens[at];
  const isOperator = (token: Token | undefined, ...words: string[]): boolean =>
    token?.kind === "word" && !token.field && words.includes(token.text);

  function anyOf(): Test {
    const parts = [allOf()];
    while (isOperator(peek(), "OR", "||")) {
      at++;
      parts.push(allOf());
    }
    return parts.length === 1 ? parts[0]! : (row) => parts.some((part) => part(row));
  }

  function allOf(): Test {
    const parts = [one()];
    for (;;) {
      const token = peek();
      if (!token || token.kind === "close" || isOperator(token, "OR", "||")) break;
      if (isOperator(token, "AND", "&&")) at++;
      parts.push(one());
    }
    return parts.length === 1 ? parts[0]! : (row) => parts.every((part) => part(row));
  }

  function one(): Test {
    const token = peek();
    if (!token || token.kind === "close") {
      const where = token?.at ?? query.length;
      throw new SyntaxProblem("a term is missing here", where, 1, "add a term, or remove the operator before it");
    }
    at++;
    if (isOperator(token, "NOT", "!")) {
      const inner = one();
      return (row) => !inner(row);
    }
    if (isOperator(token, "AND", "OR", "&&", "||")) {
      throw new SyntaxProblem(`${token.text} needs a term before it`, token.at, token.length, `remove ${token.text}`);
    }
    if (isOperator(token, "and", "or", "not"))
      hints.push(`"${token.text}" in lower case is a word; write ${token.text.toUpperCase()} to join`);
    let test: Test;
    if (token.kind === "open") {
      test = anyOf();
      if (peek()?.kind !== "close")
        throw new SyntaxProblem("missing closing parenthesis", token.at, 1, "add ) at the end");
      at++;
      if (token.field) test = ((inner) => inner)(test);
    } else {
      test = leaf(token, marks);
    }
    return token.sign === "-" ? (row) => !test(row) : test;
  }

  const test: Test = tokens.length === 0 ? () => true : anyOf();
  const rest = peek();
  if (rest) throw new SyntaxProblem("unexpected closing parenthesis", rest.at, 1, "remove )");
  return {
    matches: test,
    hints,
    highlights: (row) =>
      marks
        .flatMap((mark) => [...row.message.matchAll(mark)].map((hit): [number, number] => [hit.index, hit[0].length]))
        .filter(([, length]) => length > 0)
        .sort((a, b) => a[0] - b[0]),
  };
}

function lex(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    if (/\s/.test(query[at]!)) {
      at++;
      continue;
    }
    const start = at;
    let sign: Token["sign"] = "";
    if ((query[at] === "+" || query[at] === "-") && at + 1 < query.length && !/\s/.test(query[at + 1]!))
      sign = query[at++] as "+" | "-";
    if (query[at] === "!") {
      tokens.push({ kind: "word", text: "!", field: "", sign: "", at, length: 1 });
      at++;
      continue;
    }
    const name = /^((?:\\.|[\w.@*-])+):(?=\S)/.exec(query.slice(at));
    const field = name ? name[1]!.replace(/\\(.)/g, "$1") : "";
    if (name) at += name[0].length;
    const push = (kind: Token["kind"], text: string): void => {
      tokens.push({ kind, text, field, sign, at: start, length: at - start });
    };
    const head = query[at];
    if (head === "(") {
      at++;
      push("open", "(");
    } else if (head === ")") {
      at++;
      push("close", ")");
    } else if (head === '"') {
      const end = closing(query, at, '"');
      if (end < 0) throw new SyntaxProblem("missing closing quote", at, 1, 'add " at the end');
      const text = query.slice(at + 1, end).replace(/\\(.)/g, "$1");
      at = end + 1;
      push("phrase", text);
    } else if (head === "/") {
      const end = closing(query, at, "/");
      if (end < 0)
        throw new SyntaxProblem(
          "missing closing slash of a regular expression",
          at,
          1,
          "add / at the end, or write \\/ for a slash",
        );
      const text = query.slice(at + 1, end);
      at = end + 1;
      if (query[at] === "i") at++;
      push("regex", text);
    } else if (head === "[" || head === "{") {
      const end = query.slice(at).search(/[\]}]/);
      if (end < 0) throw new SyntaxProblem("missing end of the range", at, 1, "add ] at the end");
      const text = query.slice(at, at + end + 1);
      at += end + 1;
      push("range", text);
    } else {
      let text = "";
      while (at < query.length && !/[\s()"]/.test(query[at]!)) {
        if (query[at] === "\\" && at + 1 < query.length) at++;
        text += query[at++];
      }
      push("word", text);
    }
  }
  return tokens;
}

function closing(query: string, open: number, mark: string): number {
  for (let at = open + 1; at < query.length; at++) {
    if (query[at] === "\\") at++;
    else if (query[at] === mark) return at;
  }
  return -1;
}

function leaf(token: Token, marks: RegExp[]): Test {
  const { field, text, kind } = token;
  if (kind === "word" && !field && text === "*") return () => true;
  if (field === "_exists_") return (row) => columnOf(row, text) !== "";
  if (field && kind === "word" && text === "*") return (row) => columnOf(row, field) !== "";
  if (kind === "range" || (field && /^[<>]=?/.test(text))) return range(token);
  let pattern: RegExp;
  try {
    if (kind === "regex") pattern = new RegExp(text, "gi");
    else {
      const body = text
        .replace(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", field ? ".*" : "[^\\s]*")
        .replaceAll("?", ".");
      pattern =
        field && field !== "message" ? new RegExp(`^${body}$`, "gi") : new RegExp(`(?<![\\w])${body}(?![\\w])`, "gi");
    }
  } catch {
    throw new SyntaxProblem(
      "this regular expression cannot be read",
      token.at,
      token.length,
      "escape special characters with \\",
    );
  }
  const plain = new RegExp(pattern.source, "i");
  if (!field || field === "message") {
    marks.push(pattern);
    return (row) => plain.test(row.message) || (!field && (plain.test(row.host) || plain.test(row.program)));
  }
  return (row) => plain.test(columnOf(row, field));
}

function range(token: Token): Test {
  const rank = (value: string): number => (token.field === "severity" ? SEVERITIES.indexOf(value) : Number(value));
  let low = -Infinity,
    high = Infinity;
  const compared = /^([<>]=?)(.+)$/.exec(token.text);
  const between = /^([[{])\s*(\S+)\s+TO\s+(\S+)\s*([\]}])$/.exec(token.text);
  if (compared) {
    const bound = rank(compared[2]!);
    if (compared[1]!.startsWith("<")) high = compared[1] === "<" ? bound - 0.5 : bound;
    else low = compared[1] === ">" ? bound + 0.5 : bound;
  } else if (between) {
    if (between[2] !== "*") low = rank(between[2]!) + (between[1] === "{" ? 0.5 : 0);
    if (between[3] !== "*") high = rank(between[3]!) - (between[4] === "}" ? 0.5 : 0);
  } else {
    throw new SyntaxProblem("a range reads [low TO high]", token.at, token.length, "write for example [100 TO 200]");
  }
  return (row) => {
    const text = columnOf(row, token.field);
    const value = text === "" ? NaN : rank(text);
    return value >= low && value <= high;
  };
}
