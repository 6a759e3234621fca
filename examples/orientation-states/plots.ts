import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { History } from './history.js';
import type { Seen } from './watch.js';

const HEIGHT = 190;
/** Below rounding: a logarithmic axis has no zero. */
const FLOOR = 1e-17;
const CEILING = 1e90;

/** Plotted quantities over time, each on a logarithmic axis. */
const PLOTS: readonly { readonly key: keyof Seen; readonly title: string }[] = [
  { key: 'energy', title: 'energy off by, relative' },
  { key: 'momentum', title: 'angular momentum off by, relative' },
  { key: 'error', title: 'orientation off by, rad' },
  { key: 'length', title: 'length of four numbers off one, before any repair' },
  { key: 'reciprocalCondition', title: 'how well rates can be solved: 1 well, 0 not' },
  { key: 'rate', title: 'how fast the numbers change, per turning speed' },
];

export interface Plots {
  draw(history: History): void;
}

/** Decades that contain the data, at least three. */
function decades(_: uPlot, min: number | null, max: number | null): [number, number] {
  let from = Math.floor(Math.log10(Math.max(FLOOR, min ?? 1e-3)));
  let to = Math.ceil(Math.log10(Math.min(CEILING, Math.max(FLOOR, max ?? 1)) * 1.0001));
  while (to - from < 3) {
    to++;
    if (to - from < 3) from--;
  }
  return [10 ** from, 10 ** to];
}

/** A readable subset of the decades. */
function ticks(_: uPlot, __: number, min: number, max: number): number[] {
  const from = Math.round(Math.log10(min));
  const to = Math.round(Math.log10(max));
  const every = Math.ceil((to - from) / 6);
  const all: number[] = [];
  for (let e = Math.ceil(from / every) * every; e <= to; e += every) all.push(10 ** e);
  return all;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const power = (x: number): string => {
  const e = Math.round(Math.log10(x));
  if (e === 0) return '1';
  return `10${e < 0 ? '⁻' : ''}${[...String(Math.abs(e))].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`;
};

export function createPlots(
  container: HTMLElement,
  bodies: readonly { name: string; color: string }[],
): Plots {
  const charts = PLOTS.map(({ key, title }) => {
    const box = document.createElement('div');
    box.dataset.plot = key;
    const heading = document.createElement('h3');
    heading.textContent = title;
    box.append(heading);
    container.append(box);
    return new uPlot(
      {
        width: 340,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: (_, __, to) => [0, Math.max(1, to ?? 0)] },
          y: { distr: 3, range: decades },
        },
        axes: [
          { values: (_, all) => all.map((t) => `${t} s`), size: 30, grid: { stroke: '#eef0f2' } },
          {
            size: 50,
            // Always fits: the splits are chosen below.
            incrs: (_, __, ___, max) => [max],
            splits: ticks,
            filter: (_, all) => all,
            values: (_, all) => all.map(power),
            grid: { stroke: '#eef0f2' },
          },
        ],
        series: [
          {},
          // Lower lines are wider, so that coincident lines are all visible.
          ...bodies.map(({ name, color }, n) => ({
            label: name,
            stroke: color,
            width: 4.2 - n,
            points: { show: false },
          })),
        ],
      },
      [[], ...bodies.map(() => [])],
      box,
    );
  });
  const resize = () => {
    for (const chart of charts) {
      const width = chart.root.parentElement?.clientWidth ?? 0;
      if (width > 0) chart.setSize({ width, height: HEIGHT });
    }
  };
  new ResizeObserver(resize).observe(container);
  resize();
  return {
    draw({ times, seen }) {
      charts.forEach((chart, n) => {
        const { key } = PLOTS[n];
        const lines = seen.map((line) =>
          line.map((each) => {
            const x = each?.[key] ?? Number.NaN;
            return Number.isFinite(x) ? Math.min(CEILING, Math.max(FLOOR, x)) : null;
          }),
        );
        chart.setData([times, ...lines]);
      });
    },
  };
}
