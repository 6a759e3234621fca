import { markdownTable, median } from '../statistics.js';
import type { System } from './bodies.js';
import type { Measured } from './measure.js';
import { MUJOCO_ROW } from './rows.js';

/** Requirement for a chain against MuJoCo's RK4: factor of energy drift below it, at no more time. */
const DRIFT_BELOW: Readonly<Record<string, number>> = { 'chain of 5 balls': 500, 'chain of 20 balls': 50 };

const word = (met: boolean): string => (met ? 'met' : 'NOT MET');

/** One line for a row of Poise against MuJoCo's RK4. */
function verdict(row: Measured, peer: Measured, system: System): string {
  const faster = median(peer.times) / median(row.times);
  const time = `${faster.toFixed(2)}x as fast (at or under its time: ${word(faster >= 1)})`;
  if (!(row.energy < Infinity)) return `- ${row.name}: blew up.`;
  const wanted = DRIFT_BELOW[system.name];
  if (wanted !== undefined) {
    const less = peer.energy / row.energy;
    return `- ${row.name}: energy drift ${less.toPrecision(3)}x below (${wanted}x: ${word(less >= wanted)}), ${time}.`;
  }
  const fraction = row.energy / peer.energy;
  return `- ${row.name}: energy drift ${fraction.toPrecision(3)} of its (1.01: ${word(fraction <= 1.01)}), angular momentum ${row.angular.toExponential(1)} (1e-8: ${word(row.angular <= 1e-8)}), ${time}.`;
}

export function systemTable(system: System, rows: readonly Measured[]): string {
  const free = system.gravity.every((g) => g === 0);
  const peer = rows.find(({ name }) => name === MUJOCO_ROW);
  if (peer === undefined) throw new Error('benchmarks: no row of MuJoCo');
  const gaps = rows.flatMap(({ name, gap }) =>
    gap === undefined ? [] : [`${name} ${(gap * 1000).toPrecision(2)} mm`],
  );
  return [
    `## ${system.name}`,
    markdownTable(
      [
        'row',
        'energy drift, J',
        ...(free ? ['relative', 'angular momentum, relative'] : []),
        'us a ms',
        'fastest',
      ],
      rows.map(({ name, energy, relative, angular, times }) => [
        name,
        energy < Infinity ? energy.toExponential(2) : 'blew up',
        ...(free ? [relative.toExponential(2), angular.toExponential(2)] : []),
        median(times).toFixed(2),
        Math.min(...times).toFixed(2),
      ]),
    ),
    `Bodies apart at a joint by at most: ${gaps.join(', ')}.`,
    "Poise beside MuJoCo's RK4:",
    rows
      .filter(({ name }) => name.startsWith('Poise'))
      .map((row) => verdict(row, peer, system))
      .join('\n'),
  ].join('\n\n');
}
