// A mock of the server, to develop and test the page: the API of docs/manual/http-api.md over generated
// messages, plus the built page itself with the real Content-Security-Policy, below any path prefix.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import {
  answerColumns,
  answerContext,
  answerExplain,
  answerFacets,
  answerMessage,
  answerSearch,
  answerValues,
} from "./answer.ts";
import type { SearchRequest } from "../src/api/search.ts";
import { MockAccount } from "./account.ts";
import { MockAlerts } from "./alerts.ts";
import { fill, type Store } from "./data.ts";
import { asRefusal, cookieOf, readBody, Refusal, reply } from "./http.ts";
import { MockObjects } from "./objects.ts";
import { MockPeople } from "./people.ts";
import { compile } from "./query.ts";
import { runPanels } from "./dashboards.ts";

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const SEARCH_MEMBERS = [
  "logspace",
  "query",
  "default_operator",
  "time",
  "limit",
  "before",
  "snapshot",
  "bars",
  "facets",
  "timeout_ms",
];
const EXPLAIN_MEMBERS = ["logspace", "query", "default_operator", "time", "run", "timeout_ms"];
const FACETS_MEMBERS = ["logspace", "query", "default_operator", "time", "columns", "limit", "snapshot", "timeout_ms"];
/** The addresses of the page. */
const DOCUMENTS: Record<string, string> = {
  "": "index.html",
  alerts: "index.html",
  "alerts/rules": "nested.html",
  "alerts/new": "nested.html",
  profile: "index.html",
  dashboards: "index.html",
  "admin/users": "nested.html",
  "admin/rights": "nested.html",
  "admin/roles": "nested.html",
  invitation: "index.html",
};
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

export interface MockOptions {
  /** Folder of the built page; without it only the API is served. */
  pages?: string;
  /** "/" or "/some/prefix/". */
  prefix?: string;
  messages?: number;
  /** New messages a second. */
  rate?: number;
  password?: string;
  /** Milliseconds added to every search. */
  delay?: number;
}

const LISTENERS = [
  { transport: "udp", address: "0.0.0.0", port: 5514 },
  { transport: "tcp", address: "0.0.0.0", port: 5514 },
];

const MAY = ["search", "export", "administer"];

const nowUs = (): number => Date.now() * 1000;

export async function startMock(port: number, options: MockOptions = {}): Promise<{ server: Server; stores: Store[] }> {
  const stores = [
    fill("main", options.messages ?? 40_000, nowUs(), 7),
    fill("audit", Math.min(2_000, options.messages ?? 2_000), nowUs(), 11),
    fill("empty", 0, nowUs(), 3),
  ];
  const mock = new Mock(stores, options);
  const server = createServer((request, response) => void mock.serve(request, response));
  const rate = options.rate ?? 3;
  if (rate > 0) {
    const timer = setInterval(() => {
      const fresh = Math.random() * rate * 0.5;
      stores[0]!.grow(nowUs(), Math.floor(fresh) + (Math.random() < fresh % 1 ? 1 : 0));
    }, 250);
    server.on("close", () => clearInterval(timer));
  }
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  return { server, stores };
}

class Mock {
  private readonly prefix: string;
  private readonly objects = new MockObjects();
  private readonly alerts: MockAlerts;
  private readonly account: MockAccount;
  private readonly people = new MockPeople();
  private failures = 0;

  constructor(
    private readonly stores: Store[],
    private readonly options: MockOptions,
  ) {
    this.prefix = options.prefix ?? "/";
    this.alerts = new MockAlerts(stores[0]!, this.objects);
    this.account = new MockAccount(options.password ?? "heartwood");
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    try {
      if (!url.pathname.startsWith(this.prefix)) throw new Refusal(404, "not_found", "nothing here");
      const path = url.pathname.slice(this.prefix.length);
      if (path.startsWith("api/v1/")) await this.api(path.slice(7), url.searchParams, request, response);
      else if (path.startsWith("o/")) response.writeHead(303, { Location: `../?load=${path.slice(2)}` }).end();
      else await this.page(path, response);
    } catch (cause) {
      if (response.headersSent) return void response.end();
      const refusal = asRefusal(cause);
      const headers: Record<string, string> = refusal.status === 429 ? { "Retry-After": "20" } : {};
      reply(response, refusal.status, { error: refusal.body }, headers);
    }
  }

