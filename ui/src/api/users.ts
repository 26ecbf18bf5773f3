// /users and /roles: the users of the server and what they may do, for those who administer it.
import { get, post, put } from "./call.ts";

export type Right = "search" | "export" | "administer";

/** Rights in a logspace, in those whose names begin alike (`firewall-*`), or in all (`*`). */
export interface Grant {
  logspace: string;
  may: Right[];
}

export interface EffectiveGrant extends Grant {
  /** The role that it comes from; absent for one of the user's own. */
  role?: string;
}

export interface User {
  name: string;
  grants: Grant[];
  roles: string[];
  effective: EffectiveGrant[];
  locked: boolean;
  has_password: boolean;
  has_factor: boolean;
  sessions: number;
  tokens: number;
  seen_us?: number;
  /** The end of an invitation that was not used. */
  invited_until_us?: number;
}

export interface Role {
  name: string;
  grants: Grant[];
}

export interface UserList {
  users: User[];
  roles: Role[];
  logspaces: string[];
}

/** An invitation, whose text no other call shows. */
export interface Invitation {
  text: string;
  expires_us: number;
}

export type UserAction = "lock" | "unlock" | "remove" | "reset-factor" | "invite";

export function listUsers(): Promise<UserList> {
  return get("users");
}

/** Adds a user, who sets a password by the invitation. */
export function addUser(name: string, password: string): Promise<{ invitation: Invitation }> {
  return post("users", { name, password });
}

export function changeUser(name: string, action: UserAction, password: string): Promise<{ invitation?: Invitation }> {
  return post(`users/${encodeURIComponent(name)}/${action}`, { password });
}

export function setAccess(name: string, grants: Grant[], roles: string[], password: string): Promise<unknown> {
  return put(`users/${encodeURIComponent(name)}/access`, { grants, roles, password });
}

export function setRole(name: string, grants: Grant[], password: string): Promise<unknown> {
  return put(`roles/${encodeURIComponent(name)}`, { grants, password });
}

export function removeRole(name: string, password: string): Promise<unknown> {
  return post(`roles/${encodeURIComponent(name)}/remove`, { password });
}
