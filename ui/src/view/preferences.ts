// The user's preferences, kept in the browser and not in links: time zone, theme, sizes. When the browser refuses to store
// them, they last for this visit only.
import { computed, effect, signal, type Signal } from "@preact/signals";
import type { Zone } from "../time/zone.ts";

export type Theme = "system" | "light" | "dark";

function persisted<T extends string | number | boolean>(name: string, otherwise: T, allowed?: readonly T[]): Signal<T> {
  const value = signal<T>(read(name, otherwise, allowed));
  effect(() => {
    const text = JSON.stringify(value.value);
    try {
      localStorage.setItem(`duramen.${name}`, text);
    } catch {
      // A private window may refuse; the page works without stored preferences.
    }
  });
  return value;
}

function read<T>(name: string, otherwise: T, allowed?: readonly T[]): T {
  try {
    const value = JSON.parse(localStorage.getItem(`duramen.${name}`) ?? "null") as T | null;
    if (value === null || typeof value !== typeof otherwise) return otherwise;
    return allowed && !allowed.includes(value) ? otherwise : value;
  } catch {
    return otherwise;
  }
}

/** Too narrow for panels next to each other. */
const small = matchMedia("(max-width: 820px)");
export const isNarrow = signal(small.matches);
small.addEventListener("change", (change) => {
  isNarrow.value = change.matches;
  drawerOpen.value = false;
});
/** On a narrow window the fields lie over the list: they are closed until asked for. */
export const drawerOpen = signal(false);

export const zone = persisted<Zone>("zone", "local", ["local", "utc"]);
export const theme = persisted<Theme>("theme", "system", ["system", "light", "dark"]);
// Browsers have stored the sidebar's preferences under the name "rail".
export const sidebarWidth = persisted<number>("rail", 264);
export const paneWidth = persisted<number>("pane", 460);
export const sidebarPreferred = persisted<boolean>("sidebarOpen", true);
export const sidebarOpen = computed(() => (isNarrow.value ? drawerOpen.value : sidebarPreferred.value));

export function toggleSidebar(): void {
  const shown = isNarrow.value ? drawerOpen : sidebarPreferred;
  shown.value = !shown.value;
}
export const barsOpen = persisted<boolean>("barsOpen", true);

const system = matchMedia("(prefers-color-scheme: dark)");
export const systemDark = signal(system.matches);
system.addEventListener("change", (change) => (systemDark.value = change.matches));

export function isDark(): boolean {
  return theme.value === "dark" || (theme.value === "system" && systemDark.value);
}

/** Puts the theme on the document, where the style sheet reads it. */
export function applyTheme(): () => void {
  return effect(() => {
    document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
  });
}
