// A button that adds what is shown to a dashboard: one click opens the list of dashboards, one in the list adds the panel.
import { useEffect, useRef, useState } from "preact/hooks";
import type { SavedSummary } from "../../../api/objects.ts";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { Popover } from "../../../components/popover.tsx";
import { VisibleText } from "../../../components/visible-text.tsx";

/** Longest title of a panel that the server takes. */
const TITLE_CHARS_MAX = 200;

interface Props {
  /** The title that a panel gets if nobody writes another. */
  title: string;
  /** The dashboards that the user may change; undefined while they are read. */
  boards: SavedSummary[] | undefined;
  error: string;
  busy: boolean;
  /** The dashboard that has the panel now. */
  added: { id: string; name: string } | undefined;
  /** The reason why nothing can be added now; empty for none. */
  whyNot: string;
  onLoad(): void;
  /** Adds the panel to a dashboard; undefined makes one. */
  onAdd(title: string, board: SavedSummary | undefined): void;
  onOpen(id: string): void;
}

export function AddToBoard({ title, boards, error, busy, added, whyNot, onLoad, onAdd, onOpen }: Props) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? title;
  const link = useRef<HTMLButtonElement>(null);
  // The button that was clicked is gone.
  useEffect(() => link.current?.focus(), [added]);
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label="Add to a dashboard"
      align="right"
      class="add-to-board"
      anchor={
        <Button
          icon="plus"
          title={whyNot || "Add this to a dashboard"}
          disabled={whyNot !== ""}
          expanded={open}
          onClick={() => {
            if (!open) {
              setTyped(undefined);
              onLoad();
            }
            setOpen(!open);
          }}
        >
          Add to dashboard
        </Button>
      }
    >
      {added ? (
        <p class="menu-head" role="status">
          Added to{" "}
          <button ref={link} type="button" class="link-button" onClick={() => onOpen(added.id)}>
            <VisibleText text={added.name} />
          </button>
        </p>
      ) : (
        <>
          <label class="board-title">
            <span>Title of the panel</span>
            <input
              value={shown}
              maxLength={TITLE_CHARS_MAX}
              autocomplete="off"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          {error && (
            <p class="alert-error" role="alert">
              {error}
            </p>
          )}
          <ul class="menu">
            {(boards ?? []).map((board) => (
              <li key={board.id}>
                <button type="button" disabled={busy} onClick={() => onAdd(shown, board)}>
                  <span class="menu-mark">
                    <Icon name="bars" size={14} />
                  </span>
                  <VisibleText text={board.folder ? `${board.folder} / ${board.name}` : board.name} />
                  <span class="menu-note ellipsis">
                    <VisibleText text={board.summary} />
                  </span>
                </button>
              </li>
            ))}
            <li>
              <button type="button" disabled={busy || boards === undefined} onClick={() => onAdd(shown, undefined)}>
                <span class="menu-mark">
                  <Icon name="plus" size={14} />
                </span>
                A new dashboard
                <span class="menu-note">with this panel</span>
              </button>
            </li>
          </ul>
        </>
      )}
    </Popover>
  );
}
