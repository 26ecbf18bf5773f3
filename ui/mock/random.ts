// Repeatable random numbers: the same seed yields the same messages, so that tests can rely on them.

export interface Random {
  /** A number from 0 up to 1, exclusive. */
  unit(): number;
  /** An integer from `low` to `high`, inclusive. */
  whole(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  hex(digits: number): string;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: short, and good enough to make logs.
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (low: number, high: number): number => low + Math.floor(unit() * (high - low + 1));
  return {
    unit,
    whole,
    pick: (list) => list[Math.floor(unit() * list.length)]!,
    hex: (digits) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(""),
  };
}
