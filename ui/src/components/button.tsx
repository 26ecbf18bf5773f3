// A button with an icon, a text or both. Its shortcut is shown with its title.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon?: IconName;
  /** The action; also the accessible name when there is no text. */
  title: string;
  shortcut?: string;
  kind?: "plain" | "outlined" | "primary";
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  class?: string;
  onClick?: (event: MouseEvent) => void;
  children?: ComponentChildren;
}

export function Button({
  icon,
  title,
  shortcut,
  kind = "plain",
  pressed,
  expanded,
  disabled,
  onClick,
  children,
  ...rest
}: Props) {
  return (
    <button
      type="button"
      class={`button ${kind} ${children ? "" : "icon-only"} ${rest.class ?? ""}`}
      title={shortcut ? `${title}  (${shortcut})` : title}
      aria-label={children ? undefined : title}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
