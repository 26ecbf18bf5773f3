// The account of the mock's one user: its password, its sessions beside the browsers', its API tokens.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenSession } from "../src/api/sessions.ts";
import type { ApiToken, NewToken } from "../src/api/tokens.ts";
import { cookieOf, readBody, Refusal, reply } from "./http.ts";

/** The code that the mock accepts as that of an app. */
export const MOCK_CODE = "123456";
const DAY_US = 86_400_000_000;
const nowUs = (): number => Date.now() * 1000;

export class MockAccount {
  private readonly sessions = new Map<string, OpenSession>();
  private tokens: ApiToken[] = [];
  private made = 0;
  /** When a second factor was enrolled; the mock takes MOCK_CODE for each code. */
  private enrolled: number | undefined;
  private tickets = new Set<string>();
  private recovery: string[] = [];

  constructor(public password: string) {}

  /** Opens a session and returns its cookie. */
  open(request: IncomingMessage): string {
    const cookie = crypto.randomUUID();
    const agent = request.headers["user-agent"] ?? "";
    const now = nowUs();
    const session = { id: cookie.slice(0, 8), user: "admin", opened_us: now, used_us: now, ends_us: now + DAY_US };
    this.sessions.set(cookie, { ...session, address: "127.0.0.1", agent, current: false });
    return cookie;
  }

  close(cookie: string): void {
    this.sessions.delete(cookie);
  }

  has(cookie: string): boolean {
    return this.sessions.has(cookie);
  }

  /** The ticket for the code that has to follow the password; none without a second factor. */
  ticket(): string | undefined {
    if (this.enrolled === undefined) return undefined;
    const ticket = crypto.randomUUID();
    this.tickets.add(ticket);
    return ticket;
  }

  /** Checks the code of the second step of a log-in. */
  checkCode(ticket: unknown, code: unknown): void {
    if (!this.tickets.has(String(ticket))) throw new Refusal(401, "unauthorized", "the code came too late");
    if (code !== MOCK_CODE && !this.recovery.includes(String(code)))
      throw new Refusal(
        401,
        "wrong_code",
        "the code is wrong: take the one that the app shows now, or a recovery code",
      );
    this.recovery = this.recovery.filter((known) => known !== code);
    this.tickets.delete(String(ticket));
  }

  private async factor(call: string, request: IncomingMessage): Promise<unknown> {
    if (call === "GET factor") return { enrolled_us: this.enrolled, recovery_left: this.recovery.length };
    const body = await readBody(request);
    if (call === "POST factor/enrol") {
      if (body.code !== MOCK_CODE) throw new Refusal(400, "wrong_code", "the code is wrong");
      this.enrolled = nowUs();
    } else this.confirm(body.password);
    if (call === "POST factor")
      return {
        secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        address: "otpauth://totp/x",
        picture: { size: 9, path: "M4 4h1v1h-1z" },
      };
    if (call === "POST factor/remove") {
      this.enrolled = undefined;
      this.recovery = [];
      return { recovery_left: 0 };
    }
    this.recovery = Array.from({ length: 10 }, (_, at) => `abcd-efgh-jkmn-${2222 + at}`);
    return { recovery_codes: this.recovery };
  }

  /** Answers a call about the account; returns false for others. */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const cookie = cookieOf(request);
    const [kind, id] = path.split("/");
    if (kind === "factor") {
      reply(response, 200, await this.factor(`${request.method} ${path}`, request));
      return true;
    }
    switch (`${request.method} ${kind}`) {
      case "GET sessions": {
        const sessions = [...this.sessions].map(([of, session]) => ({ ...session, current: of === cookie }));
        reply(response, 200, { sessions: sessions.reverse() });
        return true;
      }
      case "DELETE sessions":
        reply(response, 200, { ended: this.end((of, session) => (id ? session.id === id : of !== cookie)) });
        return true;
      case "POST password": {
        const body = await readBody(request);
        this.confirm(body.password);
        if (String(body.new_password).length < 8)
          throw new Refusal(400, "bad_request", "a password has at least 8 characters");
        this.password = String(body.new_password);
        reply(response, 200, { ended: this.end((of) => of !== cookie) });
        return true;
      }
      case "GET tokens":
        reply(response, 200, { tokens: this.tokens });
        return true;
      case "POST tokens": {
        const { password, days, ...asked } = (await readBody(request)) as unknown as NewToken;
        this.confirm(password);
        const text = `dmn_u${crypto.randomUUID().replaceAll("-", "")}abcd`;
        const now = nowUs();
        const token = {
          ...asked,
          id: `t${++this.made}`,
          last_four: "abcd",
          created_us: now,
          expires_us: now + days * DAY_US,
        };
        this.tokens = [...this.tokens, token];
        reply(response, 201, { ...token, token: text });
        return true;
      }
      case "DELETE tokens":
        if (!this.tokens.some((token) => token.id === id))
          throw new Refusal(404, "not_found", "there is no such token");
        this.tokens = this.tokens.filter((token) => token.id !== id);
        reply(response, 200, {});
        return true;
      default:
        return false;
    }
  }

  /** Refuses a wrong password of somebody who is logged in. */
  confirm(password: unknown): void {
    if (password !== this.password) throw new Refusal(401, "wrong_password", "the password is wrong");
  }

  private end(isMeant: (cookie: string, session: OpenSession) => boolean): number {
    const meant = [...this.sessions].filter(([cookie, session]) => isMeant(cookie, session));
    for (const [cookie] of meant) this.sessions.delete(cookie);
    return meant.length;
  }
}
