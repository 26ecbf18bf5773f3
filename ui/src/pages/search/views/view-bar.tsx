// The row of views: the switch, and the button that adds what is shown to a dashboard.
import { useMemo } from "preact/hooks";
import { openDashboard } from "../../../navigation/location.ts";
import { AddToBoard } from "../board/add-to-board.tsx";
import { BoardAdder } from "../board/board-adder.ts";
import { panelOf, titleOf } from "../board/panel-of.ts";
import type { SearchModel } from "../model/search-model.ts";
import { chartFor, chartsFor } from "./result-chart.tsx";
import { ViewSwitch } from "./view-switch.tsx";
import { durationOf, queryFor, viewOf, type ViewName } from "./views.ts";

interface Props {
  page: SearchModel;
  /** The name of the saved search that is shown. */
  savedName: string | undefined;
}

export function ViewBar({ page, savedName }: Props) {
  const adder = useMemo(() => new BoardAdder(), []);
  const view = page.view.value;
  const { query } = view;
  const charts = chartsFor(page.answer.value);
  const chart = view.chart && page.answer.value && chartFor(page.answer.value, view.chart);
  const length = durationOf(page.currentSpan());
  const show = (name: ViewName, earlier = length): void =>
    page.navigate({
      // The text being typed would be lost otherwise.
      query: queryFor(name, page.queryInput.value ?? query, earlier),
      chart: name === "chart" ? (view.chart ?? "line") : undefined,
    });
  return (
    <ViewSwitch
      view={viewOf(query, view.chart)}
      query={query}
      chart={chart}
      charts={charts}
      length={length}
      onView={show}
      onChart={(kind) => page.navigate({ chart: kind }, "replace")}
      onEarlier={(earlier) => show("compare", earlier)}
    >
      <AddToBoard
        title={titleOf(query, savedName)}
        boards={adder.boards.value}
        error={adder.error.value}
        busy={adder.busy.value}
        added={adder.added.value}
        whyNot={page.isStale.value ? "The text in the query bar has not been searched" : ""}
        onLoad={() => void adder.load()}
        onAdd={(title, board) =>
          void adder.add(
            {
              panel: panelOf(query, chart, title.trim()),
              logspace: page.logspace.value,
              range: view.range,
              clock: view.clock,
            },
            board,
          )
        }
        onOpen={(id) => openDashboard(id, "")}
      />
    </ViewSwitch>
  );
}
