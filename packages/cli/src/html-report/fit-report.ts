/** How a model fits measured markers, as one self-contained HTML file: both moving, how far they are apart, gaps, limits. */
import { createState, type Figure, forwardKinematics, limitShapes } from 'poise/figure';
import type { Marker } from 'poise/ik';
import { type Vec3, vec3 } from 'poise/math';
import type { Motion } from 'poise/motion';
import type { FittedFrames } from '../fit/fit-frames.js';
import type { FitReport } from '../fit/report.js';
import { humanoidOf } from '../io/humanoid.js';
import { count, decimals } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { percent } from '../retarget/summary.js';
import { chart } from './chart.js';
import { CURVES, escaped } from './markup.js';
import { facts, htmlTable, note, page, type Section, verdict, warningList } from './page.js';
import { PLAYER, player } from './player.js';
import { spansWhere, timeline } from './timeline.js';

/** Markers with a curve, rows of a timeline, and points of a curve at most. */
const WORST = 5;
const MAX_ROWS = 20;
const MAX_POINTS = 600;
/** Markers that are farther off on the whole are worth a look, mm: OpenSim asks for an rms error below 20 mm and a largest of 40 mm. */
const GOOD = { rms: 20, max: 40 } as const;
/** A coordinate this near to its limit is at it, rad or m. */
const AT_LIMIT = 1e-3;

export interface FittedClip {
  readonly source: Source;
  readonly input: string;
  readonly fitted: FittedFrames;
  readonly markers: readonly Marker[];
  /** Bones that do not move: their limits are not at work. */
  readonly locked: readonly string[];
  readonly motion: Motion;
  readonly said: FitReport;
}

/** Deterministic: the same recording gives the same bytes. */
export function fitHtml({ source, input, fitted, markers, locked, motion, said }: FittedClip): Uint8Array {
  const { figure } = source;
  const { times, poses, measured, residuals } = fitted;
  const humanoid = humanoidOf(source);
  const bones = markers.map(({ bone }) =>
    typeof bone === 'number' ? bone : figure.bones.findIndex(({ name }) => name === bone),
  );
  const state = createState(figure);
  const points = (f: number): (Vec3 | undefined)[] => {
    forwardKinematics(state, poses[f]);
    return markers.flatMap(({ point = [0, 0, 0] }, m) => {
      const seen = measured[f].subarray(3 * m, 3 * m + 3);
      const w = state.worldFromBone.subarray(12 * bones[m], 12 * bones[m] + 12);
      const place = [0, 1, 2].map((r) => w[9 + r] + vec3.dot(w.subarray(3 * r, 3 * r + 3), point));
      return [Number.isNaN(seen[0]) ? undefined : seen, place];
    });
  };
  const [start, end] = [times[0], times[times.length - 1]];
  const gaps = markers.flatMap(({ name }, m) => {
    const spans = spansWhere(times, (f) => Number.isNaN(residuals[f][m]), CURVES[1]);
    return spans.length > 0 ? [{ name, spans }] : [];
  });
  const limited = limitsAtWork(figure, fitted, locked);
  const sections: Section[] = [
    {
      title: 'Model and markers',
      body:
        player(
          [
            {
              title: said.figure,
              figure,
              drawn: source.drawn,
              ...(humanoid && { humanoid }),
              points: 'pairs',
            },
          ],
          [{ name: motion.name, times, motions: [motion], points }],
        ) +
        note(
          'Orange dots: where the markers were measured, blue dots: where the model has them, lines: how far they are apart. Drag the picture or use the arrow keys to turn it.',
        ),
    },
    { title: 'How far the markers are off', body: errorCharts(said, fitted) },
    {
      title: 'Gaps',
      body:
        gaps.length === 0
          ? note('Every marker is seen in every frame.')
          : timeline('Gaps of the markers', gaps.slice(0, MAX_ROWS), start, end) +
            note(
              `Orange: the marker was not seen, and the others decide.${hiddenText(gaps.length, 'marker')}`,
            ),
    },
    {
      title: 'Joints at their limits',
      body:
        limited.length === 0
          ? note('No joint comes to its limit.')
          : timeline('Joints at their limits', limited.slice(0, MAX_ROWS), start, end) +
            note(
              `A joint that stays at its limit keeps the model from its markers: its range, or the place of a marker, may be wrong.${hiddenText(limited.length, 'joint')}`,
            ),
    },
    { title: 'Markers', body: markerTable(said) },
  ];
  const told: (readonly [string, string])[] = [
    ['recording', `${input}, ${count(said.frames, 'frame')} at ${decimals(said.rate)} Hz`],
    ['model', source.path ?? 'the built-in human'],
    ['length', `${decimals(end - start)} s, from ${decimals(start)} s`],
    ['markers', `${markers.length}${gaps.length > 0 ? `, ${gaps.length} of them with gaps` : ''}`],
  ];
  const lead = verdictOf(said);
  const about = [facts(told), warningList(said.warnings)];
  const title = `${motion.name} on ${said.figure}`;
  return new TextEncoder().encode(page({ title, lead, about, sections, programs: [PLAYER] }));
}

