// The list of messages: draws only the visible rows, and requests the rows that it needs.
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { Row, RowId } from "../../../api/row.ts";
import type { Clock } from "../../../api/search.ts";
import { formatCount } from "../../../time/format.ts";
import type { Zone } from "../../../time/zone.ts";
import { ListHeader } from "./list-header.tsx";
import { MessageRow } from "./message-row.tsx";
import { FixedRows, MeasuredRows, ROW_PX, WRAPPED_ROWS_MAX } from "./scroll.ts";
import { gridColumns } from "./column-widths.ts";

/** Rows drawn above and below the visible ones. */
const OVERSCAN_ROWS = 8;
/** Rows requested beyond those drawn, so that they are there in time. */
const PREFETCH_ROWS = 40;
const SCROLL_IDLE_MS = 160;

interface Props {
  /** Identifies the result: when it changes, the list starts at its top. */
  result: unknown;
  length: number;
  total: number;
  version: number;
  at(index: number): Row | undefined;
  columns: string[];
  clock: Clock;
  zone: Zone;
  zoneName: string;
  /** Days are shown with their year. */
  years: boolean;
  wrap: boolean;
  cursor: { row: number; cell: number };
  open: RowId | undefined;
  /** Receives a handle while the list is on the page, and then undefined. */
  onReady(handle: ListHandle | undefined): void;
  onVisibleRows(first: number, last: number): void;
  onSelect(index: number, cell: number): void;
  onColumns(columns: string[]): void;
  onScrollAway(away: boolean): void;
}

/** What the page may do with the list. */
export interface ListHandle {
  focus(): void;
  scrollToTop(): void;
}

export function MessageList(props: Props) {
  const { length, columns, wrap, cursor, at } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const viewPx = useRef(600);
  const idleTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const template = useMemo(
    () => gridColumns(columns, at, props.years),
    [props.result, columns.join("\n"), length > 0, props.years],
  );
  const fixed = useRef(new FixedRows(0, 600));
  const measured = useMemo(() => new MeasuredRows(), [props.result, wrap, template]);

  if (fixed.current.length !== length || fixed.current.viewPx !== viewPx.current) {
    const { top } = fixed.current;
    fixed.current = new FixedRows(length, viewPx.current);
    fixed.current.top = Math.max(0, Math.min(top, fixed.current.totalPx - viewPx.current));
    fixed.current.correctedTo(scroller.current?.scrollTop ?? 0);
  }
  if (measured.length !== Math.min(length, WRAPPED_ROWS_MAX)) measured.resize(length);

  const scrollTop = scroller.current?.scrollTop ?? 0;
  const visibleFirst = wrap ? measured.indexAt(scrollTop) : fixed.current.first();
  const visibleLast = wrap ? measured.indexAt(scrollTop + viewPx.current) : fixed.current.last();
  const first = Math.max(0, visibleFirst - OVERSCAN_ROWS);
  const last = Math.min((wrap ? measured.length : length) - 1, visibleLast + OVERSCAN_ROWS);

  useLayoutEffect(() => {
    props.onReady({
      focus: () => scroller.current?.focus({ preventScroll: true }),
      scrollToTop: () => scroller.current?.scrollTo({ top: 0 }),
    });
    return () => props.onReady(undefined);
  }, []);

  useEffect(() => {
    const node = scroller.current!;
    const resize = new ResizeObserver(() => {
      viewPx.current = node.clientHeight - ROW_PX;
      redraw(0);
    });
    resize.observe(node);
    return () => resize.disconnect();
  }, []);

  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
    fixed.current.scrolledTo(0);
    redraw(0);
  }, [props.result]);

  // Keeps the cursor's row visible when the cursor moves.
  useLayoutEffect(() => {
    const node = scroller.current!;
    if (!wrap) {
      const before = fixed.current.top;
      const to = fixed.current.scrollToRow(cursor.row);
      if (fixed.current.top !== before) node.scrollTop = to;
    } else {
      const top = measured.topOf(cursor.row);
      const bottom = measured.topOf(cursor.row + 1);
      if (top < node.scrollTop) node.scrollTop = top;
      else if (bottom > node.scrollTop + viewPx.current) node.scrollTop = bottom - viewPx.current;
    }
    redraw(0);
  }, [cursor.row, wrap]);

  useEffect(
    () => props.onVisibleRows(first - PREFETCH_ROWS, last + PREFETCH_ROWS),
    [first, last, length, props.result],
  );

  useLayoutEffect(() => {
    if (!wrap) return;
    const node = scroller.current!;
    const drawn = [...node.querySelectorAll<HTMLElement>("[data-index]")];
    const before = measured.totalPx;
    const above = measured.measure(
      drawn.map((row) => [Number(row.dataset["index"]), row.offsetHeight]),
      visibleFirst,
    );
    if (above !== 0) node.scrollTop += above;
    if (measured.totalPx !== before) redraw(0);
  });

  function onScroll(): void {
    const node = scroller.current!;
    if (!wrap) {
      fixed.current.scrolledTo(node.scrollTop);
      clearTimeout(idleTimer.current);
      idleTimer.current = setTimeout(() => {
        const to = fixed.current.scrollTopPx;
        if (Math.abs(to - node.scrollTop) < 1) return;
        node.scrollTop = to;
        fixed.current.correctedTo(node.scrollTop);
        redraw(0);
      }, SCROLL_IDLE_MS);
    }
    props.onScrollAway(node.scrollTop > ROW_PX);
    redraw(0);
  }

  const drawnRows = [];
  for (let index = first; index <= last; index++) {
    const row = at(index);
    const top = wrap ? measured.topOf(index) : fixed.current.canvasTop(index, scrollTop);
    drawnRows.push(
      <MessageRow
        key={index}
        row={row}
        index={index}
        top={top}
        columns={columns}
        clock={props.clock}
        zone={props.zone}
        years={props.years}
        wrap={wrap}
        cell={cursor.row === index ? cursor.cell : undefined}
        open={row !== undefined && row.sequence === props.open}
        onClick={props.onSelect}
      />,
    );
  }
  const isCut = wrap && props.total > WRAPPED_ROWS_MAX;
  return (
    <div
      class="list mono"
      role="grid"
      aria-label="Messages, newest first"
      aria-rowcount={props.total + 1}
      aria-colcount={columns.length + 2}
      aria-activedescendant={length ? `row-${cursor.row}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={onScroll}
      style={{ "--columns": template }}
    >
      <ListHeader columns={columns} clock={props.clock} zone={props.zoneName} onColumns={props.onColumns} />
      <div class="canvas" role="rowgroup" style={{ height: `${wrap ? measured.totalPx : fixed.current.canvasPx}px` }}>
        {drawnRows}
      </div>
      {isCut && (
        <p class="list-end">
          Wrapped rows end here, at {formatCount(WRAPPED_ROWS_MAX)}. Turn wrapping off (w) to scroll through all{" "}
          {formatCount(props.total)}.
        </p>
      )}
    </div>
  );
}
