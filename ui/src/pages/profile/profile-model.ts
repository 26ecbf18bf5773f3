// The state of the profile: sessions and API tokens of the user, and the outcome of the last change.
//
// In: events of the components. Out: signals. Holds: lists, read when the page opens, when it is returned to, and after each change.
import { batch, signal } from "@preact/signals";
import { isAborted } from "../../api/call.ts";
import { sentenceOf } from "../../api/sentence.ts";
import {
  beginFactor,
  enrolFactor,
  readFactor,
  removeFactor,
  renewRecoveryCodes,
  type Enrolment,
  type Factor,
} from "../../api/factor.ts";
import { changePassword } from "../../api/password.ts";
import { endSession, endSessions, listSessions, type OpenSession } from "../../api/sessions.ts";
import { listTokens, makeToken, revokeToken, type ApiToken, type NewToken } from "../../api/tokens.ts";

/** The part of the page that a message belongs to. */
export type Section = "password" | "sessions" | "tokens" | "factor";

export interface Outcome {
  section: Section;
  text: string;
  failed: boolean;
}

export class ProfileModel {
  readonly sessions = signal<OpenSession[] | undefined>(undefined);
  readonly tokens = signal<ApiToken[] | undefined>(undefined);
  readonly factor = signal<Factor | undefined>(undefined);
  /** The secret that waits for its first code. */
  readonly enrolment = signal<Enrolment | undefined>(undefined);
  /** Recovery codes that have just been made: they are shown until the page is left. */
  readonly recoveryCodes = signal<string[] | undefined>(undefined);
  readonly outcome = signal<Outcome | undefined>(undefined);
  readonly busy = signal(false);
  /** The token that was made last, with its text: it is shown until the page is left. */
  readonly made = signal<(ApiToken & { token: string }) | undefined>(undefined);

  start(): void {
    document.addEventListener("visibilitychange", this.onVisible);
    void this.read();
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.onVisible);
  }

  private readonly onVisible = (): void => {
    if (!document.hidden) void this.read();
  };

  async read(): Promise<void> {
    try {
      const [sessions, tokens, factor] = await Promise.all([listSessions(), listTokens(), readFactor()]);
      batch(() => {
        this.sessions.value = sessions;
        this.tokens.value = tokens;
        this.factor.value = factor;
      });
    } catch (cause) {
      if (!isAborted(cause)) this.say("sessions", sentenceOf(cause), true);
    }
  }

  /** Returns true if the password was changed. */
  changePassword(password: string, newPassword: string): Promise<boolean> {
    return this.change("password", async () => {
      const { ended } = await changePassword(password, newPassword);
      return `The password was changed.${ended > 0 ? ` ${countOf(ended)} ended.` : ""}`;
    });
  }

  endSession(id: string): Promise<boolean> {
    return this.change("sessions", async () => {
      await endSession(id);
      return "The session was ended.";
    });
  }

  endOthers(): Promise<boolean> {
    return this.change("sessions", async () => `${countOf((await endSessions()).ended)} ended.`);
  }

  /** Returns true if the token was made. */
  makeToken(token: NewToken): Promise<boolean> {
    return this.change("tokens", async () => {
      this.made.value = await makeToken(token);
      return "";
    });
  }

  revokeToken(token: ApiToken): Promise<boolean> {
    return this.change("tokens", async () => {
      await revokeToken(token.id);
      if (this.made.value?.id === token.id) this.made.value = undefined;
      return `${token.name} was revoked: the next call with it is refused.`;
    });
  }

  /** Returns true if there is a secret to put into an app. */
  beginFactor(password: string): Promise<boolean> {
    return this.change("factor", async () => {
      this.enrolment.value = await beginFactor(password);
      return "";
    });
  }

  /** Returns true if the code was right. */
  enrolFactor(code: string): Promise<boolean> {
    return this.change("factor", async () => {
      const { recovery_codes } = await enrolFactor(code);
      batch(() => {
        this.enrolment.value = undefined;
        this.recoveryCodes.value = recovery_codes;
      });
      return "The second factor is on: from now on, each log-in asks for its code. Your other sessions were ended.";
    });
  }

  cancelEnrolment(): void {
    this.enrolment.value = undefined;
    this.outcome.value = undefined;
  }

  renewRecoveryCodes(password: string): Promise<boolean> {
    return this.change("factor", async () => {
      this.recoveryCodes.value = (await renewRecoveryCodes(password)).recovery_codes;
      return "The codes until now work no more.";
    });
  }

  removeFactor(password: string): Promise<boolean> {
    return this.change("factor", async () => {
      await removeFactor(password);
      this.recoveryCodes.value = undefined;
      return "The second factor is off: the password alone is enough.";
    });
  }

  say(section: Section, text: string, failed: boolean): void {
    this.outcome.value = text ? { section, text, failed } : undefined;
  }

  private async change(section: Section, work: () => Promise<string>): Promise<boolean> {
    if (this.busy.value) return false;
    this.busy.value = true;
    this.outcome.value = undefined;
    try {
      this.say(section, await work(), false);
      return true;
    } catch (cause) {
      this.say(section, sentenceOf(cause), true);
      return false;
    } finally {
      this.busy.value = false;
      void this.read();
    }
  }
}

const countOf = (ended: number): string => (ended === 1 ? "1 other session was" : `${ended} other sessions were`);
