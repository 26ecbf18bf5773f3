// A severity as shape, colour and word: none of them alone carries the meaning.
import type { Severity } from "../api/row.ts";

const SHAPES: Record<Severity, string> = {
  // The worse the severity, the larger the shape.
  emerg: "M1 1h10v10H1z",
  alert: "M6 .5 11.500 6 6 11.500.5 6z",
  crit: "M6 .5 11.500 6 6 11.500.5 6z",
  err: "M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1Z",
  warning: "M6 1.200 11.200 10.500H.8z",
  notice: "M6 2.200a3.800 3.800 0 1 0 0 7.600 3.800 3.800 0 0 0 0-7.600Z",
  info: "M6 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z",
  debug: "M6 4.200a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600Z",
};

export function severityClass(severity: string): string {
  if (severity === "emerg" || severity === "alert" || severity === "crit") return "sev-crit";
  return severity in SHAPES ? `sev-${severity}` : "sev-info";
}

export function SeverityMark({ severity, word = true }: { severity: string; word?: boolean }) {
  const known = severity as Severity;
  const outlined = known === "notice" || known === "debug";
  return (
    <span class={`severity ${severityClass(severity)}`}>
      <svg
        width="10"
        height="10"
        viewBox="0 0 12 12"
        aria-hidden="true"
        fill={outlined ? "none" : "currentColor"}
        stroke={outlined ? "currentColor" : "none"}
        stroke-width="1.600"
      >
        <path d={SHAPES[known] ?? SHAPES.info} />
      </svg>
      {word && severity}
    </span>
  );
}
