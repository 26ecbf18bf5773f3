// Why a step of a log-in failed, in words.
import { ApiError } from "../../api/call.ts";

/** The step that failed: the password, or the code after it. */
export type LoginStep = "password" | "code";

export function describeLoginError(cause: unknown, step: LoginStep): string {
  if (!(cause instanceof ApiError)) return String(cause);
  const { code, message } = cause.body;
  if (code === "unauthorized" && step === "password") return "The user name or the password is wrong.";
  if (code === "too_many_attempts") {
    return `Too many attempts. Try again in ${cause.retryAfter ? `${cause.retryAfter} seconds` : "a while"}.`;
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, ".");
}
