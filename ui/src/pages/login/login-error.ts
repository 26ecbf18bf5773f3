// Why a login failed, in words.
import { ApiError } from "../../api/call.ts";

export function describeLoginError(cause: unknown): string {
  if (!(cause instanceof ApiError)) return String(cause);
  if (cause.body.code === "unauthorized") return "The user name or the password is wrong.";
  if (cause.body.code === "too_many_attempts") {
    return `Too many attempts. Try again in ${cause.retryAfter ? `${cause.retryAfter} seconds` : "a while"}.`;
  }
  return cause.body.message;
}
