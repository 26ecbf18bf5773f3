// The shortcuts of the page. All actions also have a button; shortcuts act only while no text is being typed.

export type Command =
  | "query"
  | "older"
  | "newer"
  | "open"
  | "back"
  | "filter"
  | "exclude"
  | "context"
  | "time"
  | "earlier"
  | "later"
  | "zoomOut"
  | "live"
  | "wrap"
  | "copyLink"
  | "help"
  | "cellLeft"
  | "cellRight"
  | "pageDown"
  | "pageUp"
  | "first"
  | "rerun";

export const SHORTCUTS: { keys: string[]; command: Command; does: string }[] = [
  { keys: ["/"], command: "query", does: "Write the query" },
  { keys: ["j", "ArrowDown"], command: "older", does: "Next row, older" },
  { keys: ["k", "ArrowUp"], command: "newer", does: "Row before, newer" },
  { keys: ["ArrowRight"], command: "cellRight", does: "Next value of the row" },
  { keys: ["ArrowLeft"], command: "cellLeft", does: "Value before" },
  { keys: ["o", "Enter"], command: "open", does: "Open the message" },
  { keys: ["Escape"], command: "back", does: "Close, or back to the range before" },
  { keys: ["f"], command: "filter", does: "Filter by the value at the cursor" },
  { keys: ["x"], command: "exclude", does: "Exclude the value at the cursor" },
  { keys: ["c"], command: "context", does: "What came before and after" },
  { keys: ["t"], command: "time", does: "Choose the time" },
  { keys: ["["], command: "earlier", does: "Half a window earlier" },
  { keys: ["]"], command: "later", does: "Half a window later" },
  { keys: ["-"], command: "zoomOut", does: "Zoom out" },
  { keys: ["r"], command: "rerun", does: "Search again" },
  { keys: ["l"], command: "live", does: "Live tail on and off" },
  { keys: ["w"], command: "wrap", does: "Wrap long messages" },
  { keys: ["y"], command: "copyLink", does: "Copy a link with fixed times" },
  { keys: ["PageDown"], command: "pageDown", does: "A screen of rows on" },
  { keys: ["PageUp"], command: "pageUp", does: "A screen of rows back" },
  { keys: ["Home", "g"], command: "first", does: "To the newest row" },
  { keys: ["?"], command: "help", does: "This page" },
];

const COMMANDS = new Map(
  SHORTCUTS.flatMap(({ keys, command }) => keys.map((key): [string, Command] => [key, command])),
);

/** Returns the command of a key press; undefined while typing, with modifiers, and where a control uses the key. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const target = event.composedPath()[0] as HTMLElement | undefined;
  const tag = target?.tagName ?? "";
  if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT" || target?.isContentEditable) return undefined;
  const command = COMMANDS.get(event.key);
  const onControl = tag === "BUTTON" || tag === "A" || tag === "SUMMARY";
  if (onControl && event.key === "Enter") return undefined;
  // Dialogs close themselves.
  if (target?.closest(".popover, dialog")) return undefined;
  if (target?.closest(".pane-body") && /^(Arrow|Page|Home)/.test(event.key)) return undefined;
  return command;
}
