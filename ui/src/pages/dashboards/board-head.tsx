// The head of a dashboard: its name, logspace, times, parameters, refresh, and what can be done with it.
import { useState } from "preact/hooks";
import type { Parameter } from "../../api/dashboards.ts";
import { AccountMenu, ThemeButton } from "../../components/account-menu.tsx";
import { Button } from "../../components/button.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import { follow } from "../../navigation/location.ts";
import { formatClockTime } from "../../time/format.ts";
import { absolute, resolve, shift, zoomOut, type Span } from "../../time/range.ts";
import { pathOf } from "../../view/route.ts";
import { zone } from "../../view/preferences.ts";
import { TimePicker } from "../search/time/time-picker.tsx";
import type { BoardModel } from "./board-model.ts";
import type { BoardProps } from "./board-page.tsx";
import { saveFile } from "./csv.ts";

const REFRESH: [number, string][] = [
  [0, "Only when asked"],
  [30, "Every 30 s"],
  [60, "Every minute"],
  [300, "Every 5 min"],
  [900, "Every 15 min"],
];

interface Props extends BoardProps {
  model: BoardModel;
  onCopy(): void;
}

export function BoardHead({ model, logspaces, session, ended, onLogin, onLogout, onCopy }: Props) {
  const [choosing, setChoosing] = useState(false);
  const object = model.object.value;
  const spec = model.spec.value;
  const view = model.view.value;
  const isEditing = model.draft.value !== undefined;
  const range = view.range ?? { from: spec?.time.from ?? "now-1h", to: spec?.time.to ?? "now" };
  const known = firstSpan(model);
  const span = resolve(range, Date.now() * 1000, known);
  const mayEdit = object !== undefined && object.level !== "view" && !object.file;
  const times = [...REFRESH];
  if (!times.some(([seconds]) => seconds === model.refreshS.value))
    times.push([model.refreshS.value, `Every ${model.refreshS.value} s`]);
  return (
    <>
      <header class="top page-head board-head">
        <nav class="board-path" aria-label="Dashboards">
          <a href={pathOf("dashboards")} onClick={(event) => follow(event, "dashboards", "")}>
            Dashboards
          </a>
          <span aria-hidden="true">/</span>
        </nav>
        <h1 class="ellipsis">
          <VisibleText text={model.draft.value?.name ?? object?.name ?? "Dashboard"} />
        </h1>
        <ThemeButton />
        <AccountMenu session={session} ended={ended} onLogin={onLogin} onLogout={onLogout} />
      </header>
      <div class="board-tools">
        <label class="board-field">
          <span>Logspace</span>
          <select
            value={view.logspace}
            onChange={(event) => model.show({ ...view, logspace: event.currentTarget.value })}
          >
            <option value="">{spec?.logspace || "as the dashboard says"}</option>
            {logspaces.map(({ name }) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        <TimePicker
          range={range}
          span={span}
          clock={view.clock ?? spec?.time.clock ?? "received"}
          zone={zone.value}
          open={choosing}
          onOpen={setChoosing}
          onRange={(range) => model.show({ ...view, range })}
          onClock={(clock) => model.show({ ...view, clock })}
          onZone={(name) => (zone.value = name)}
          onShift={(direction) => model.show({ ...view, range: absolute(shift(span, direction)) })}
          onZoomOut={() => model.show({ ...view, range: absolute(zoomOut(span, Date.now() * 1000)) })}
        />
        {spec?.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={view.values[parameter.name] ?? ""}
            onValue={(value) => model.show({ ...view, values: { ...view.values, [parameter.name]: value } })}
          />
        ))}
        <span class="spacer" />
        <span class="muted board-age" role="status">
          {model.takenUs.value !== undefined && `as of ${formatClockTime(model.takenUs.value, zone.value).slice(0, 8)}`}
        </span>
        <Button icon="refresh" title="Search again" onClick={() => void model.run()} disabled={model.busy.value} />
        {!isEditing && (
          <>
            <label class="board-field">
              <span class="visually-hidden">Refresh</span>
              <select
                value={model.refreshS.value}
                onChange={(event) => model.setRefresh(Number(event.currentTarget.value))}
              >
                {times.map(([seconds, label]) => (
                  <option value={seconds}>{label}</option>
                ))}
              </select>
            </label>
            {mayEdit && (
              <Button title="Edit the dashboard" kind="outlined" onClick={() => model.edit()}>
                Edit
              </Button>
            )}
            <Button title="Make a copy of one's own" kind={mayEdit ? "plain" : "outlined"} onClick={onCopy}>
              Copy
            </Button>
            <Button title="Show the dashboard alone, for a screen on a wall" onClick={() => model.enterKiosk()}>
              Kiosk
            </Button>
            <Button
              icon="export"
              title="Save the dashboard as a file"
              onClick={() => object && saveFile(`dashboard-${object.id}.json`, "application/json", fileOf(object))}
            />
          </>
        )}
      </div>
    </>
  );
}

/** The form of objects in files, as `duramen objects` and the folder of objects take it. */
function fileOf(object: NonNullable<BoardModel["object"]["value"]>): string {
  const { id, name, folder, description, tags, spec } = object;
  return `${JSON.stringify({ description, folder, id, kind: "dashboard", name, spec, tags }, null, 2)}\n`;
}

/** The times of the first panel that has none of its own. */
function firstSpan(model: BoardModel): Span | undefined {
  const own = new Set(model.spec.value?.panels.filter(({ time }) => time).map(({ id }) => id));
  for (const [id, { shown }] of model.panels.value)
    if (shown?.answer && !own.has(id)) return { fromUs: shown.answer.from_us, toUs: shown.answer.to_us };
  return undefined;
}

interface FieldProps {
  parameter: Parameter;
  value: string;
  onValue(value: string): void;
}

function ParameterField({ parameter, value, onValue }: FieldProps) {
  return (
    <label class="board-field">
      <span>
        <VisibleText text={parameter.title || parameter.name} />
      </span>
      <input
        value={value}
        maxLength={1_000}
        spellcheck={false}
        placeholder={parameter.default || "any"}
        inputMode={parameter.type === "number" ? "decimal" : "text"}
        onChange={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}
