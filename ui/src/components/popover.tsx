// A panel below a button. Escape and a click elsewhere close it, and the focus returns to the button.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  open: boolean;
  onClose: () => void;
  label: string;
  align?: "left" | "right";
  class?: string;
  /** The button that opens it. */
  anchor: ComponentChildren;
  children: ComponentChildren;
}

export function Popover({ open, onClose, label, align = "left", anchor, children, ...rest }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  // Before the browser paints, so that text typed right after the shortcut goes to the panel.
  useLayoutEffect(() => {
    if (!open) return undefined;
    const before = document.activeElement as HTMLElement | null;
    const first = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    (first("[autofocus]") ?? first("input, button, [tabindex]"))?.focus();
    const outside = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) onClose();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      onClose();
      before?.focus();
    };
    const node = root.current;
    document.addEventListener("pointerdown", outside);
    node?.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", outside);
      node?.removeEventListener("keydown", escape);
    };
  }, [open]);
  return (
    <div class="popover-root" ref={root}>
      {anchor}
      {open && (
        <div class={`popover ${align} ${rest.class ?? ""}`} role="dialog" aria-label={label} ref={panel}>
          {children}
        </div>
      )}
    </div>
  );
}
