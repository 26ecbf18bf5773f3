// Hours of the day by days of the week: the darker a cell, the more messages.
import { toWallTime } from "../../../time/zone.ts";
import { zone } from "../../../view/preferences.ts";
import { formatNumber } from "../../../time/format.ts";
import type { ChartData } from "./chart-data.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Steps of colour; a cell without messages has none. */
const LEVELS = 5;

/** Adds up the figures of a chart over time: rows are days from Monday on, columns are hours. */
export function weekOf(data: ChartData): number[][] {
  const week = DAYS.map(() => HOURS.map(() => 0));
  for (const { values } of data.series)
    for (const [index, value] of values.entries()) {
      const wall = toWallTime(data.times?.[index] ?? 0, zone.value);
      const day = (new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay() + 6) % 7;
      week[day]![wall.hour]! += value ?? 0;
    }
  return week;
}

export function HeatChart({ title, data }: { title: string; data: ChartData }) {
  const week = weekOf(data);
  const most = Math.max(1, ...week.flat());
  const level = (value: number): number => (value <= 0 ? 0 : Math.max(1, Math.ceil((value / most) * LEVELS)));
  return (
    <table class="heat">
      <caption class="visually-hidden">{title || "Hours of the day by days of the week"}</caption>
      <thead>
        <tr>
          <td />
          {HOURS.map((hour) => (
            <th scope="col">{hour % 3 === 0 ? hour : <span class="visually-hidden">{hour}</span>}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {DAYS.map((day, row) => (
          <tr>
            <th scope="row">{day}</th>
            {HOURS.map((hour) => {
              const value = week[row]![hour]!;
              return (
                <td class={`heat-${level(value)}`} title={`${day} ${hour}:00: ${formatNumber(value)}`}>
                  <span class="visually-hidden">{formatNumber(value)}</span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
