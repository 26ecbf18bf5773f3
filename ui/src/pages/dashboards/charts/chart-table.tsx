// The figures of a chart as a table, for those who do not see it, or want the numbers.
import { VisibleText } from "../../../components/visible-text.tsx";
import { formatNumber } from "../../../time/format.ts";
import { zone } from "../../../view/preferences.ts";
import type { ChartData } from "./chart-data.ts";
import { pointName } from "./describe.ts";

interface Props {
  title: string;
  data: ChartData;
  hidden: boolean;
}

export function ChartTable({ title, data, hidden }: Props) {
  const points = (data.times ?? data.labels).map((_, index) => index);
  return (
    <div class={hidden ? "visually-hidden" : "panel-scroll"}>
      <table class="panel-table">
        <caption class="visually-hidden">{title || "Figures"}</caption>
        <thead>
          <tr>
            <th scope="col">{data.times ? "time" : "value"}</th>
            {data.series.map(({ name }) => (
              <th scope="col" class="number">
                <VisibleText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map((index) => (
            <tr>
              <th scope="row">
                <VisibleText text={pointName(data, index, zone.value)} />
              </th>
              {data.series.map(({ values }) => (
                <td class="number">
                  {values[index] === null || values[index] === undefined ? "" : formatNumber(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
