/** Line charts over time or iterations, as SVG. */
import { escaped, label, polyline, px } from './markup.js';

export interface Series {
  readonly name: string;
  readonly color: string;
  readonly values: readonly number[];
  /** SVG's stroke-dasharray. */
  readonly dash?: string;
}

export interface Chart {
  readonly title: string;
  readonly x: readonly number[];
  readonly xName: string;
  readonly yName: string;
  readonly series: readonly Series[];
  /** Horizontal reference lines. */
  readonly levels?: readonly { readonly value: number; readonly name: string }[];
  /** Logarithmic y axis; values that are not positive are omitted. */
  readonly log?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Frames of which each stands for those up to the next, and curves through the largest value of each. @param most - Points of a curve. */
export function thinned(
  count: number,
  most: number,
): { readonly first: number[]; readonly peaks: (at: (frame: number) => number) => number[] } {
  const every = Math.max(1, Math.ceil(count / most));
  const first = Array.from({ length: Math.ceil(count / every) }, (_, k) => k * every);
  const peaks = (at: (frame: number) => number): number[] =>
    first.map((from) => {
      let largest = at(from);
      for (let f = from + 1; f < Math.min(from + every, count); f++) largest = Math.max(largest, at(f));
      return largest;
    });
  return { first, peaks };
}

const MARGIN = { left: 52, right: 10, top: 22, bottom: 30 } as const;
/** Decades of a logarithmic axis at most; smaller values are drawn at the bottom. */
const MAX_DECADES = 16;

export function chart({
  title,
  x,
  xName,
  yName,
  series,
  levels = [],
  log = false,
  width = 430,
  height = 200,
}: Chart): string {
  const right = width - MARGIN.right;
  const bottom = height - MARGIN.bottom;
  const shown = [...series.flatMap(({ values }) => values), ...levels.map(({ value }) => value)].filter(
    (value) => Number.isFinite(value) && (!log || value > 0),
  );
  const scale = log ? logScale(shown) : linearScale(shown);
  const [x0, x1] = [x[0], x[x.length - 1] > x[0] ? x[x.length - 1] : x[0] + 1];
  const xAt = (value: number): number => MARGIN.left + ((right - MARGIN.left) * (value - x0)) / (x1 - x0);
  const yAt = (value: number): number => bottom - (bottom - MARGIN.top) * scale.fraction(value);
  const elements: string[] = [];
  for (const tick of scale.ticks) {
    const y = px(yAt(tick));
    elements.push(
      `<path class="grid" d="M${MARGIN.left} ${y}H${right}"/>`,
      `<text class="tick" x="${MARGIN.left - 5}" y="${y}" dy="0.32em" text-anchor="end">${scale.text(tick)}</text>`,
    );
  }
  for (const tick of evenTicks(x0, x1, 5)) {
    const at = px(xAt(tick));
    elements.push(
      `<path class="grid" d="M${at} ${bottom}v4"/>`,
      `<text class="tick" x="${at}" y="${bottom + 14}" text-anchor="middle">${label(tick)}</text>`,
    );
  }
  elements.push(
    `<text class="tick" x="${right}" y="${height - 3}" text-anchor="end">${escaped(xName)}</text>`,
    `<text class="tick" x="4" y="${MARGIN.top - 9}">${escaped(yName)}</text>`,
  );
  for (const { value, name } of levels) {
    const y = px(yAt(value));
    elements.push(
      `<path class="level" d="M${MARGIN.left} ${y}H${right}"><title>${escaped(name)}</title></path>`,
    );
  }
  for (const { name, color, values, dash } of series) {
    const points = values.flatMap((value, k): [number, number][] =>
      Number.isFinite(value) && (!log || value > 0) ? [[xAt(x[k]), yAt(value)]] : [],
    );
    const dashed = dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
    elements.push(
      `<path class="curve" style="stroke:${color}"${dashed} d="${polyline(points)}"><title>${escaped(name)}</title></path>`,
    );
  }
  const legend = series
    .map(({ name, color }) => `<span class="key"><i style="--of:${color}"></i>${escaped(name)}</span>`)
    .join('');
  const heading = escaped(title);
  return (
    `<figure class="chart"><figcaption><b>${heading}</b>${legend}</figcaption>` +
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${heading}">${elements.join('')}</svg></figure>`
  );
}

interface Scale {
  /** 0 at the bottom, 1 at the top. */
  fraction(value: number): number;
  readonly ticks: readonly number[];
  text(tick: number): string;
}

function linearScale(values: readonly number[]): Scale {
  let low = Math.min(0, ...values);
  let high = Math.max(0, ...values);
  if (high === low) [low, high] = [-1, 1];
  const ticks = evenTicks(low, high, 5);
  const margin = 0.04 * (high - low);
  low -= margin;
  high += margin;
  return { fraction: (value) => (value - low) / (high - low), ticks, text: label };
}

function logScale(values: readonly number[]): Scale {
  const exponents = values.map(Math.log10);
  const high = Math.ceil(Math.max(-300, ...exponents) + 1e-9);
  const low = Math.max(Math.floor(Math.min(300, ...exponents)), high - MAX_DECADES);
  const span = Math.max(1, high - low);
  const every = Math.ceil(span / 6);
  const ticks = Array.from({ length: Math.floor(span / every) + 1 }, (_, k) => 10 ** (low + k * every));
  return {
    fraction: (value) => Math.max(0, (Math.log10(value) - low) / span),
    ticks,
    text: (tick) => `1e${Math.round(Math.log10(tick))}`,
  };
}

/** Multiples of 1, 2 or 5 times a power of ten, about `count` of them. */
function evenTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) as number;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}
