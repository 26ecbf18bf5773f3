// The menu that shares the result: links, a command, exports.
import { useState } from "preact/hooks";
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

export function ShareMenu({ onShare }: { onShare: (what: ShareAction) => void }) {
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
      <ul class="menu">
        {SHARE_OPTIONS.map(([what, text, note]) => (
          <li>
            <button
              type="button"
              onClick={() => {
                setOpen(false);
                onShare(what);
              }}
            >
              <span class="menu-mark">
                <Icon name={COPIED.includes(what) ? "copy" : "down"} size={14} />
              </span>
              {text}
              <span class="menu-note">{note}</span>
            </button>
          </li>
        ))}
      </ul>
    </Popover>
  );
}
