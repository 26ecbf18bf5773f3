// Asked before an evidence package is downloaded that does not have everything that was found.
import { useEffect, useRef } from "preact/hooks";
import type { EvidencePackage } from "../../api/package.ts";
import { formatCount } from "../../time/format.ts";

export interface IncompletePackage {
  made: EvidencePackage;
  /** Messages that the search found. */
  found: number;
  /** The user may seal the logspace. */
  maySeal: boolean;
  unread: string[];
}

interface Props {
  package: IncompletePackage;
  onDownload(): void;
  onSeal(): void;
  onClose(): void;
}

export function PackageDialog({ package: incomplete, onDownload, onSeal, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { made, found, maySeal, unread } = incomplete;
  return (
    <dialog class="package-dialog" aria-labelledby="package-title" ref={dialog} onCancel={onClose}>
      <h2 id="package-title">
        {formatCount(found)} found, {made.messages === 0 ? "none" : formatCount(made.messages)} of them in the package
      </h2>
      <p>
        A package holds sealed messages only.
        {maySeal
          ? " Seal the logspace now, and it has all that were found."
          : ` The others can be in one when they are sealed, or when somebody who may administer the logspace seals it.`}
      </p>
      {unread.map((text) => (
        <p class="muted">Not in it: {text}</p>
      ))}
      <p class="session-buttons">
        {maySeal && (
          <button type="button" class="button primary" onClick={onSeal}>
            Seal now and package
          </button>
        )}
        <button type="button" class="button outlined" disabled={made.messages === 0} onClick={onDownload}>
          Package {formatCount(made.messages)}
        </button>
        <button type="button" class="button outlined" onClick={onClose}>
          Cancel
        </button>
      </p>
    </dialog>
  );
}
