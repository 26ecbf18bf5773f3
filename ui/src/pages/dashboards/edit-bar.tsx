// The bar of a dashboard that is edited: its name, parameters, times, people; saving and what stands in the way of it.
import type { DashboardSpec, Parameter } from "../../api/dashboards.ts";
import { Button } from "../../components/button.tsx";
import { VisibleText } from "../../components/visible-text.tsx";
import type { BoardModel } from "./board-model.ts";

export function EditBar({ model, onAdd }: { model: BoardModel; onAdd(): void }) {
  const draft = model.draft.value!;
  const object = model.object.value!;
  const { spec } = draft;
  const change = (more: Partial<DashboardSpec>): void => model.change({ ...spec, ...more });
  const conflict = model.conflict.value;
  const acl = object.acl ?? [];
  const isSimple =
    acl.length === 0 || (acl.length === 1 && acl[0]!.principal === "everyone" && acl[0]!.level === "view");
  const setParameter = (index: number, more: Partial<Parameter>): void =>
    change({ parameters: spec.parameters.map((one, at) => (at === index ? { ...one, ...more } : one)) });
  return (
    <section class="edit-bar" aria-label="Edit the dashboard">
      <div class="edit-row">
        <label class="board-field">
          <span>Name</span>
          <input value={draft.name} maxLength={200} onInput={(event) => model.rename(event.currentTarget.value)} />
        </label>
        <Button icon="plus" title="Add a panel" kind="outlined" onClick={onAdd}>
          Add panel
        </Button>
        <Button
          icon="plus"
          title="Add a parameter"
          onClick={() => change({ parameters: [...spec.parameters, newParameter(spec.parameters)] })}
        >
          Parameter
        </Button>
        <Button
          title="Begin with the times that are shown now"
          disabled={!model.view.value.range}
          onClick={() => {
            const { range, clock } = model.view.value;
            if (range) change({ time: { clock: clock ?? spec.time.clock, ...range } });
          }}
        >
          Keep these times
        </Button>
        {object.level === "own" && isSimple && (
          <label class="board-field">
            <span>Seen by</span>
            <select
              value={acl.length === 0 ? "nobody" : "everyone"}
              onChange={(event) => void model.share(event.currentTarget.value as "everyone" | "nobody")}
            >
              <option value="nobody">only me</option>
              <option value="everyone">everyone</option>
            </select>
          </label>
        )}
        <span class="spacer" />
        <Button title="Leave the dashboard as it was" onClick={() => model.cancel()}>
          Cancel
        </Button>
        <Button title="Save a new version" kind="primary" onClick={() => void model.save()}>
          Save
        </Button>
      </div>
      {spec.parameters.map((parameter, index) => (
        <fieldset class="edit-row" key={index}>
          <legend class="visually-hidden">Parameter {parameter.name}</legend>
          <label class="board-field">
            <span>Parameter</span>
            <input
              class="mono"
              value={parameter.name}
              maxLength={64}
              onChange={(event) => setParameter(index, { name: event.currentTarget.value })}
            />
          </label>
          <label class="board-field">
            <span>Label</span>
            <input
              value={parameter.title}
              maxLength={200}
              onChange={(event) => setParameter(index, { title: event.currentTarget.value })}
            />
          </label>
          <label class="board-field">
            <span>Type</span>
            <select
              value={parameter.type}
              onChange={(event) => setParameter(index, { type: event.currentTarget.value as Parameter["type"] })}
            >
              <option value="text">text</option>
              <option value="number">number</option>
            </select>
          </label>
          <label class="board-field">
            <span>Default</span>
            <input
              placeholder="any"
              value={parameter.default}
              maxLength={1_000}
              onChange={(event) => setParameter(index, { default: event.currentTarget.value })}
            />
          </label>
          <Button
            icon="close"
            title={`Remove the parameter ${parameter.name}`}
            onClick={() => change({ parameters: spec.parameters.filter((_, at) => at !== index) })}
          />
        </fieldset>
      ))}
      {conflict && (
        <div class="alert-error" role="alert">
          <p>
            <b>
              <VisibleText text={conflict.current.changed_by} /> has saved version {conflict.current.revision}{" "}
              meanwhile.
            </b>{" "}
            Yours is not saved yet.
          </p>
          <p>
            <Button
              title="Discard this draft and show the other version"
              kind="outlined"
              onClick={() => {
                model.object.value = conflict.current;
                model.cancel();
              }}
            >
              Show theirs
            </Button>{" "}
            <Button
              title="Save this draft as the next version"
              kind="outlined"
              onClick={() => void model.save(conflict.current)}
            >
              Save mine after it
            </Button>
          </p>
        </div>
      )}
    </section>
  );
}

function newParameter(known: Parameter[]): Parameter {
  let number = known.length + 1;
  while (known.some(({ name }) => name === `p${number}`)) number++;
  return { name: `p${number}`, title: "", type: "text", default: "" };
}
