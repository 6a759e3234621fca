import { looseShare, mergedTally, type Tally } from '../../../scripts/oracles/ik/random-run.js';
import { markdownTable } from '../statistics.js';

interface Run {
  readonly seed: number;
  readonly tallies: readonly Tally[];
}

const STATUSES = [
  'converged',
  'limit-blocked',
  'out-of-reach',
  'iteration-limit',
  'stalled',
  'immovable-goal',
];

/** The committed report of a run. */
export function reportOf(
  runs: readonly Run[],
  count: number,
  machine: readonly string[],
): { readonly text: string; readonly failures: number } {
  const tallies = runs.map(({ tallies: each }) => mergedTally(each));
  const failures = tallies.reduce((sum, tally) => sum + tally.failures.length, 0);
  const row = (name: string, value: (tally: Tally) => string | number): string[] => [
    name,
    ...tallies.map((tally) => String(value(tally))),
  ];
  const table = markdownTable(
    ['', ...runs.map(({ seed }) => `seed ${seed}`)],
    [
      row('problems', () => count),
      ...STATUSES.map((status) => row(status, ({ counts }) => counts[status] ?? 0)),
      row('iteration-limit by a limit drawn for it', ({ stoppedAtLimit }) => stoppedAtLimit),
      row(
        'neither met nor stationary, of the others',
        (tally) => `${(100 * looseShare(tally)).toFixed(2)} %`,
      ),
      row('accepted iterates', ({ iterates }) => iterates),
      row('largest excess of a limit at one, rad or m/L', ({ excess }) => excess.toExponential(1)),
      row('answers with f above the projected start', ({ roseToConverge }) => roseToConverge),
      row('largest stationarity of an answer called stationary', ({ stationarity }) =>
        stationarity.toExponential(2),
      ),
      row("largest difference of f from the oracle's, over 1 + f", ({ objectiveError }) =>
        objectiveError.toExponential(1),
      ),
      row('gradient not known to 1e-8', ({ illConditioned }) => illConditioned),
      row('failed verdicts', (tally) => tally.failures.length),
    ],
  );
  const failed = tallies.flatMap((tally, n) =>
    tally.failures.map(
      ({ number, status, texts }) =>
        `- seed ${runs[n].seed}, problem ${number}, ${status}: ${texts.join('; ')}`,
    ),
  );
  const text = [
    '# Random figures',
    '',
    ...machine,
    '- figures of 1 to 12 bones of every joint type, 1 mm to 1 km, limits of every kind (some hair-thin, of no width, or without the rest',
    '  pose), 1 to 4 goals (position, orientation, points-at, distance, plane, half-space, relative pose, joint value; masks; targets in the',
    '  world and on the figure; weights over six decades, some 0), starts at rest, anywhere, or thousands of turns off; half with the defaults',
    '- judged by `scripts/oracles/ik`: kinematics, gradient and nearest points of its own; L is the length scale',
    '- *gradient not known to 1e-8*: a target at the very origin of the sight of a points-at goal, where the direction has no digits left;',
    '  there only what is left of digits is compared. *immovable-goal*: refused when the solver is made, checked by the oracle',
    '',
    table,
    '',
    ...(failed.length === 0 ? ['Every verdict holds.'] : ['## Failed verdicts', '', ...failed]),
    '',
  ].join('\n');
  return { text, failures };
}
