// The top of the page: the choice of the logspace, the theme, the help and the user.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import type { Session } from "../../api/session.ts";
import { AccountMenu, ThemeButton } from "../../components/account-menu.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Popover } from "../../components/popover.tsx";
import { formatCompact, formatBytes } from "../../time/format.ts";

interface Props {
  session: Session;
  logspaces: Logspace[];
  logspace: string;
  onLogspace(name: string): void;
  onHelp(): void;
  /** The session has ended. */
  ended: boolean;
  onLogin(): void;
  onLogout(): void;
  /** The menu of saved searches. */
  children: ComponentChildren;
}

export function TopBar(props: Props) {
  const { session, logspaces, logspace } = props;
  const [choosing, setChoosing] = useState(false);
  return (
    <header class="top">
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
      <ThemeButton />
      <Button icon="help" title="Keyboard and query help" shortcut="?" onClick={props.onHelp} />
      <AccountMenu session={session} ended={props.ended} onLogin={props.onLogin} onLogout={props.onLogout} />
    </header>
  );
}
