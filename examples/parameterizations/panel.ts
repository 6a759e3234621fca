/** Text over one view. */
import type { Runner } from './runner.js';

/** Rotation per frame that counts as a jump, degrees. */
const JUMP = 20;

export interface Panel {
  readonly element: HTMLElement;
  place(left: number, top: number, width: number, height: number): void;
  show(runner: Runner): void;
}

const ROWS = [
  'rotation per frame',
  'largest so far',
  'largest coordinate change',
  'hand to target',
  'hand to target, angle',
  '1/cond B',
  'drift of |q|',
] as const;

export function createPanel(key: string): Panel {
  const element = document.createElement('section');
  element.className = 'panel';
  element.dataset.panel = key;
  const title = document.createElement('h2');
  const list = document.createElement('dl');
  const cells = ROWS.map((row) => {
    const name = document.createElement('dt');
    name.textContent = row;
    const value = document.createElement('dd');
    value.dataset.value = row;
    list.append(name, value);
    return value;
  });
  element.append(title, list);
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
      cells.forEach((cell, n) => {
        cell.textContent = texts[n];
        cell.classList.toggle('bad', bad[n]);
      });
    },
  };
}
