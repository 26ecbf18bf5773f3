// A log-in in one step or two: the password, then the code of the second factor.
//
// In: what is typed. Out: whether a code is asked for, why a step failed. Holds: the ticket between the two steps.
import { useState } from "preact/hooks";
import { ApiError } from "../api/call.ts";
import { login, sendCode } from "../api/login.ts";
import { describeLoginError } from "../pages/login/login-error.ts";

export interface LoginSteps {
  asksForCode: boolean;
  busy: boolean;
  error: string;
  /** Sends the form of the present step; the field that was wrong is selected. */
  submit(event: SubmitEvent, user?: string): Promise<void>;
  /** Goes back to the password. */
  restart(): void;
}

export function useLoginSteps(onDone: () => Promise<void>): LoginSteps {
  const [ticket, setTicket] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");

  async function submit(event: SubmitEvent, user?: string): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const text = (name: string): string => String(data.get(name) ?? "");
    setBusy(true);
    setError("");
    try {
      const next = ticket === undefined ? await login(user ?? text("user"), text("password")) : undefined;
      if (ticket !== undefined) await sendCode(ticket, text("code"));
      if (next === undefined) await onDone();
      else setTicket(next);
      setBusy(false);
    } catch (cause) {
      setBusy(false);
      setError(describeLoginError(cause, ticket === undefined ? "password" : "code"));
      // The ticket is not valid any more: only the password helps.
      if (cause instanceof ApiError && cause.body.code === "unauthorized" && ticket !== undefined) setTicket(undefined);
      form.querySelector<HTMLInputElement>("input[name=code], input[name=password]")?.select();
    }
  }

  function restart(): void {
    setTicket(undefined);
    setError("");
  }

  return { asksForCode: ticket !== undefined, busy, error, submit, restart };
}
