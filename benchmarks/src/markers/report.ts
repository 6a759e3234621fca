import { markdownTable, median, percentile } from '../statistics.js';
import type { Accuracy } from './accuracy.js';
import type { Clip } from './clips.js';
import type { Subject } from './subjects.js';

/** Microseconds per frame: wall time and processor time (user), which other work on the machine hardly changes. */
export interface Times {
  readonly wallTime: number;
  readonly processor: number;
}

export interface Row {
  readonly subject: Subject;
  readonly clip: Clip;
  readonly noise: number;
  readonly frames: readonly Float64Array[];
  readonly accuracy: Accuracy;
  /** Of each round; microseconds of the frames of the last round. */
  readonly rounds: Times[];
  readonly single: number[];
}

/** Error over the Cramer-Rao bound. */
const WANTED_RATIO = 2;
const WANTED_STATIONARITY = 1e-8;

const processorOf = (row: Row): number => median(row.rounds.map(({ processor }) => processor));
const isFast = (row: Row): boolean => 1e6 / processorOf(row) >= (row.subject.wantedSpeed ?? 0);

/** Every frame within 1e-6 of an exact answer; with noise within twice the bound, coordinate by coordinate and direction by direction. */
function isAccurate({ accuracy: { exact, noisy, ends } }: Row): boolean {
  if (ends.excess > 0 || !(ends.stationarity <= WANTED_STATIONARITY)) return false;
  if (exact !== undefined) return exact.missed === 0;
  if (noisy === undefined) return false;
  return noisy.worstCoordinate <= WANTED_RATIO && noisy.worstDirection <= WANTED_RATIO;
}

export function isMet(row: Row): boolean {
  return isFast(row) && isAccurate(row);
}

const word = (met: boolean): string => (met ? 'met' : 'NOT MET');
const number = (x: number, digits = 3): string => (Number.isFinite(x) ? x.toPrecision(digits) : '-');
const small = (x: number): string => (x === 0 ? '0' : x.toExponential(1));
const percent = (x: number, of: number): string => {
  // Rounded down: 99.96 % must not show as 100 %.
  const share = (100 * x) / of;
  return `${x === of ? '100' : Math.min(99.9, share).toFixed(1)} %`;
};
const nameOf = ({ subject, clip, noise }: Row): string =>
  `${subject.name}, ${clip.name}, ${noise === 0 ? 'no noise' : `${noise * 1000} mm`}`;

export function reportOf(run: {
  readonly seed: number;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  readonly count: number;
  readonly missing: number;
  readonly rounds: number;
  readonly pairs: readonly { readonly goals: Times; readonly tracker: Times }[];
}): string {
  const { rows, pairs } = run;
  const goals = median(pairs.map((pair) => pair.goals.processor));
  const tracker = median(pairs.map((pair) => pair.tracker.processor));
  return [
    '# Markers and landmarks: clips with a known answer',
    [
      ...run.head,
      `- clips of ${run.count} frames at 120 a second, seed ${run.seed}; ${run.missing * 100} % of the points missing, each frame its own; ${run.rounds} rounds, rows in turn`,
      '- 31 markers by `solveMarkers` on the human (22 bones, 53 coordinates), 33 points by `solveLandmarks` on the same, 21 points by `solveLandmarks` on the hand (16 bones, 26 coordinates); defaults only',
      '- the first frame is sought from rest; the others start from the frame before',
    ].join('\n'),
    '## Speed',
    `Frames a second of one core, by processor time (user); on a quiet machine the wall time is the same. Wanted: 500 for 31 markers.`,
    speedTable(rows),
    `The same clip without gaps (31 markers, walk, 5 mm) as 31 position goals of \`createIk\`, no restarts: ${goals.toFixed(0)} us of processor time a frame, the tracker ${tracker.toFixed(0)}.`,
    '## How the frames ended',
    endsTable(rows),
    '## Without noise',
    'All frames. A direction is observed where the points move by 1e-3 length scales per radian or more (singular value of W^1/2 J at the known pose). ' +
      '"Straight": the part of estimate - truth along the observed directions at the truth is within 1e-6 rad. Where a direction is not ' +
      'observed, the poses that meet the points make a curve, and along a curve a way s in it shows in the observed directions by its bend, ' +
      'about s^2: so few frames with an unobserved direction pass. "Along the answers": the truth is walked along the exact answers until it lies ' +
      'in no unobserved direction of the estimate, and the whole distance left is compared (`scripts/oracles/markers/nearest-answer.ts`). ' +
      '"All seen": frames in which every direction is observed, and the largest error of a coordinate there, as it stands. "Other answers": frames that ' +
      'end in a pose that the walk does not come to, within the limits, whose points lie where they were measured (root sum of squares at most 1e-10 m): ' +
      'the data do not say which it was. Wanted: no frame over 1e-6 rad that is none of these.',
    exactTable(rows),
    '## With noise',
    'Root mean squares over the Cramer-Rao bound at the known pose. Coordinates: those without a part in an unobserved direction, at joints ' +
      'without an active limit, the worst among those counted in 30 frames or more. Directions: in what the points see of them, u . (x - x_true) / noise, ' +
      'u the image of the direction; limits may help or not; the worst by rank of its singular value. Wanted: 2 at most, both. ' +
      'Under 1 where limits, or `prior` in the landmark fits, know more than the points.',
    noisyTable(rows),
  ].join('\n\n');
}

