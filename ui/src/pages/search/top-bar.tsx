// The top of the page: the choice of the logspace, the theme, the help and the user.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import type { Session } from "../../api/session.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Logo } from "../../components/logo.tsx";
import { Popover } from "../../components/popover.tsx";
import { formatCompact, formatBytes } from "../../time/format.ts";

interface Props {
  session: Session;
  logspaces: Logspace[];
  logspace: string;
  dark: boolean;
  onLogspace(name: string): void;
  onTheme(): void;
  onHelp(): void;
  /** The session has ended. */
  ended: boolean;
  onLogin(): void;
  onLogout(): void;
  /** The menu of saved searches. */
  children: ComponentChildren;
}

export function TopBar(props: Props) {
  const { session, logspaces, logspace, dark } = props;
  const [choosing, setChoosing] = useState(false);
  const [userOpen, setUserOpen] = useState(false);
  return (
    <header class="top">
      <a class="brand" href="./" aria-label="Duramen, start page">
        <Logo /> <span>Duramen</span>
      </a>
      <Popover
        open={choosing}
        onClose={() => setChoosing(false)}
        label="Choose a logspace"
        anchor={
          <button
            type="button"
            class="button logspace-button"
            aria-expanded={choosing}
            aria-haspopup="dialog"
            onClick={() => setChoosing(!choosing)}
          >
            <Icon name="store" />
            <span class="ellipsis">{logspace || "logspace"}</span>
            <Icon name="down" size={12} />
          </button>
        }
      >
        <ul class="menu">
          {logspaces.map(({ name, kind, messages, bytes: size, locked }) => (
            <li>
              <button
                type="button"
                aria-current={name === logspace}
                onClick={() => {
                  setChoosing(false);
                  props.onLogspace(name);
                }}
              >
                <span class="menu-mark">{name === logspace && <Icon name="check" size={14} />}</span>
                <span class="ellipsis">{name}</span>
                <span class="menu-note">
                  {kind !== "local" && `${kind}, `}
                  {messages === undefined ? "not counted" : `${formatCompact(messages)} messages`}
                  {size !== undefined && `, ${formatBytes(size)}`}
                  {locked && ", partly locked"}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Popover>
      {props.children}
      <span class="spacer" />
      <Button icon={dark ? "sun" : "moon"} title={dark ? "Light theme" : "Dark theme"} onClick={props.onTheme} />
      <Button icon="help" title="Keyboard and query help" shortcut="?" onClick={props.onHelp} />
      <Popover
        open={userOpen}
        onClose={() => setUserOpen(false)}
        label="You"
        align="right"
        anchor={
          <Button
            icon={props.ended ? "alert" : "user"}
            title={props.ended ? "Your session has ended: log in again" : `Logged in as ${session.user}`}
            class={props.ended ? "session-over" : ""}
            expanded={userOpen}
            onClick={() => (props.ended ? props.onLogin() : setUserOpen(!userOpen))}
          >
            {props.ended ? "Log in" : session.user}
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
            <button type="button" onClick={props.onLogout}>
              <span class="menu-mark">
                <Icon name="close" size={14} />
              </span>
              Log out
            </button>
          </li>
        </ul>
      </Popover>
    </header>
  );
}
