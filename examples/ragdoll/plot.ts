import type { SimulationReport } from 'poise/dynamics';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** Time range, sample interval and redraw interval, s. */
const SPAN = 6;
const EVERY = 0.02;
const DRAW = 0.1;
/** px */
const HEIGHT = 128;

const SERIES = [
  { label: 'kinetic, J', stroke: '#2f66d0', scale: 'energy' },
  { label: 'potential, J', stroke: '#17794f', scale: 'energy' },
  { label: 'total, J', stroke: '#1d2733', scale: 'energy' },
  { label: 'contacts', stroke: '#b84a17', scale: 'contacts', dash: [4, 3] },
] as const;

/** Energies and contacts over the last seconds of the simulation. */
export class EnergyPlot {
  readonly #chart: uPlot;
  readonly #rows: number[][] = [[], [], [], [], []];
  #drawn = 0;

  constructor(container: HTMLElement) {
    this.#chart = new uPlot(
      {
        width: container.clientWidth,
        height: HEIGHT,
        padding: [6, 0, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: (_, __, max) => [Math.max(0, max - SPAN), Math.max(SPAN, max)] },
          energy: { range: (_, __, max) => [0, max > 0 ? 1.08 * max : 1] },
          contacts: { range: (_, __, max) => [0, Math.max(10, 2 * max)] },
        },
        axes: [
          { size: 26, gap: 2, values: (_, all) => all.map((t) => `${t} s`) },
          {
            scale: 'energy',
            size: 48,
            values: (_, all) => all.map((joules) => (joules < 1e4 ? String(joules) : `${joules / 1000}k`)),
          },
          { scale: 'contacts', side: 1, size: 30, grid: { show: false } },
        ],
        series: [
          {},
          ...SERIES.map((series) => ({
            ...series,
            dash: [...('dash' in series ? series.dash : [])],
            width: 1.6,
            points: { show: false },
          })),
        ],
      },
      [[], [], [], [], []],
      container,
    );
    new ResizeObserver(() => {
      if (container.clientWidth > 0) this.#chart.setSize({ width: container.clientWidth, height: HEIGHT });
    }).observe(container);
  }

  /** @param time - s of the simulation. */
  add(time: number, { kinetic, potential, touching }: SimulationReport): void {
    const [times] = this.#rows;
    if (times.length > 0 && time < times[times.length - 1] + EVERY) return;
    [time, kinetic, potential, kinetic + potential, touching].forEach((x, n) => {
      this.#rows[n].push(x);
    });
    while (times[0] < time - SPAN) for (const row of this.#rows) row.shift();
    if (time < this.#drawn + DRAW) return;
    this.#drawn = time;
    this.#chart.setData(this.#rows as uPlot.AlignedData);
  }

  clear(): void {
    for (const row of this.#rows) row.length = 0;
    this.#drawn = 0;
  }
}