  private async page(path: string, response: ServerResponse): Promise<void> {
    if (!this.options.pages) throw new Refusal(404, "not_found", "the page is not built");
    const name = normalize(/^dashboards\/[a-z0-9-]+$/.test(path) ? "nested.html" : (DOCUMENTS[path] ?? path)).replace(
      /^(\.\.[/\\])+/,
      "",
    );
    const bytes = await readFile(join(this.options.pages, name)).catch(() => undefined);
    if (!bytes) throw new Refusal(404, "not_found", `no page ${name}`);
    response.writeHead(200, {
      "Content-Type": TYPES[extname(name)] ?? "application/octet-stream",
      "Content-Security-Policy": POLICY,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    });
    response.end(bytes);
  }

  private async api(
    path: string,
    asked: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (request.method !== "GET" && request.headers["x-requested-by"] !== "duramen") {
      throw new Refusal(403, "forbidden", "the header X-Requested-By: duramen is missing");
    }
    if (path === "health")
      return reply(response, 200, { status: "ok", logspaces: this.stores.map(({ name }) => name) });
    if (path === "login/code") {
      const { ticket, code } = await readBody(request);
      this.account.checkCode(ticket, code);
      return this.opened(request, response);
    }
    if (path === "login") return this.login(await readBody(request), request, response);
    if (path === "invitation" || path === "invitation/accept") return this.people.invitation(path, request, response);
    if (!this.account.has(cookieOf(request)) && !this.basic(request))
      throw new Refusal(401, "unauthorized", "log in first");
    if (/^(sessions|password|tokens|factor)(\/|$)/.test(path) && (await this.account.serve(path, request, response)))
      return;
    const people = {
      logspaces: this.stores.map(({ name }) => name),
      confirm: (password: unknown) => this.account.confirm(password),
    };
    if (await this.people.serve(path, request, response, people)) return;
    if (path === "objects" || path.startsWith("objects/")) return this.objects.serve(path, asked, request, response);
    if (/^(alerts|rules)(\/|$)/.test(path)) return this.alerts.serve(path, asked, request, response);
    const board = /^dashboards\/(?:([a-z0-9-]+)\/)?run$/.exec(path);
    if (board) {
      const body = await readBody(request);
      const spec = board[1] ? this.objects.spec(board[1]) : body.spec;
      const run = (board[1] ? body : body.run) as never;
      const search = (asked: SearchRequest) => answerSearch(this.store(asked.logspace), asked, nowUs());
      return reply(response, 200, runPanels(spec as never, run, search));
    }
    const call = `${request.method} ${path}`;
    switch (call) {
      case "POST logout":
        this.account.close(cookieOf(request));
        return reply(response, 200, {});
      case "GET session":
        return reply(response, 200, {
          user: "admin",
          version: "0.1.0",
          host: "loghost",
          listeners: LISTENERS,
          may: MAY,
          administers: true,
        });
      case "GET logspaces":
        return reply(response, 200, this.stores.map(describe));
      case "POST search": {
        const body = known(await readBody(request), SEARCH_MEMBERS);
        await new Promise((done) => setTimeout(done, this.options.delay ?? 0));
        return reply(response, 200, answerSearch(this.store(body.logspace), body as never, nowUs()));
      }
      case "POST facets": {
        const body = known(await readBody(request), FACETS_MEMBERS);
        return reply(response, 200, answerFacets(this.store(body.logspace), body as never, nowUs()));
      }
      case "POST explain": {
        const body = known(await readBody(request), EXPLAIN_MEMBERS);
        return reply(response, 200, answerExplain(this.store(body.logspace), body as never, nowUs()));
      }
      case "POST seal":
        return reply(response, 200, { sealed_below: 0 });
      case "POST package": {
        const body = known(await readBody(request), ["logspace", "query", "time"]);
        if (String(body.query).includes("|"))
          throw new Refusal(400, "bad_request", "a package holds messages: leave out what stands behind |");
        const { total } = answerSearch(this.store(body.logspace), { ...body, limit: 0 } as never, nowUs());
        const made = { id: "1", name: "evidence-mock", messages: total, segments: 1, manifest: "5e".repeat(32) };
        return reply(response, 200, made);
      }
      case "GET package":
        response.writeHead(200, {
          "Content-Type": "application/x-tar",
          "Content-Disposition": 'attachment; filename="evidence-mock.tar"',
        });
        return void response.end(new Uint8Array(1024));
      case "GET columns":
        return reply(response, 200, answerColumns(this.store(asked.get("logspace"))));
      case "GET values":
        return reply(
          response,
          200,
          answerValues(
            this.store(asked.get("logspace")),
            asked.get("column") ?? "",
            asked.get("prefix") ?? "",
            Number(asked.get("limit") ?? 10),
          ),
        );
      case "GET validate":
        return reply(response, 200, validity(asked.get("query") ?? ""));
      case "GET context":
        return reply(
          response,
          200,
          found(
            answerContext(this.store(asked.get("logspace")), {
              sequence: Number(asked.get("sequence")),
              before: Number(asked.get("before") ?? 5),
              after: Number(asked.get("after") ?? 5),
              same: asked.get("same") ?? "source",
            }),
          ),
        );
      case "GET message":
        return reply(
          response,
          200,
          found(answerMessage(this.store(asked.get("logspace")), Number(asked.get("sequence")))),
        );
      case "GET tail":
        return this.tail(asked, request, response);
      default:
        throw new Refusal(404, "not_found", `no call ${call}`);
    }
  }

