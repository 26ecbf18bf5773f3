// The menu of saved searches: the list to open one, and what can be done with the open one.
import { useEffect } from "preact/hooks";
import { Icon, type IconName } from "../../../components/icon.tsx";
import { Popover } from "../../../components/popover.tsx";
import { SavedList } from "./saved-list.tsx";
import type { SavedModel } from "./saved-model.ts";

interface Props {
  saved: SavedModel;
  open: boolean;
  onOpen(open: boolean): void;
  onCopyLink(id: string): void;
}

export function SavedMenu({ saved, open, onOpen, onCopyLink }: Props) {
  const current = saved.current.value;
  const changed = saved.isChanged.value;
  useEffect(() => {
    if (open) void saved.readList();
    else saved.deleted.value = undefined;
  }, [open]);
  const close = (): void => onOpen(false);
  const title = current ? `Saved search ${current.name}${changed ? ", changed and not saved" : ""}` : "Saved searches";
  return (
    <Popover
      open={open}
      onClose={close}
      label="Saved searches"
      class="saved-panel"
      anchor={
        <button
          type="button"
          class="button saved-button"
          title={`${title}  (b)`}
          aria-label={title}
          aria-expanded={open}
          aria-haspopup="dialog"
          onClick={() => onOpen(!open)}
        >
          <Icon name="star" />
          <span class="ellipsis saved-name">{current?.name ?? "Saved"}</span>
          {changed && (
            <span class="saved-changed" aria-hidden="true">
              changed
            </span>
          )}
          <Icon name="down" size={12} />
        </button>
      }
    >
      <div onKeyDown={moveFocus}>
        <CurrentSearch saved={saved} onDone={close} onCopyLink={onCopyLink} />
        <SavedList saved={saved} onDone={close} />
      </div>
    </Popover>
  );
}

/** Moves the focus along the entries with the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const panel = event.currentTarget as HTMLElement;
  const stops = [...panel.querySelectorAll<HTMLElement>("input, li button:not(:disabled)")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
  event.preventDefault();
}

interface Entry {
  icon: IconName;
  text: string;
  /** Why it cannot be done; empty when it can. */
  why: string;
  note?: string;
  run(): void;
}

/** What can be done with the search on the screen; what may not be done is disabled and says why. */
function CurrentSearch({
  saved,
  onDone,
  onCopyLink,
}: {
  saved: SavedModel;
  onDone(): void;
  onCopyLink(id: string): void;
}) {
  const current = saved.current.value;
  const readOnly = saved.whyReadOnly.value;
  const notOwner = readOnly || (current?.level === "own" ? "" : `needs own: ask ${current?.owner ?? ""}`);
  const changed = saved.isChanged.value;
  const save: Entry = current
    ? { icon: "check", text: "Save", why: readOnly || (changed ? "" : "no changes"), run: () => saved.save() }
    : { icon: "check", text: "Save this search\u2026", why: saved.whyNotNew.value, run: () => saved.save() };
  const entries: Entry[] = [save];
  if (current) {
    entries.push(
      {
        icon: "plus",
        text: "Save as new\u2026",
        why: saved.whyNotNew.value,
        run: () => saved.ask({ kind: "save" }),
      },
      { icon: "refresh", text: "Undo the changes", why: changed ? "" : "no changes", run: () => saved.revert() },
      { icon: "column", text: "Rename, folder, tags\u2026", why: readOnly, run: () => saved.ask({ kind: "details" }) },
      {
        icon: "user",
        text: "Share\u2026",
        why: notOwner,
        note: current.shared ? "shared" : "only you",
        run: () => saved.ask({ kind: "share" }),
      },
      {
        icon: "clock",
        text: "Versions\u2026",
        why: current.file ? readOnly : "",
        note: `${current.revision}`,
        run: () => saved.ask({ kind: "versions" }),
      },
      { icon: "link", text: "Copy its link", why: "", run: () => onCopyLink(current.id) },
      { icon: "minus", text: "Delete\u2026", why: readOnly, run: () => saved.ask({ kind: "delete" }) },
      { icon: "close", text: "Close it, keep the view", why: "", run: () => saved.detach() },
    );
  }
  return (
    <>
      {current && (
        <p class="menu-head">
          <b>{current.name}</b> {current.folder && <span class="muted">in {current.folder}</span>}
          <br />
          <span class="muted">
            {changed ? "changed, not saved" : "as saved"}
            {current.owner && `, owned by ${current.owner}${current.owner_removed ? " (removed)" : ""}`}
            {current.file && ", kept in a file"}
          </span>
          {current.tags.length > 0 && (
            <span class="saved-tags">
              {current.tags.map((tag) => (
                <span key={tag}>{tag}</span>
              ))}
            </span>
          )}
        </p>
      )}
      <ul class="menu saved-actions">
        {entries.map(({ icon, text, why, note, run }) => (
          <li key={text}>
            <button
              type="button"
              disabled={why !== ""}
              title={why || undefined}
              onClick={() => {
                onDone();
                run();
              }}
            >
              <span class="menu-mark">
                <Icon name={icon} size={14} />
              </span>
              {text}
              <span class="menu-note ellipsis">{why || note}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
