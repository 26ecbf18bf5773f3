// The buttons that move, resize, change and remove a panel, and the handles that do the first two with a pointer.
import type { RefObject } from "preact";
import type { Panel } from "../../api/dashboards.ts";
import { Button } from "../../components/button.tsx";
import type { IconName } from "../../components/icon.tsx";
import { COLUMNS, type Direction, type Place } from "./layout.ts";

/** Height of a row of the grid with the gap below it, in pixels; as in dashboards.css. */
export const ROW_PX = 84;

interface Props {
  panel: Panel;
  frame: RefObject<HTMLElement | null>;
  onPlace(place: Place): void;
  onStep(direction: Direction): void;
  onEdit(): void;
  onRemove(): void;
}

export function EditButtons({ panel, frame, onPlace, onStep, onEdit, onRemove }: Props) {
  const name = panel.title || panel.id;
  const { x, y, w, h } = panel;
  const steps: [string, IconName, () => void][] = [
    ["Move left", "left", () => onStep("left")],
    ["Move right", "right", () => onStep("right")],
    ["Move up", "up", () => onStep("up")],
    ["Move down", "down", () => onStep("down")],
    ["Narrower", "minus", () => onPlace({ x, y, w: w - 1, h })],
    ["Wider", "plus", () => onPlace({ x, y, w: w + 1, h })],
  ];
  const byKey = (event: KeyboardEvent): void => {
    const direction = /^Arrow(Left|Right|Up|Down)$/.exec(event.key)?.[1]?.toLowerCase() as Direction | undefined;
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.shiftKey) return onStep(direction);
    const wider = { left: -1, right: 1, up: 0, down: 0 }[direction];
    const higher = { left: 0, right: 0, up: -1, down: 1 }[direction];
    onPlace({ x, y, w: w + wider, h: h + higher });
  };
  const drag = (change: (columns: number, rows: number) => Place) => (event: PointerEvent) => {
    const grid = frame.current?.parentElement;
    if (!grid || event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    const columnPx = grid.clientWidth / COLUMNS;
    const start = { x: event.clientX, y: event.clientY };
    let last = "";
    const onMove = (moved: PointerEvent): void => {
      const columns = Math.round((moved.clientX - start.x) / columnPx);
      const rows = Math.round((moved.clientY - start.y) / ROW_PX);
      if (`${columns},${rows}` === last) return;
      last = `${columns},${rows}`;
      onPlace(change(columns, rows));
    };
    const onEnd = (): void => {
      handle.removeEventListener("pointermove", onMove);
      handle.removeEventListener("pointerup", onEnd);
      handle.removeEventListener("pointercancel", onEnd);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener("pointerup", onEnd);
    handle.addEventListener("pointercancel", onEnd);
  };
  return (
    <div class="panel-edit">
      <button
        type="button"
        class="drag-handle"
        title="Drag, or arrow keys; with Shift they resize"
        aria-label={`Move ${name}: arrow keys; with Shift they resize`}
        onKeyDown={byKey}
        onPointerDown={drag((columns, rows) => ({ x: x + columns, y: y + rows, w, h }))}
      >
        Move
      </button>
      {steps.map(([title, icon, act]) => (
        <Button icon={icon} title={`${title}: ${name}`} onClick={act} />
      ))}
      <Button title={`Lower: ${name}`} onClick={() => onPlace({ x, y, w, h: h - 1 })}>
        <span aria-hidden="true">H&minus;</span>
      </Button>
      <Button title={`Higher: ${name}`} onClick={() => onPlace({ x, y, w, h: h + 1 })}>
        <span aria-hidden="true">H+</span>
      </Button>
      <span class="spacer" />
      <Button title={`Edit ${name}`} kind="outlined" onClick={onEdit}>
        Edit
      </Button>
      <Button title={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
      <span
        class="resize-handle"
        aria-hidden="true"
        onPointerDown={drag((columns, rows) => ({ x, y, w: w + columns, h: h + rows }))}
      />
    </div>
  );
}