  private login(body: Record<string, unknown>, request: IncomingMessage, response: ServerResponse): void {
    if (this.failures >= 5) throw new Refusal(429, "too_many_attempts", "too many attempts; wait 20 s");
    if (body.user !== "admin" || body.password !== this.account.password) {
      this.failures++;
      throw new Refusal(401, "unauthorized", "user or password is wrong");
    }
    this.failures = 0;
    const ticket = this.account.ticket();
    if (ticket) {
      const message = "this user has a second factor: a log-in needs its code after the password";
      return reply(response, 401, { error: { code: "code_needed", message }, ticket });
    }
    this.opened(request, response);
  }

  private opened(request: IncomingMessage, response: ServerResponse): void {
    const session = this.account.open(request);
    reply(
      response,
      200,
      { user: "admin" },
      { "Set-Cookie": `duramen_session=${session}; HttpOnly; SameSite=Strict; Path=/` },
    );
  }

  private basic(request: IncomingMessage): boolean {
    const pair = Buffer.from(request.headers.authorization?.replace(/^Basic /, "") ?? "", "base64").toString();
    return pair === `admin:${this.account.password}`;
  }

  private store(name: unknown): Store {
    const store =
      name === undefined || name === null ? this.stores[0] : this.stores.find((known) => known.name === name);
    if (!store) throw new Refusal(404, "not_found", `no logspace ${String(name)}`);
    return store;
  }

  private tail(asked: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const store = this.store(asked.get("logspace"));
    const compiled = compile(asked.get("query") ?? "");
    let next = Number(request.headers["last-event-id"] ?? asked.get("after") ?? store.rows.length);
    let matched = 0;
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.flushHeaders();
    const rows = setInterval(() => {
      for (const row of store.rows.slice(next)) {
        next = row.sequence + 1;
        if (!compiled.matches(row)) continue;
        matched++;
        response.write(
          `event: row\nid: ${next}\ndata: ${JSON.stringify({ ...row, highlights: compiled.highlights(row) })}\n\n`,
        );
      }
    }, 100);
    const status = setInterval(() => {
      response.write(
        `event: status\ndata: ${JSON.stringify({ matched, shown: matched, missed: 0, sequence: next })}\n\n`,
      );
    }, 1_000);
    request.on("close", () => {
      clearInterval(rows);
      clearInterval(status);
    });
  }
}

function describe(store: Store): unknown {
  const { name, rows } = store;
  return {
    name,
    kind: "local",
    may: MAY,
    locked: false,
    unlocked: false,
    messages: rows.length,
    bytes: rows.length * 61,
    oldest_us: rows[0]?.received_us,
    newest_us: rows.at(-1)?.received_us,
  };
}

function validity(query: string): unknown {
  try {
    return { valid: true, hints: compile(query.split("|")[0]!).hints };
  } catch (cause) {
    return { valid: false, error: asRefusal(cause).body };
  }
}

/** Refuses misspelt members instead of ignoring them, as the server does. */
function known(body: Record<string, unknown>, members: string[]): Record<string, unknown> {
  const odd = Object.keys(body).find((name) => !members.includes(name));
  if (odd) throw new Refusal(400, "bad_request", `unknown member ${odd}`);
  return body;
}

function found<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Refusal(404, "not_found", "no such message");
  return answer;
}
