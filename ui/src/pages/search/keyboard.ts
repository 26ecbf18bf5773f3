// The shortcuts of the page. Every action also has a button; shortcuts act only while no text is being typed.

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
  | "saved"
  | "save"
  | "cellLeft"
  | "cellRight"
  | "pageDown"
  | "pageUp"
  | "first"
  | "rerun";

export const SHORTCUTS: { keys: string[]; command: Command; description: string }[] = [
  { keys: ["/"], command: "query", description: "Edit the query" },
  { keys: ["j", "ArrowDown"], command: "older", description: "Next row, older" },
  { keys: ["k", "ArrowUp"], command: "newer", description: "Previous row, newer" },
  { keys: ["ArrowRight"], command: "cellRight", description: "Next value of the row" },
  { keys: ["ArrowLeft"], command: "cellLeft", description: "Previous value" },
  { keys: ["o", "Enter"], command: "open", description: "Open the message" },
  { keys: ["Escape"], command: "back", description: "Close, or return to the previous range" },
  { keys: ["f"], command: "filter", description: "Filter by the value at the cursor" },
  { keys: ["x"], command: "exclude", description: "Exclude the value at the cursor" },
  { keys: ["c"], command: "context", description: "Show messages before and after" },
  { keys: ["t"], command: "time", description: "Choose the time range" },
  { keys: ["["], command: "earlier", description: "Earlier by half the range" },
  { keys: ["]"], command: "later", description: "Later by half the range" },
  { keys: ["-"], command: "zoomOut", description: "Zoom out" },
  { keys: ["r"], command: "rerun", description: "Search again" },
  { keys: ["l"], command: "live", description: "Turn live tail on or off" },
  { keys: ["w"], command: "wrap", description: "Wrap long messages" },
  { keys: ["y"], command: "copyLink", description: "Copy a link with fixed times" },
  { keys: ["PageDown"], command: "pageDown", description: "Next screen of rows" },
  { keys: ["PageUp"], command: "pageUp", description: "Previous screen of rows" },
  { keys: ["Home", "g g"], command: "first", description: "Go to the newest row" },
  { keys: ["b"], command: "saved", description: "Open a saved search" },
  { keys: ["s"], command: "save", description: "Save the search" },
  { keys: ["?"], command: "help", description: "This page" },
];

/** Keys that lead to other pages; see `navigation/go-keys.ts`. */
export const PAGE_SHORTCUTS: { keys: string[]; description: string }[] = [
  { keys: ["g s"], description: "Go to the search page" },
  { keys: ["g a"], description: "Go to the alerts" },
];

// Of keys that are pressed one after the other the last one arrives here.
const COMMANDS = new Map(
  SHORTCUTS.flatMap(({ keys, command }) => keys.map((key): [string, Command] => [key.split(" ").at(-1)!, command])),
);

/** Returns the command of a key press; undefined while the user types, with modifiers, or when a control uses the key. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const target = event.composedPath()[0] as HTMLElement | undefined;
  const tag = target?.tagName ?? "";
  if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT" || target?.isContentEditable) return undefined;
  const command = COMMANDS.get(event.key);
  const onControl = tag === "BUTTON" || tag === "A" || tag === "SUMMARY";
  if (onControl && event.key === "Enter") return undefined;
  // Dialogs close themselves.
  if (target?.closest("[role=dialog], dialog")) return undefined;
  if (target?.closest("[role=tabpanel]") && /^(Arrow|Page|Home)/.test(event.key)) return undefined;
  return command;
}
