// GET /tokens, POST /tokens, DELETE /tokens/{id}: the API tokens of a user.
import { get, post, remove } from "./call.ts";

export type TokenScope =
  "search" | "export" | "administer" | "metrics" | "objects:read" | "objects:write" | "alerts:read" | "alerts:write";

export interface ApiToken {
  id: string;
  name: string;
  last_four: string;
  scopes: TokenScope[];
  logspaces: string[];
  networks: string[];
  created_us: number;
  expires_us: number;
  used_us?: number;
  used_from?: string;
}

export interface NewToken {
  name: string;
  scopes: TokenScope[];
  logspaces: string[];
  networks: string[];
  days: number;
  /** The password of the user, once more. */
  password: string;
}

export async function listTokens(user?: string): Promise<ApiToken[]> {
  const answer = await get<{ tokens: ApiToken[] }>("tokens", { user });
  return answer.tokens;
}

/** Makes a token; the answer is the only place where its text is. */
export function makeToken(token: NewToken): Promise<ApiToken & { token: string }> {
  return post("tokens", token);
}

export function revokeToken(id: string): Promise<unknown> {
  return remove(`tokens/${encodeURIComponent(id)}`);
}
