// The users, roles and invitations of the mock.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Grant, Role, User } from "../src/api/users.ts";
import { readBody, Refusal, reply } from "./http.ts";

const HOUR_US = 3_600_000_000;
const CHARS_MIN = 15;
const nowUs = (): number => Date.now() * 1000;
const ALL: Grant = { logspace: "*", may: ["search", "export", "administer"] };

type Kept = Omit<User, "effective" | "sessions" | "tokens"> & { invitation?: string };

export class MockPeople {
  private readonly users = new Map<string, Kept>([
    ["admin", { ...fresh("admin"), has_password: true, grants: [ALL], seen_us: nowUs() }],
  ]);
  private readonly roles = new Map<string, Grant[]>();

  /** Answers a call; returns false for others. `confirm` checks the password of the caller. */
  async serve(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    { logspaces, confirm }: { logspaces: string[]; confirm(password: unknown): void },
  ): Promise<boolean> {
    const [kind, name = "", action = ""] = path.split("/").map(decodeURIComponent);
    if (kind !== "users" && kind !== "roles") return false;
    if (request.method === "GET") {
      reply(response, 200, {
        users: [...this.users.values()].map((one) => this.shown(one)),
        roles: this.listed(),
        logspaces,
      });
      return true;
    }
    const body = await readBody(request);
    confirm(body.password);
    if (kind === "roles") reply(response, 200, this.changeRole(request.method ?? "", name, body));
    else if (name === "") reply(response, 201, { invitation: this.add(String(body.name)) });
    else reply(response, 200, this.changeUser(name, action, body));
    return true;
  }

  /** Answers the calls about an invitation, for which nobody is logged in. */
  async invitation(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const invited = [...this.users.values()].find(({ invitation }) => invitation && invitation === body.invitation);
    if (!invited)
      throw new Refusal(
        404,
        "not_found",
        "this invitation is not valid: it was used, replaced by another, or not copied completely; ask an administrator for a new one",
      );
    if (path === "invitation/accept") {
      if (String(body.new_password).length < CHARS_MIN)
        throw new Refusal(400, "bad_request", `a password has at least ${CHARS_MIN} characters`);
      delete invited.invitation;
      delete invited.invited_until_us;
      invited.has_password = true;
    }
    reply(response, 200, { user: invited.name, password_chars_min: CHARS_MIN });
  }

  private add(name: string): { text: string; expires_us: number } {
    if (this.users.has(name)) throw new Refusal(409, "conflict", "there is a user of that name");
    this.users.set(name, fresh(name));
    return this.invite(this.user(name));
  }

  private invite(user: Kept): { text: string; expires_us: number } {
    user.invitation = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
    user.invited_until_us = nowUs() + 72 * HOUR_US;
    return { text: user.invitation, expires_us: user.invited_until_us };
  }

  private changeUser(name: string, action: string, body: Record<string, unknown>): unknown {
    const user = this.user(name);
    const isLast =
      name === "admin" &&
      (action === "lock" || action === "remove" || (action === "access" && !hasAll(body.grants as Grant[])));
    if (isLast)
      throw new Refusal(
        409,
        "conflict",
        "nobody would be left who may administer the server: grant another local user the right administer for * first",
      );
    if (action === "invite") return { invitation: this.invite(user) };
    if (action === "remove") this.users.delete(name);
    if (action === "lock" || action === "unlock") user.locked = action === "lock";
    if (action === "access") {
      const grants = body.grants as Grant[];
      if (grants.some(({ logspace }) => !/^(\*|[A-Za-z0-9._@-]+\*?)$/.test(logspace)))
        throw new Refusal(400, "bad_request", "that is no name of a logspace; * means every one");
      user.grants = grants;
      user.roles = body.roles as string[];
    }
    return {};
  }

  private changeRole(method: string, name: string, body: Record<string, unknown>): unknown {
    if (method === "PUT") this.roles.set(name, body.grants as Grant[]);
    else {
      this.roles.delete(name);
      for (const user of this.users.values()) user.roles = user.roles.filter((role) => role !== name);
    }
    return {};
  }

  private user(name: string): Kept {
    const user = this.users.get(name);
    if (!user) throw new Refusal(404, "not_found", "there is no user of that name");
    return user;
  }

  private listed(): Role[] {
    return [...this.roles].map(([name, grants]) => ({ name, grants }));
  }

  private shown({ invitation: _, ...user }: Kept): User {
    const byRole = user.roles.flatMap((role) => (this.roles.get(role) ?? []).map((grant) => ({ ...grant, role })));
    return { ...user, effective: [...user.grants, ...byRole], sessions: user.name === "admin" ? 1 : 0, tokens: 0 };
  }
}

const hasAll = (grants: Grant[]): boolean =>
  grants.some(({ logspace, may }) => logspace === "*" && may.includes("administer"));

function fresh(name: string): Kept {
  return { name, grants: [], roles: [], locked: false, has_password: false, has_factor: false };
}
