import type { Verdict } from './scenario.js';

/** The worst of several runs; asleep where all are. */
export function joined(verdicts: readonly Verdict[]): Verdict {
  const worst = (of: (verdict: Verdict) => number): number => Math.max(...verdicts.map(of));
  return {
    finite: verdicts.every(({ finite }) => finite),
    limit: worst(({ limit }) => limit),
    gap: worst(({ gap }) => gap),
    depth: worst(({ depth }) => depth),
    speedUp: worst(({ speedUp }) => speedUp),
    rise: worst(({ rise }) => rise),
    rises: worst(({ rises }) => rises),
    energy: worst(({ energy }) => energy),
    sleepAfter: Math.min(...verdicts.map(({ sleepAfter }) => sleepAfter)),
    asleep: verdicts.every(({ asleep }) => asleep),
    restSpeed: worst(({ restSpeed }) => restSpeed),
    disagreement: worst(({ disagreement }) => disagreement),
  };
}

/** Rounding of energies of some kJ, J. */
const ROUNDING = 1e-9;

const degrees = (x: number): string => (x < 1e-9 ? '0' : x.toPrecision(2));
export const millimetres = (x: number): string => (x < 1e-9 ? '0' : (1000 * x).toFixed(1));
const joules = (x: number): string =>
  x === 0 ? '0' : x < 0.01 || x >= 1e4 ? x.toExponential(1) : x.toFixed(2);

export const VERDICT_HEAD = [
  'finite',
  'limit, deg',
  'depth, mm',
  'kinetic up, J',
  'all up, J',
  'sum of that, J',
  'least s to sleep',
  'asleep at the end',
  'speed then, m/s',
];

export function verdictCells(verdict: Verdict): string[] {
  const { finite, limit, depth, speedUp, rise, rises, sleepAfter, asleep, restSpeed } = verdict;
  return [
    finite ? 'yes' : 'NO',
    degrees(limit),
    millimetres(depth),
    joules(speedUp),
    joules(rise),
    joules(rises),
    Number.isFinite(sleepAfter) ? sleepAfter.toFixed(2) : 'never',
    asleep ? 'yes' : 'NO',
    restSpeed === 0 ? '0' : restSpeed.toPrecision(2),
  ];
}

/** Requirements that are not met. */
export function faults({ finite, limit, depth, speedUp, sleepAfter, asleep }: Verdict): string[] {
  return [
    ...(finite ? [] : ['not finite']),
    ...(limit <= 0.5 ? [] : [`a limit exceeded by ${degrees(limit)} degrees`]),
    ...(depth <= 0.01 ? [] : [`${millimetres(depth)} mm deep`]),
    ...(speedUp <= ROUNDING ? [] : [`kinetic energy up by ${joules(speedUp)} J in a step`]),
    ...(sleepAfter >= 1 ? [] : [`asleep after ${sleepAfter.toFixed(2)} s`]),
    ...(asleep ? [] : ['not at rest in the end']),
  ];
}