function hiddenText(rows: number, noun: string): string {
  return rows > MAX_ROWS ? ` ${count(rows - MAX_ROWS, `more ${noun}`)} not shown.` : '';
}

function verdictOf({ rms, worst }: FitReport): string {
  const isGood = rms <= GOOD.rms && worst.distance <= GOOD.max;
  return verdict(
    isGood,
    `<b>${isGood ? 'A close fit' : 'Look at the worst markers'}</b>: markers are ${decimals(rms, 1)} mm off on the whole (rms), ${decimals(worst.distance, 1)} mm at most (${escaped(worst.marker)} at ${decimals(worst.time, 2)} s).`,
  );
}

function errorCharts({ markers }: FitReport, { times, residuals }: FittedFrames): string {
  const every = Math.max(1, Math.ceil(times.length / MAX_POINTS));
  const frames = Array.from(times, (_, f) => f).filter((f) => f % every === 0);
  const x = frames.map((f) => times[f]);
  const worst = markers
    .map(({ name, rms = -1 }, m) => ({ name, rms, m }))
    .filter(({ rms }) => rms >= 0)
    .sort((a, b) => b.rms - a.rms)
    .slice(0, WORST);
  const seen = (f: number): number[] => Array.from(residuals[f]).filter((value) => !Number.isNaN(value));
  const rmsAt = (f: number): number =>
    Math.sqrt(seen(f).reduce((sum, value) => sum + value ** 2, 0) / seen(f).length);
  /** Of the frames up to the next that is drawn; NaN where no marker is seen. */
  const largestFrom = (f: number): number => {
    const values = Array.from({ length: Math.min(every, times.length - f) }, (_, k) => seen(f + k)).flat();
    return values.length === 0 ? Number.NaN : Math.max(...values);
  };
  const common = { x, xName: 's', yName: 'mm' };
  const charts = [
    chart({
      ...common,
      title: 'The markers that are farthest off',
      series: worst.map(({ name, m }, k) => ({
        name,
        color: CURVES[k],
        values: frames.map((f) => 1000 * residuals[f][m]),
      })),
    }),
    chart({
      ...common,
      title: 'All markers',
      series: [
        {
          name: 'largest',
          color: CURVES[1],
          values: frames.map((f) => 1000 * largestFrom(f)),
        },
        { name: 'on the whole (rms)', color: CURVES[0], values: frames.map((f) => 1000 * rmsAt(f)) },
      ],
    }),
  ];
  return `<div class="charts">${charts.join('')}</div>`;
}

/** Rows of the joints at a limit, those that are there longest first. */
function limitsAtWork(
  figure: Figure,
  { times, poses }: FittedFrames,
  locked: readonly string[],
): { name: string; spans: ReturnType<typeof spansWhere> }[] {
  const fixed = new Set(locked);
  const rows = figure.bones.flatMap(({ index, name, mimic }) => {
    const own = figure.limitComponents.filter(({ bone }) => bone === index);
    if (own.length === 0 || mimic !== undefined || fixed.has(name)) return [];
    const isAt = (f: number): boolean =>
      own.some(({ kind, parameters, coordinate, size }) => {
        const { value, gradient } = limitShapes[kind];
        const q = Float64Array.from(poses[f].subarray(coordinate, coordinate + size));
        const slope = new Float64Array(size);
        gradient(parameters, q, 0, size, slope, 0);
        const steep = Math.hypot(...slope);
        for (let k = 0; k < size; k++) q[k] += steep > 0 ? (AT_LIMIT * slope[k]) / steep : 0;
        return value(parameters, q, 0, size) > 0;
      });
    const flags = poses.map((_, f) => isAt(f));
    const frames = flags.filter(Boolean).length;
    if (frames === 0) return [];
    return [
      {
        name: `${name}, ${percent(frames / poses.length)}`,
        frames,
        spans: spansWhere(times, (f) => flags[f], CURVES[3]),
      },
    ];
  });
  return rows.sort((a, b) => b.frames - a.frames);
}

function markerTable({ markers }: FitReport): string {
  const rows = markers.map(({ name, rms, max, worstTime, worstFrame, observed }) => [
    name,
    rms === undefined ? '-' : rms.toFixed(1),
    max === undefined ? '-' : max.toFixed(1),
    worstTime === undefined ? '-' : `${worstTime.toFixed(2)} s (frame ${worstFrame})`,
    String(observed),
  ]);
  const numbers = ['off on the whole, mm', 'at most, mm', 'when', 'frames seen'].map((number) => ({
    number,
  }));
  return htmlTable(['marker', ...numbers], rows);
}
