// The list of dashboards, or the one that the address names.
import type { Logspace } from "../../api/logspaces.ts";
import type { PageProps } from "../../components/page-head.tsx";
import { currentDashboard } from "../../navigation/location.ts";
import "../../style/alerts.css";
import "../../style/dashboards.css";
import { BoardList } from "./board-list.tsx";
import { BoardPage } from "./board-page.tsx";

export function DashboardsPage(props: PageProps & { logspaces: Logspace[] }) {
  const id = currentDashboard.value;
  return id ? <BoardPage key={id} {...props} id={id} /> : <BoardList {...props} />;
}
