// A title, an explanation and one action: the frame of all empty and error states.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  icon: IconName;
  title: string;
  action?: string;
  onAction?: () => void;
  children?: ComponentChildren;
}

export function StatusMessage({ icon, title, action, onAction, children }: Props) {
  return (
    <div class="status-message" role="status">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      <div class="status-text">{children}</div>
      {action && (
        <button type="button" class="button primary" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
