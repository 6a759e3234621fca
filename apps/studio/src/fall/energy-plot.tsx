import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { falling, useFall } from './falling.js';

/** Shown, s, and how often it is drawn, ms. */
const SPAN = 6;
const EVERY = 100;
/** px */
const HEIGHT = 150;

/** From line to line, J: whole, as their numbers are. */
const STEPS = Array.from({ length: 18 }, (_, n) => [1, 2, 5][n % 3] * 10 ** Math.floor(n / 3));

const SERIES = [
  { name: 'total', label: 'Total' },
  { name: 'potential', label: 'Height' },
  { name: 'kinetic', label: 'Motion' },
] as const;
const ROW = { kinetic: 1, potential: 2, total: 3 } as const;

/** Energies of the last seconds: of height and of motion, and both together. Colours are those of its legend. */
export function EnergyPlot() {
  const container = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const isMoving = useFall(({ phase }) => phase === 'falls' || phase === 'held');
  const starts = useFall((fall) => fall.starts);
  const plot = useRef<{ draw: () => void }>(undefined);

  useEffect(() => {
    // The engine may keep the functions of a plot that is gone: they hold no element, which would hold the panel.
    const entry = (name: string) => legend.current?.querySelector(`[data-energy="${name}"]`);
    const styleOf = (name: string) => getComputedStyle(entry(name) ?? document.body);
    const colorOf = (name: string) => styleOf(name).color;
    const soft = () => colorOf('axis');
    const grid = () => styleOf('axis').borderTopColor;
    const axis = {
      stroke: soft,
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const chart = new uPlot(
      {
        width: Math.max(1, container.current?.clientWidth ?? 0),
        height: HEIGHT,
        padding: [8, 12, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: {
            time: false,
            range: (_, __, max) => [Math.max(0, (max ?? 0) - SPAN), Math.max(SPAN, max ?? 0)],
          },
          y: { range: (_, min, max) => [Math.min(0, 1.1 * (min ?? 0)), max > 0 ? 1.1 * max : 10] },
        },
        axes: [
          { ...axis, size: 28, gap: 8, space: 45, values: (_, all) => all.map((time) => `${time} s`) },
          { ...axis, size: 50, gap: 4, space: 28, incrs: STEPS, values: (_, all) => all.map(joules) },
        ],
        series: [
          {},
          ...(['kinetic', 'potential', 'total'] as const).map((name) => ({
            stroke: () => colorOf(name),
            width: name === 'total' ? 1.6 : 2,
            ...(name === 'total' && { dash: [5, 4] }),
            points: { show: false },
          })),
        ],
      },
      falling.samples,
      ({ root }, draws) => {
        container.current?.append(root);
        draws();
      },
    );
    const draw = () => {
      chart.setData(falling.samples);
      for (const { name } of SERIES) {
        const output = entry(name)?.querySelector('output');
        if (output) output.textContent = joules(falling.samples[ROW[name]].at(-1) ?? 0);
      }
    };
    plot.current = { draw };
    draw();
    const resizes = new ResizeObserver(() => {
      const width = container.current?.clientWidth ?? 0;
      if (width > 0) chart.setSize({ width, height: HEIGHT });
    });
    if (container.current) resizes.observe(container.current);
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.redraw();
    scheme.addEventListener('change', redraw);
    // A theme that is set on the page.
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributes: true });
    return () => {
      resizes.disconnect();
      themes.disconnect();
      scheme.removeEventListener('change', redraw);
      chart.destroy();
      plot.current = undefined;
    };
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new start empties it.
  useEffect(() => {
    plot.current?.draw();
    if (!isMoving) return;
    const timer = setInterval(() => plot.current?.draw(), EVERY);
    return () => clearInterval(timer);
  }, [isMoving, starts]);

  return (
    <>
      <ul className="energies" ref={legend}>
        {SERIES.map(({ name, label }) => (
          <li key={name} data-energy={name}>
            <span className="key" aria-hidden="true" />
            <span className="label">{label}</span> <output />
          </li>
        ))}
        <li data-energy="axis" hidden />
      </ul>
      <div
        className="energy-plot"
        ref={container}
        role="img"
        aria-label="Energy of height and of motion over the last seconds, in joules"
      />
    </>
  );
}

function joules(energy: number): string {
  const rounded = Math.abs(energy) < 0.5 ? 0 : energy;
  return Math.abs(rounded) < 10_000 ? `${Math.round(rounded)} J` : `${(rounded / 1000).toFixed(1)} kJ`;
}
