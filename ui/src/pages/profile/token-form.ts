// What is typed for a new API token, and the request that it stands for.
//
// In: fields. Out: a request without the password, or why there is none. Holds: nothing.
import type { NewToken, TokenScope } from "../../api/tokens.ts";

export const SCOPES: [TokenScope, string][] = [
  ["search", "search, read and follow messages"],
  ["export", "export messages, make evidence packages"],
  ["alerts:read", "read alerts and rules"],
  ["alerts:write", "acknowledge alerts"],
  ["objects:read", "read saved searches"],
  ["objects:write", "save, change and share searches"],
  ["administer", "use the right to administer"],
  ["metrics", "read the figures of the server"],
];

export const DAYS_MAX = 366;

export interface TokenFields {
  name: string;
  scopes: TokenScope[];
  /** No logspace means every one that the user may search. */
  logspaces: string[];
  /** Addresses and networks, separated by commas, blanks or lines. */
  networks: string;
  days: string;
}

export const EMPTY_FIELDS: TokenFields = { name: "", scopes: ["search"], logspaces: [], networks: "", days: "90" };

export function requestOf(fields: TokenFields): Omit<NewToken, "password"> | { fault: string } {
  const days = Number(fields.days.trim());
  if (!fields.name.trim()) return { fault: "Give the token a name that says what it is for." };
  if (fields.scopes.length === 0) return { fault: "Choose at least one thing that the token may do." };
  if (!/^\d+$/.test(fields.days.trim()) || days < 1 || days > DAYS_MAX)
    return { fault: `A token lasts for 1 to ${DAYS_MAX} days.` };
  return {
    name: fields.name.trim(),
    scopes: fields.scopes,
    logspaces: fields.logspaces.length > 0 ? fields.logspaces : ["*"],
    networks: fields.networks.split(/[\s,]+/).filter(Boolean),
    days,
  };
}
