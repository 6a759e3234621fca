import type { Figure } from 'poise/figure';
import {
  createSpacetimeProblem,
  createTrajectory,
  type SpacetimeData,
  type SpacetimeSave,
  sampleTrajectory,
} from 'poise/spacetime';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { inWords } from '../shared/page.js';

/** px */
const HEIGHT = 116;
const COLORS = ['#2f66d0', '#b84a17', '#17794f', '#1d2733'] as const;
const SAMPLES = 120;

function chart(container: HTMLElement, lines: number, options: Partial<uPlot.Options>): uPlot {
  const series = COLORS.slice(0, lines).map((stroke) => ({ stroke, width: 1.6, points: { show: false } }));
  const made = new uPlot(
    {
      width: container.clientWidth,
      height: HEIGHT,
      padding: [6, 6, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      series: [{}, ...series],
      ...options,
    },
    [[], ...series.map(() => [])],
    container,
  );
  new ResizeObserver(() => {
    if (container.clientWidth > 0) made.setSize({ width: container.clientWidth, height: HEIGHT });
  }).observe(container);
  return made;
}

/** Cost and violation over the iterations, on a scale of powers of ten. */
export class ProgressPlot {
  readonly #chart: uPlot;
  readonly #rows: number[][] = [[], [], []];

  constructor(container: HTMLElement) {
    this.#chart = chart(container, 2, {
      scales: { x: { time: false }, y: { distr: 3 } },
      axes: [
        { size: 26, gap: 2 },
        {
          size: 44,
          values: (_, all) => all.map((x) => (x > 0 ? `1e${Math.round(Math.log10(x))}` : '')),
          filter: decades,
        },
      ],
    });
  }

  add(iteration: number, cost: number, violation: number): void {
    [iteration, Math.max(1e-12, cost), Math.max(1e-12, violation)].forEach((x, k) => {
      this.#rows[k].push(x);
    });
    this.#chart.setData(this.#rows as uPlot.AlignedData);
  }

  clear(): void {
    for (const row of this.#rows) row.length = 0;
    this.#chart.setData(this.#rows as uPlot.AlignedData);
  }
}

/** Every second power of ten, or fewer if the axis is short. */
function decades(_: uPlot, all: number[]): (number | null)[] {
  return all.map((x) => {
    const power = Math.log10(x);
    return Math.abs(power - Math.round(power)) < 1e-6 && Math.round(power) % 2 === 0 ? x : null;
  });
}

/** The largest joint torques over time. */
export class TorquePlot {
  readonly #chart: uPlot;
  readonly #key: HTMLElement;

  constructor(container: HTMLElement, key: HTMLElement) {
    this.#key = key;
    this.#chart = chart(container, COLORS.length, {
      scales: { x: { time: false } },
      axes: [
        { size: 26, gap: 2, values: (_, all) => all.map((t) => `${t} s`) },
        { size: 44, values: (_, all) => all.map((x) => `${x}`) },
      ],
    });
  }

  show(figure: Figure, data: SpacetimeData, save: SpacetimeSave): void {
    const trajectory = createTrajectory(createSpacetimeProblem(figure, data), save);
    const times = Array.from({ length: SAMPLES + 1 }, (_, k) => (trajectory.duration * k) / SAMPLES);
    const torques = times.map((time) => sampleTrajectory(trajectory, time).torques);
    const locked = new Set(data.locked);
    const rows = figure.bones
      .filter(({ joint, dof, name }) => dof > 0 && joint.type !== 'free' && !locked.has(name))
      .map(({ name, coordinate, dof }) => {
        const row = torques.map((tau) => Math.hypot(...tau.slice(coordinate, coordinate + dof)));
        return { name, row, most: Math.max(...row) };
      })
      .sort((a, b) => b.most - a.most)
      .slice(0, COLORS.length);
    this.#key.replaceChildren(
      ...rows.map(({ name }) => {
        const span = document.createElement('span');
        span.textContent = inWords(name);
        return span;
      }),
      'N m',
    );
    const none = times.map(() => null);
    this.#chart.setData([times, ...COLORS.map((_, k) => rows[k]?.row ?? none)] as uPlot.AlignedData);
  }

  clear(): void {
    this.#key.replaceChildren();
    this.#chart.setData([[], ...COLORS.map(() => [])]);
  }
}
