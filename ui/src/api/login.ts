// POST /login, POST /login/code: starts a session, in two steps for users with a second factor.
import { ApiError, post } from "./call.ts";

/** Starts a session. Returns the ticket for the second step when a code is asked for as well. */
export async function login(user: string, password: string): Promise<string | undefined> {
  try {
    await post("login", { user, password }, undefined, "fail");
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.body.code !== "code_needed") throw cause;
    const { ticket } = (cause.answer ?? {}) as { ticket?: string };
    if (!ticket) throw cause;
    return ticket;
  }
}

export function sendCode(ticket: string, code: string): Promise<unknown> {
  return post("login/code", { ticket, code }, undefined, "fail");
}
