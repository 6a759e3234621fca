/** Rows of intervals over time. */
import { escaped, label } from './markup.js';

/** An interval, s. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly color: string;
}

/** Intervals of one row. */
export interface TimelineRow {
  readonly name: string;
  readonly spans: readonly Span[];
}

/** @param start - First and last time, s. */
export function timeline(title: string, rows: readonly TimelineRow[], start: number, end: number): string {
  const percent = (time: number): string => ((100 * (time - start)) / (end - start || 1)).toFixed(2);
  const seconds = (time: number): string => label(Number(time.toFixed(3)));
  const elements = rows.map(({ name, spans }) => {
    const bars = spans.map(
      ({ from, to, color }) =>
        `<i style="left:${percent(from)}%;width:${percent(start + to - from)}%;--of:${color}" title="${escaped(name)}: ${seconds(from)} to ${seconds(to)} s"></i>`,
    );
    return `<span>${escaped(name)}</span><div>${bars.join('')}</div>`;
  });
  const ticks = [0, 1, 2, 3, 4].map(
    (n) => `<span>${label(Number((start + ((end - start) * n) / 4).toFixed(2)))}</span>`,
  );
  return `<div class="rows" role="img" aria-label="${escaped(title)}">${elements.join('')}<span>s</span><div class="axis">${ticks.join('')}</div></div>`;
}

/** Intervals in which a flag is set, each frame as long as the step. */
export function spansWhere(times: ArrayLike<number>, is: (frame: number) => boolean, color: string): Span[] {
  const spans: Span[] = [];
  let first = -1;
  for (let f = 0; f <= times.length; f++) {
    const on = f < times.length && is(f);
    if (on && first < 0) first = f;
    if (on || first < 0) continue;
    spans.push({ from: times[first], to: times[Math.min(f, times.length - 1)], color });
    first = -1;
  }
  return spans;
}
