// Whether the session of this page is valid, and the calls that wait for a new one.
//
// In: reports of ended sessions. Out: `state`, which the page shows. Holds: the promise that waiting calls share.
import { signal } from "@preact/signals";
import type { SessionGuard } from "../api/call.ts";

/** `ended`: a call in the background noticed it. `asking`: a call of the user waits for a new login. */
export type SessionState = "valid" | "ended" | "asking";

export class RenewableSession implements SessionGuard {
  readonly state = signal<SessionState>("valid");
  private waiting: PromiseWithResolvers<void> | undefined;

  renew(): Promise<void> {
    this.waiting ??= withResolvers();
    this.state.value = "asking";
    return this.waiting.promise;
  }

  report(): void {
    if (this.state.value === "valid") this.state.value = "ended";
  }

  /** Lets the waiting calls continue after a login. */
  resume(): void {
    this.state.value = "valid";
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  /** Lets the waiting calls fail: the user does not log in now. */
  dismiss(): void {
    this.state.value = "ended";
    this.waiting?.reject(new Error("not logged in"));
    this.waiting = undefined;
  }
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
