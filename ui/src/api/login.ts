// POST /login: starts a session.
import { post } from "./call.ts";

export function login(user: string, password: string): Promise<{ user: string }> {
  return post("login", { user, password }, undefined, "fail");
}