function speedTable(rows: readonly Row[]): string {
  return markdownTable(
    ['clip', 'frames / s', 'us / frame', 'wall time', 'p99 of wall time', 'poses tried', 'wanted'],
    rows.map((row) => [
      nameOf(row),
      (1e6 / processorOf(row)).toFixed(0),
      processorOf(row).toFixed(0),
      median(row.rounds.map(({ wallTime }) => wallTime)).toFixed(0),
      percentile(row.single, 0.99).toFixed(0),
      row.accuracy.ends.iterations.toFixed(1),
      row.subject.wantedSpeed === undefined ? '-' : word(isFast(row)),
    ]),
  );
}

function endsTable(rows: readonly Row[]): string {
  const statuses = ['converged', 'out-of-reach', 'limit-blocked', 'stalled', 'iteration-limit'];
  return markdownTable(
    ['clip', ...statuses, 'worst stationarity', 'beyond a limit', 'rms of the points, mm'],
    rows.map((row) => {
      const { ends } = row.accuracy;
      return [
        nameOf(row),
        ...statuses.map((status) => String(ends.statuses[status] ?? 0)),
        ends.stationarity.toExponential(1),
        small(ends.excess),
        number(1000 * ends.rms),
      ];
    }),
  );
}

function exactTable(rows: readonly Row[]): string {
  return markdownTable(
    [
      'clip',
      'directions observed',
      'all seen',
      'largest error then',
      'straight',
      'along the answers',
      'largest error',
      'unseen drift',
      'other answers',
      'missed',
      'wanted',
    ],
    rows.flatMap((row) => {
      const { exact } = row.accuracy;
      if (exact === undefined) return [];
      const count = row.clip.poses.length;
      return [
        [
          nameOf(row),
          `${exact.observed.toFixed(1)} of ${row.subject.figure.dof}`,
          percent(exact.whole, count),
          exact.whole === 0 ? '-' : small(exact.largestWhole),
          percent(exact.straight, count),
          percent(exact.within, count),
          small(exact.largest),
          number(exact.drift, 2),
          exact.other === 0 ? '0' : `${exact.other} (${small(exact.otherResidual)} m)`,
          String(exact.missed),
          word(isAccurate(row)),
        ],
      ];
    }),
  );
}

function noisyTable(rows: readonly Row[]): string {
  return markdownTable(
    [
      'clip',
      'median error, deg',
      'coordinates',
      'worst',
      'which',
      'counted',
      'directions',
      'worst direction',
      'wanted',
    ],
    rows.flatMap((row) => {
      const { noisy } = row.accuracy;
      if (noisy === undefined) return [];
      return [
        [
          nameOf(row),
          number((180 / Math.PI) * noisy.typical),
          noisy.coordinates.toFixed(2),
          noisy.worstCoordinate.toFixed(2),
          noisy.coordinate,
          `${(100 * noisy.counted).toFixed(0)} %`,
          noisy.directions.toFixed(2),
          noisy.worstDirection.toFixed(2),
          word(isAccurate(row)),
        ],
      ];
    }),
  );
}
