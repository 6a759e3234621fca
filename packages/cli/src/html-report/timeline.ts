/** Rows of intervals over time, as SVG. */
import { escaped, label, px } from './markup.js';

/** Intervals of one row. */
export interface TimelineRow {
  readonly name: string;
  readonly spans: readonly { readonly from: number; readonly to: number; readonly color: string }[];
}

const WIDTH = 1040;
const LEFT = 130;
const ROW = 18;

/** @param start - First and last time, s. */
export function timeline(title: string, rows: readonly TimelineRow[], start: number, end: number): string {
  const right = WIDTH - 10;
  const height = ROW * rows.length + 22;
  const x = (time: number): number => LEFT + ((right - LEFT) * (time - start)) / (end - start || 1);
  const elements = rows.flatMap(({ name, spans }, k) => {
    const y = ROW * k;
    return [
      `<text class="tick" x="${LEFT - 6}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>`,
      `<path class="grid" d="M${LEFT} ${y + 9}H${right}"/>`,
      ...spans.map(
        ({ from, to, color }) =>
          `<rect x="${px(x(from))}" y="${y + 3}" width="${px(Math.max(1, x(to) - x(from)))}" height="12" fill="${color}"><title>${escaped(name)}: ${label(Number(from.toFixed(3)))} to ${label(Number(to.toFixed(3)))} s</title></rect>`,
      ),
    ];
  });
  for (let n = 0; n <= 8; n++) {
    const time = start + ((end - start) * n) / 8;
    elements.push(
      `<text class="tick" x="${px(x(time))}" y="${height - 6}" text-anchor="middle">${label(Number(time.toFixed(2)))}</text>`,
    );
  }
  const heading = escaped(title);
  return `<svg class="strip" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${heading}">${elements.join('')}</svg>`;
}

/** Intervals in which a flag is set, each frame as long as the step. */
export function spansWhere(
  times: ArrayLike<number>,
  is: (frame: number) => boolean,
  color: string,
): { from: number; to: number; color: string }[] {
  const spans: { from: number; to: number; color: string }[] = [];
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
