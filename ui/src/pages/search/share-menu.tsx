// The menu that shares the result: links, a command, exports.
import { useState } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Popover } from "../../components/popover.tsx";

export type ShareAction = "fixed" | "relative" | "curl" | "csv" | "csv-safe" | "ndjson" | "raw" | "package";

const COPIED: ShareAction[] = ["fixed", "relative", "curl"];

const SHARE_OPTIONS: [ShareAction, string, string][] = [
  ["fixed", "Link with fixed times", "shows the same tomorrow"],
  ["relative", "Link with relative times", "moves with the clock"],
  ["curl", "curl command", "the rows as JSON"],
  ["csv-safe", "Export CSV", "for spreadsheets: no formulas"],
  ["csv", "Export CSV, exact", "for programs, as logged"],
  ["ndjson", "Export NDJSON", "all fields, one message a line"],
  ["raw", "Export raw", "as received"],
  ["package", "Evidence package", "signed, with proofs"],
];

interface Props {
  logspace: string;
  /** The rights of the user there. */
  may: Logspace["may"];
  /** The text in the query bar has not been searched: what is shared belongs to the earlier query. */
  stale: boolean;
  onSearch(): void;
  onShare(what: ShareAction): void;
}

export function ShareMenu({ logspace, may, stale, onSearch, onShare }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onClose={() => setOpen(false)}
      label="Copy"
      align="right"
      anchor={
        <Button
          icon="link"
          title="Copy a link or export; y copies a link with fixed times"
          expanded={open}
          onClick={() => setOpen(!open)}
        >
          <span class="share-label">Share</span>
          <Icon name="down" size={12} />
        </Button>
      }
    >
      {stale && (
        <p class="menu-head share-stale">
          The text in the query bar has not been searched. These share the result below it.{" "}
          <button
            type="button"
            class="link-button"
            onClick={() => {
              setOpen(false);
              onSearch();
            }}
          >
            Search it first
          </button>
        </p>
      )}
      <ul class="menu">
        {SHARE_OPTIONS.map(([what, text, note]) => {
          const allowed = COPIED.includes(what) || may.includes("export");
          return (
            <li>
              <button
                type="button"
                disabled={!allowed}
                title={allowed ? undefined : `You need the right export on ${logspace}; an administrator can grant it`}
                onClick={() => {
                  setOpen(false);
                  onShare(what);
                }}
              >
                <span class="menu-mark">
                  <Icon name={COPIED.includes(what) ? "copy" : "export"} size={14} />
                </span>
                {text}
                <span class="menu-note">{allowed ? note : `needs export on ${logspace}`}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </Popover>
  );
}
