// The server's words about a failure, as a sentence.
import { ApiError } from "./call.ts";

export function sentenceOf(cause: unknown): string {
  if (!(cause instanceof ApiError)) return String(cause);
  const { message } = cause.body;
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
