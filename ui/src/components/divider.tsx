// The edge between two panels: dragged with the pointer, or moved with the arrow keys.
import type { Signal } from "@preact/signals";

const STEP = 16;

interface Props {
  label: string;
  width: Signal<number>;
  min: number;
  max: number;
  /** The direction in which the width grows. */
  grows: "right" | "left";
}

export function Divider({ label, width, min, max, grows }: Props) {
  const sign = grows === "right" ? 1 : -1;
  const set = (value: number): void => {
    width.value = Math.round(Math.min(max, Math.max(min, value)));
  };
  const drag = (down: PointerEvent): void => {
    const start = width.value;
    const handle = down.currentTarget as HTMLElement;
    handle.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent): void => set(start + sign * (event.clientX - down.clientX));
    const end = (): void => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", end);
      handle.removeEventListener("pointercancel", end);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
    down.preventDefault();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    set(width.value + (event.key === "ArrowRight" ? STEP : -STEP) * sign);
  };
  return (
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width.value}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={drag}
      onKeyDown={key}
    />
  );
}
