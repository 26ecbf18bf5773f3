// The buttons at the right end of each page's head: the theme, and the user.
import { useState } from "preact/hooks";
import type { Session } from "../api/session.ts";
import { openPage } from "../navigation/location.ts";
import { isDark, theme } from "../view/preferences.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Popover } from "./popover.tsx";

interface Props {
  session: Session;
  /** The session has ended. */
  ended: boolean;
  onLogin(): void;
  onLogout(): void;
}

export function ThemeButton() {
  const dark = isDark();
  return (
    <Button
      icon={dark ? "sun" : "moon"}
      title={dark ? "Light theme" : "Dark theme"}
      onClick={() => (theme.value = dark ? "light" : "dark")}
    />
  );
}

export function AccountMenu({ session, ended, onLogin, onLogout }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label="You"
      align="right"
      anchor={
        <Button
          icon={ended ? "alert" : "user"}
          title={ended ? "Your session has ended: log in again" : `Logged in as ${session.user}`}
          class={ended ? "session-over" : ""}
          expanded={open}
          onClick={() => (ended ? onLogin() : setOpen(!open))}
        >
          {ended ? "Log in" : session.user}
        </Button>
      }
    >
      <p class="menu-head">
        <b>{session.user}</b> on {session.host}
        <br />
        <span class="muted">Duramen {session.version}</span>
      </p>
      <ul class="menu">
        <li>
          <button
            type="button"
            onClick={() => {
              setOpen(false);
              openPage("profile", "");
            }}
          >
            <span class="menu-mark">
              <Icon name="user" size={14} />
            </span>
            Profile
          </button>
        </li>
        <li>
          <button type="button" onClick={onLogout}>
            <span class="menu-mark">
              <Icon name="close" size={14} />
            </span>
            Log out
          </button>
        </li>
      </ul>
    </Popover>
  );
}
