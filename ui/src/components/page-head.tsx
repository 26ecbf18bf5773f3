// The head of a page that does not search: its tabs, and the buttons that every page has.
import type { Session } from "../api/session.ts";
import { currentPage, follow } from "../navigation/location.ts";
import { pathOf, type PageName } from "../view/route.ts";
import { AccountMenu, ThemeButton } from "./account-menu.tsx";

export interface PageProps {
  session: Session;
  /** The session has ended. */
  ended: boolean;
  onLogin(): void;
  onLogout(): void;
}

interface Props extends PageProps {
  title: string;
  tabs: { page: PageName; label: string }[];
}

export function PageHead({ title, tabs, session, ended, onLogin, onLogout }: Props) {
  return (
    <header class="top page-head">
      <h1>{title}</h1>
      {tabs.length > 0 && (
        <nav class="page-tabs" aria-label={title}>
          {tabs.map(({ page, label }) => (
            <a
              href={pathOf(page)}
              aria-current={page === currentPage.value ? "page" : undefined}
              onClick={(event) => follow(event, page, "")}
            >
              {label}
            </a>
          ))}
        </nav>
      )}
      <span class="spacer" />
      <ThemeButton />
      <AccountMenu session={session} ended={ended} onLogin={onLogin} onLogout={onLogout} />
    </header>
  );
}

export const ALERT_TABS: { page: PageName; label: string }[] = [
  { page: "alerts", label: "Inbox" },
  { page: "rules", label: "Rules" },
];
