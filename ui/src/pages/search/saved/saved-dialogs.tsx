// The questions about a saved search: its name, its people, its deletion, and what to do when somebody else was faster.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SavedContent, SavedSearch } from "../../../api/objects.ts";
import { Differences } from "./differences.tsx";
import type { Zone } from "../../../time/zone.ts";
import { differingMembers, tagsOf } from "../../../view/saved-search.ts";
import type { SavedModel } from "./saved-model.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { VersionsDialog } from "./versions-dialog.tsx";

interface DialogsProps {
  saved: SavedModel;
  stale: boolean;
  first: string;
  zone: Zone;
}

export function SavedDialogs({ saved, stale, first, zone }: DialogsProps) {
  const dialog = saved.dialog.value;
  const current = saved.current.value;
  if (!dialog) return null;
  switch (dialog.kind) {
    case "save":
      return <NameDialog saved={saved} stale={stale} />;
    case "details":
      return current ? <NameDialog saved={saved} current={current} stale={false} /> : null;
    case "share":
      return current ? <ShareDialog key={current.revision} saved={saved} current={current} /> : null;
    case "versions":
      return current ? (
        <VersionsDialog key={current.revision} saved={saved} current={current} first={first} zone={zone} />
      ) : null;
    case "delete":
      return current ? <DeleteDialog saved={saved} current={current} /> : null;
    case "changed":
      return <ChangedDialog saved={saved} current={dialog.current} mine={dialog.mine} first={first} />;
  }
}

interface FrameProps {
  saved: SavedModel;
  title: string;
  onSubmit(form: FormData): void;
  children: ComponentChildren;
}

/** A dialog with a form: Escape closes it, and the server's refusal is shown in it. */
export function DialogFrame({ saved, title, onSubmit, children }: FrameProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLInputElement>("input[autofocus]")?.select();
    return () => before?.focus();
  }, []);
  return (
    <dialog
      class="saved-dialog"
      aria-labelledby="saved-dialog-title"
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault();
        saved.ask(undefined);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!saved.busy.value) onSubmit(new FormData(event.currentTarget));
        }}
      >
        <h2 id="saved-dialog-title">{title}</h2>
        {children}
        <p class="login-error" role="alert">
          {saved.error.value}
        </p>
      </form>
    </dialog>
  );
}

/** The buttons of a dialog; the first one submits its form. */
export function DialogButtons({ saved, submit }: { saved: SavedModel; submit: string }) {
  return (
    <p class="session-buttons">
      <button class="button primary" disabled={saved.busy.value}>
        {submit}
      </button>
      <button type="button" class="button outlined" onClick={() => saved.ask(undefined)}>
        Cancel
      </button>
    </p>
  );
}

function NameDialog({ saved, current, stale }: { saved: SavedModel; current?: SavedSearch; stale: boolean }) {
  const folders = [...new Set(saved.list.value?.map(({ folder }) => folder).filter(Boolean))];
  useEffect(() => void saved.readList(), []);
  const submit = (form: FormData): void => {
    const [name, folder] = [String(form.get("name")).trim(), String(form.get("folder")).trim()];
    const tags = tagsOf(String(form.get("tags")));
    if (current) void saved.write({ ...current, name, folder, tags }, current);
    else void saved.create(name, folder, tags);
  };
  return (
    <DialogFrame saved={saved} title={current ? "Rename or move the search" : "Save the search"} onSubmit={submit}>
      {stale && (
        <p class="saved-note warning">
          The text in the query bar has not been searched: the search of the result below it is saved.
        </p>
      )}
      {!current && <p class="muted">Query, logspace, time, columns and fields. Only you see it until you share it.</p>}
      <label>
        Name
        <input name="name" required maxLength={200} autofocus autocomplete="off" defaultValue={current?.name ?? ""} />
      </label>
      <label>
        Folder <span class="muted">(may be empty; / for folders inside)</span>
        <input
          name="folder"
          maxLength={200}
          autocomplete="off"
          list="saved-folders"
          defaultValue={current?.folder ?? saved.current.value?.folder ?? ""}
        />
      </label>
      <datalist id="saved-folders">
        {folders.map((folder) => (
          <option value={folder} />
        ))}
      </datalist>
      <label>
        Tags <span class="muted">(may be empty; a comma between two)</span>
        <input name="tags" autocomplete="off" defaultValue={current?.tags.join(", ") ?? ""} />
      </label>
      <DialogButtons saved={saved} submit="Save" />
    </DialogFrame>
  );
}

function DeleteDialog({ saved, current }: { saved: SavedModel; current: SavedSearch }) {
  return (
    <DialogFrame saved={saved} title={`Delete ${current.name}?`} onSubmit={() => void saved.delete()}>
      <p>
        Its links end.{current.shared && " Those it is shared with lose it."} It can be restored for 30 days. No message
        is deleted.
      </p>
      <DialogButtons saved={saved} submit="Delete" />
    </DialogFrame>
  );
}

interface ChangedProps {
  saved: SavedModel;
  current: SavedSearch;
  mine: SavedContent;
  first: string;
}

/** Shows both states, so that nobody overwrites what they have not seen. */
function ChangedDialog({ saved, current, mine, first }: ChangedProps) {
  const rows = differingMembers(mine, current, first);
  const gone = current.deleted_us !== undefined;
  return (
    <DialogFrame
      saved={saved}
      title={`${current.changed_by} has ${gone ? "deleted" : "changed"} ${current.name} meanwhile`}
      onSubmit={() => void saved.write(mine, current)}
    >
      {rows.length === 0 && <p>Both are the same now.</p>}
      <Differences rows={rows} one="yours" other={`${current.changed_by}'s`} />
      <p class="session-buttons">
        <button
          type="button"
          class="button primary"
          disabled={saved.busy.value}
          onClick={() => void saved.createCopy(mine)}
        >
          Save mine as a copy
        </button>
        {!gone && (
          <>
            <button type="button" class="button outlined" onClick={() => saved.acceptTheirs(current)}>
              Show theirs
            </button>
            <button class="button outlined" disabled={saved.busy.value}>
              Overwrite with mine
            </button>
          </>
        )}
        <button type="button" class="button outlined" onClick={() => saved.ask(undefined)}>
          Cancel
        </button>
      </p>
    </DialogFrame>
  );
}
