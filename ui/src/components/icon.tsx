// The page's icons: strokes on a 16 by 16 grid, in the colour of the text around them.

const PATHS = {
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4 14 14",
  clock: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.6V8l2.4 1.6",
  left: "M10 3 5 8l5 5",
  right: "m6 3 5 5-5 5",
  down: "m3.5 6 4.5 4.5L12.5 6",
  up: "m3.5 10 4.5-4.5 4.5 4.5",
  out: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4 14 14M5 7h4",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  close: "m4 4 8 8M12 4l-8 8",
  export: "M8 2v7.500M4.800 6.600 8 9.800l3.200-3.200M2.500 11.500v2h11v-2",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  link: "M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.4 8.9a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  wrap: "M2 3.5h12M2 8h9.5a2.3 2.3 0 0 1 0 4.6H8.6M10.2 10.8l-1.8 1.8 1.8 1.8M2 12.5h3",
  column: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1",
  moon: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z",
  system: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  help: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM6.2 6.3c.1-2.4 3.8-2.2 3.6 0C9.7 7.6 8 7.6 8 9.2M8 11.4v.2",
  user: "M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4ZM2.8 13.8c.4-5 10-5 10.4 0",
  store:
    "M8 2c3.3 0 5.5.9 5.5 2.2S11.300 6.400 8 6.400 2.500 5.500 2.500 4.200 4.700 2 8 2ZM2.500 4.200v7.600C2.500 13.100 4.700 14 8 14s5.500-.9 5.500-2.200V4.200M2.500 8c0 1.300 2.200 2.200 5.500 2.200s5.500-.9 5.500-2.200",
  pause: "M5 3v10M11 3v10",
  sidebar: "M2.5 3h11v10h-11zM6.500 3v10",
  bars: "M2.500 13.500v-5M6.200 13.500v-9M9.800 13.500V7M13.500 13.500v-11",
  alert: "M8 2 14.500 13.500h-13ZM8 6.500v3.200M8 11.500v.2",
  refresh: "M13 8a5 5 0 1 1-1.500-3.600M13.300 2v3h-3",
  star: "M8 1.900 9.900 5.900l4.300.600-3.100 3 .8 4.300L8 11.700l-3.900 2.100.8-4.300-3.100-3 4.300-.600Z",
  check: "m3 8.500 3.500 3.500L13 4.500",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
