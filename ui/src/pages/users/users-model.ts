// The state of the users: who there is, what the administrator is about to change, and what became of the last change.
//
// In: events of the components. Out: signals. Holds: the list, read when the page opens, when it is returned to, and after each
// change. Each change asks for the password of the administrator, which is kept nowhere.
import { batch, signal } from "@preact/signals";
import { isAborted } from "../../api/call.ts";
import { sentenceOf } from "../../api/sentence.ts";
import { endSessions } from "../../api/sessions.ts";
import {
  addUser,
  changeUser,
  listUsers,
  removeRole,
  setAccess,
  setRole,
  type Grant,
  type Invitation,
  type UserAction,
  type UserList,
} from "../../api/users.ts";

/** A change that waits for the password. */
export interface Question {
  /** The part of the page where it is asked: the name of a user or a role, or "" for a new one. */
  of: string;
  /** The words on the button. */
  action: string;
  /** What it does, for those who are about to do it. */
  effect: string;
  send(password: string): Promise<string>;
}

export interface Outcome {
  of: string;
  text: string;
  failed: boolean;
}

export class UsersModel {
  readonly list = signal<UserList | undefined>(undefined);
  /** Why the list cannot be shown. */
  readonly fault = signal<string | undefined>(undefined);
  readonly question = signal<Question | undefined>(undefined);
  readonly outcome = signal<Outcome | undefined>(undefined);
  readonly busy = signal(false);
  /** The invitation that was made last: it is shown until it is hidden or the page is left. */
  readonly made = signal<(Invitation & { user: string }) | undefined>(undefined);
  /** The user, and the role, whose details are shown. */
  readonly opened = signal<string | undefined>(undefined);
  readonly openedRole = signal<string | undefined>(undefined);

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
      const list = await listUsers();
      batch(() => {
        this.list.value = list;
        this.fault.value = undefined;
      });
    } catch (cause) {
      if (!isAborted(cause)) this.fault.value = sentenceOf(cause);
    }
  }

  open(name: string | undefined): void {
    this.forget();
    this.opened.value = name;
  }

  openRole(name: string | undefined): void {
    this.forget();
    this.openedRole.value = name;
  }

  /** Takes back the question, and the outcome of the last change. */
  forget(): void {
    batch(() => {
      this.question.value = undefined;
      this.outcome.value = undefined;
    });
  }

  ask(question: Question): void {
    batch(() => {
      this.question.value = question;
      this.outcome.value = undefined;
    });
  }

  askToAdd(name: string): void {
    const send = async (password: string): Promise<string> => {
      const { invitation } = await addUser(name, password);
      this.invited(name, invitation);
      this.opened.value = name;
      return "";
    };
    this.ask({ of: "", action: `Add ${name}`, effect: "The new user has no rights yet.", send });
  }

  askToChange(name: string, action: UserAction): void {
    const { label, effect, done } = ACTIONS[action];
    const send = async (password: string): Promise<string> => {
      const { invitation } = await changeUser(name, action, password);
      if (invitation) this.invited(name, invitation);
      if (action === "remove") this.opened.value = undefined;
      return done(name);
    };
    this.ask({ of: name, action: label(name), effect, send });
  }

  askToSetAccess(name: string, grants: Grant[], roles: string[]): void {
    const send = async (password: string): Promise<string> => {
      await setAccess(name, grants, roles, password);
      return `The rights of ${name} were set.`;
    };
    this.ask({ of: name, action: "Set the rights", effect: "They count from the next call on.", send });
  }

  askToSetRole(name: string, grants: Grant[], isNew: boolean): void {
    const send = async (password: string): Promise<string> => {
      await setRole(name, grants, password);
      this.openedRole.value = name;
      return isNew ? `The role ${name} was made.` : `The role ${name} was changed.`;
    };
    const effect = isNew ? "Nobody has it yet." : "The change counts at once, for all who have the role.";
    this.ask({ of: isNew ? "" : name, action: isNew ? `Make ${name}` : `Change ${name}`, effect, send });
  }

  askToRemoveRole(name: string): void {
    const send = async (password: string): Promise<string> => {
      await removeRole(name, password);
      this.openedRole.value = undefined;
      return `The role ${name} was removed.`;
    };
    this.ask({ of: name, action: `Remove ${name}`, effect: "All who have the role lose its rights at once.", send });
  }

  /** Ends all sessions of a user, which asks for no password: it gives nobody anything. */
  endSessions(name: string): Promise<boolean> {
    return this.perform(name, async () => {
      const { ended } = await endSessions(name);
      return ended === 1 ? `1 session of ${name} was ended.` : `${ended} sessions of ${name} were ended.`;
    });
  }

  /** Answers the question with the password; it stays open when that is wrong. */
  async answer(password: string): Promise<void> {
    const question = this.question.value;
    if (!question) return;
    const done = await this.perform(question.of, () => question.send(password));
    if (done && this.question.value === question) this.question.value = undefined;
  }

  private invited(user: string, invitation: Invitation): void {
    this.made.value = { ...invitation, user };
  }

  private async perform(of: string, work: () => Promise<string>): Promise<boolean> {
    if (this.busy.value) return false;
    this.busy.value = true;
    this.outcome.value = undefined;
    const say = (text: string, failed: boolean): void => {
      this.outcome.value = text ? { of, text, failed } : undefined;
    };
    try {
      say(await work(), false);
      return true;
    } catch (cause) {
      say(sentenceOf(cause), true);
      return false;
    } finally {
      this.busy.value = false;
      void this.read();
    }
  }
}

interface ActionWords {
  label(name: string): string;
  effect: string;
  done(name: string): string;
}

const ACTIONS: Record<UserAction, ActionWords> = {
  lock: {
    label: (name) => `Lock ${name} out`,
    effect: "All sessions end at once, and neither the password nor API tokens work until the user is let in again.",
    done: (name) => `${name} is locked out.`,
  },
  unlock: {
    label: (name) => `Let ${name} in again`,
    effect: "The password and API tokens work again.",
    done: (name) => `${name} may log in again.`,
  },
  remove: {
    label: (name) => `Remove ${name}`,
    effect: "Sessions and API tokens end at once. Saved objects stay with an owner who is gone.",
    done: (name) => `${name} was removed.`,
  },
  "reset-factor": {
    label: (name) => `Reset the second factor of ${name}`,
    effect: "Until another one is set up, the password alone is enough.",
    done: (name) => `${name} has no second factor any more.`,
  },
  invite: {
    label: (name) => `Make a link for ${name}`,
    effect: "Who has the link sets the password, once and within 72 hours. Until then, the present one stays.",
    done: () => "",
  },
};
