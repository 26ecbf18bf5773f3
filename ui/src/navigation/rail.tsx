// The navigation: the pages that the user may see, at the left; on phones at the bottom.
import { useEffect } from "preact/hooks";
import type { Session } from "../api/session.ts";
import { Icon, type IconName } from "../components/icon.tsx";
import { Logo } from "../components/logo.tsx";
import type { PageName } from "../view/route.ts";
import { addressOf, currentPage, follow } from "./location.ts";
import { COUNTED_MAX, openAlerts, watchOpenAlerts } from "./open-alerts.ts";

interface Entry {
  page: PageName;
  /** Pages that belong to it. */
  also: PageName[];
  label: string;
  icon: IconName;
  keys: string;
}

const ENTRIES: Entry[] = [
  { page: "search", also: [], label: "Search", icon: "search", keys: "g s" },
  { page: "dashboards", also: [], label: "Dashboards", icon: "bars", keys: "g d" },
  { page: "alerts", also: ["rules", "draft"], label: "Alerts", icon: "bell", keys: "g a" },
  { page: "users", also: ["rights", "roles"], label: "Users", icon: "user", keys: "g u" },
];

/** Returns true if a user may see a page: everybody may search, if only to learn that there is nothing to see. */
export function maySee(session: Session, page: PageName): boolean {
  if (page === "users" || page === "rights" || page === "roles") return session.administers;
  return page === "search" || page === "profile" || session.may.includes("search");
}

export function Rail({ session }: { session: Session }) {
  const entries = ENTRIES.filter(({ page }) => maySee(session, page));
  const hasAlerts = entries.some(({ page }) => page === "alerts");
  useEffect(() => (hasAlerts ? watchOpenAlerts() : undefined), [hasAlerts]);
  return (
    <nav class="nav-rail" aria-label="Pages">
      <span class="nav-logo">
        <Logo size={26} />
      </span>
      <ul>
        {entries.map(({ page, also, label, icon, keys }) => {
          const isCurrent = currentPage.value === page;
          const isWithin = isCurrent || also.includes(currentPage.value);
          return (
            <li>
              <a
                href={addressOf(page)}
                class={`nav-entry ${isWithin ? "on" : ""}`}
                aria-current={isCurrent ? "page" : isWithin ? "true" : undefined}
                title={`${label}  (${keys})`}
                onClick={(event) => follow(event, page)}
              >
                <Icon name={icon} size={20} />
                <span class="nav-label">{label}</span>
                {page === "alerts" && <Badge count={openAlerts.value} />}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  const shown = count < COUNTED_MAX ? String(count) : `${COUNTED_MAX - 1}+`;
  return (
    <span class="nav-badge">
      {shown}
      <span class="visually-hidden"> not acknowledged</span>
    </span>
  );
}
