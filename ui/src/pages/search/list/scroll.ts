// Positions of rows in a list that may be taller than a browser can draw.
//
// In: the position of the scroll bar. Out: which rows are visible, and where they are drawn. A list of fixed rows above
// CANVAS_PX_MAX is drawn on a shorter canvas: small moves are exact to the pixel, large ones (dragging the scroll bar) are
// scaled, and the scroll bar is corrected once scrolling pauses. Wrapped rows are measured as they are drawn.
// Limits: WRAPPED_ROWS_MAX rows in wrapped lists, because their heights have to be kept.

export const ROW_PX = 24;
/** Firefox stops at about 17.9 million pixels, Chromium at 33.5. */
export const CANVAS_PX_MAX = 16_000_000;
export const WRAPPED_ROWS_MAX = 20_000;
const WRAPPED_PX_GUESS = 32;

/** A list whose rows all have the same height. */
export class FixedRows {
  /** The first visible pixel of the list, which may be taller than the canvas. */
  top = 0;
  private lastScrollTop = 0;

  constructor(
    readonly length: number,
    readonly viewPx: number,
  ) {}

  get totalPx(): number {
    return this.length * ROW_PX;
  }

  get canvasPx(): number {
    return Math.min(this.totalPx, CANVAS_PX_MAX);
  }

  private get ratio(): number {
    if (this.totalPx <= this.canvasPx) return 1;
    return (this.totalPx - this.viewPx) / (this.canvasPx - this.viewPx);
  }

  /** Records that the user scrolled to `scrollTop`. */
  scrolledTo(scrollTop: number): void {
    const by = scrollTop - this.lastScrollTop;
    const most = Math.max(0, this.totalPx - this.viewPx);
    const atEnd = scrollTop >= this.canvasPx - this.viewPx - 1;
    if (this.ratio === 1) this.top = scrollTop;
    else if (scrollTop <= 0) this.top = 0;
    else if (atEnd) this.top = most;
    else if (Math.abs(by) < 2 * this.viewPx) this.top = Math.min(most, Math.max(0, this.top + by));
    else this.top = scrollTop * this.ratio;
    this.lastScrollTop = scrollTop;
  }

  /** The position of the scroll bar that belongs to `top`. */
  get scrollTopPx(): number {
    return this.ratio === 1 ? this.top : Math.round(this.top / this.ratio);
  }

  /** Records a position of the scroll bar that the page has set, not the user. */
  correctedTo(scrollTop: number): void {
    this.lastScrollTop = scrollTop;
  }

  /** Scrolls until a row is visible; returns the new position of the scroll bar. */
  scrollToRow(index: number): number {
    const at = index * ROW_PX;
    if (at < this.top) this.top = at;
    else if (at + ROW_PX > this.top + this.viewPx) this.top = at + ROW_PX - this.viewPx;
    this.lastScrollTop = this.scrollTopPx;
    return this.lastScrollTop;
  }

  first(): number {
    return Math.max(0, Math.floor(this.top / ROW_PX));
  }

  last(): number {
    return Math.min(this.length - 1, Math.ceil((this.top + this.viewPx) / ROW_PX));
  }

  /** Returns the position of a row on the canvas. */
  canvasTop(index: number, scrollTop: number): number {
    return this.ratio === 1 ? index * ROW_PX : scrollTop + index * ROW_PX - this.top;
  }
}

/** A list of wrapped rows, each as tall as its text. */
export class MeasuredRows {
  private readonly heights = new Map<number, number>();
  private tops = new Float64Array(1);
  length = 0;

  resize(length: number): void {
    this.length = Math.min(length, WRAPPED_ROWS_MAX);
    this.rebuild();
  }

  /** Stores the heights of rows that were just drawn; returns by how much the rows above `first` grew. */
  measure(drawn: [number, number][], first: number): number {
    let above = 0;
    let changed = false;
    for (const [index, px] of drawn) {
      const before = this.heights.get(index) ?? WRAPPED_PX_GUESS;
      if (px === before && this.heights.has(index)) continue;
      this.heights.set(index, px);
      changed ||= px !== before;
      if (index < first) above += px - before;
    }
    if (changed) this.rebuild();
    return above;
  }

  get totalPx(): number {
    return this.tops[this.length] ?? 0;
  }

  topOf(index: number): number {
    return this.tops[Math.min(index, this.length)] ?? 0;
  }

  indexAt(px: number): number {
    let low = 0;
    let high = Math.max(0, this.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle]! <= px) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private rebuild(): void {
    const tops = new Float64Array(this.length + 1);
    for (let index = 0; index < this.length; index++) {
      tops[index + 1] = tops[index]! + (this.heights.get(index) ?? WRAPPED_PX_GUESS);
    }
    this.tops = tops;
  }
}
