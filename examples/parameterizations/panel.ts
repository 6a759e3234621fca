/** Text over one view. */
import type { Runner } from './runner.js';

/** Rotation per frame that counts as a jump, degrees. */
const JUMP = 20;

export interface Panel {
  readonly element: HTMLElement;
  place(left: number, top: number, width: number, height: number): void;
  show(runner: Runner): void;
}

/** What is measured, by the words for it. */
const ROWS = {
  'rotation per frame': 'Joints turn in this frame',
  'largest so far': 'In any frame so far',
  'largest coordinate change': 'Their numbers change, at most',
  'hand to target': 'Hand away from the target',
  'hand to target, angle': 'Hand turned away from it',
  '1/cond B': 'Solvable: 1 well, 0 not at all',
  'drift of |q|': 'Length of the four numbers off 1',
} as const;

/** What is to be seen in a panel. */
const WATCH: Readonly<Record<string, string>> = {
  euler:
    'Three angles, one after the other. At 2.5 s two of them turn about one axis, gimbal lock: the numbers race.',
  unit: 'Four numbers of length 1. No lock anywhere; each step leaves the length 1 a little and is pulled back.',
  autonormalized: 'Four numbers whose length means nothing. No lock anywhere; the length wanders.',
  rate: 'Four numbers, driven by the angular velocity and brought back to length 1. No lock anywhere.',
  vector:
    'Three numbers: axis times angle. From 5 s on, at a full turn, all axes mean the same: the numbers race.',
  regularized: 'Axis times angle, replaced by the way round that is shorter: a full turn is nothing special.',
};

export function createPanel(key: string): Panel {
  const element = document.createElement('section');
  element.className = 'panel';
  element.dataset.panel = key;
  const title = document.createElement('h2');
  const verdict = document.createElement('span');
  verdict.className = 'verdict';
  const words = document.createElement('p');
  const list = document.createElement('dl');
  const cells = Object.entries(ROWS).map(([row, words]) => {
    const name = document.createElement('dt');
    name.textContent = words;
    const value = document.createElement('dd');
    value.dataset.value = row;
    list.append(name, value);
    return value;
  });
  const head = document.createElement('header');
  head.append(title, verdict);
  element.append(head, words, list);
  return {
    element,
    place(left, top, width, height) {
      Object.assign(element.style, {
        left: `${left}px`,
        top: `${top}px`,
        width: `${width}px`,
        height: `${height}px`,
      });
    },
    show({
      arm,
      rotationAngle,
      largestRotation,
      largestChange,
      distance,
      angle,
      reciprocalCondition,
      drift,
    }) {
      title.textContent = `${arm.parameterization.name[0].toUpperCase()}${arm.parameterization.name.slice(1)}`;
      const watch = WATCH[arm.parameterization.key] ?? '';
      if (words.textContent !== watch) words.textContent = watch;
      const degrees = (x: number): number => (180 * x) / Math.PI;
      const texts = [
        `${degrees(rotationAngle).toFixed(1)}°`,
        `${degrees(largestRotation).toFixed(1)}°`,
        `${degrees(largestChange).toFixed(1)}°`,
        `${(1000 * distance).toFixed(1)} mm`,
        `${degrees(angle).toFixed(1)}°`,
        reciprocalCondition.toFixed(3),
        drift === 0 ? 'none' : drift.toExponential(1),
      ];
      const bad = [
        degrees(rotationAngle) > JUMP,
        degrees(largestRotation) > JUMP,
        degrees(largestChange) > JUMP,
        distance > 0.02,
        degrees(angle) > 3,
        reciprocalCondition < 0.05,
        drift > 0.05,
      ];
      const jumped = degrees(largestChange) > JUMP;
      verdict.textContent = jumped ? 'has jumped' : 'calm so far';
      verdict.dataset.tone = jumped ? 'warn' : 'good';
      // Those without four numbers have no such length.
      const [last] = cells.slice(-1);
      for (const part of [last, last.previousElementSibling as HTMLElement]) part.hidden = drift === 0;
      cells.forEach((cell, n) => {
        cell.textContent = texts[n];
        cell.classList.toggle('bad', bad[n]);
      });
    },
  };
}
