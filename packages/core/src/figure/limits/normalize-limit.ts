import { FigureError } from '../../errors.js';
import { shown } from '../data/normalize.js';
import type { JointData, JointTypeName, LimitData, SwingLimit } from '../data/types.js';

/** Which limit types fit a joint. */
const FITTING: Readonly<Record<JointTypeName, readonly LimitData['type'][]>> = {
  fixed: [],
  hinge: ['interval'],
  slider: ['interval'],
  swing: ['cone', 'ellipse', 'quad-ellipse'],
  ball: ['angle'],
  'ball-and-socket': ['swing-twist'],
  euler: ['box'],
  free: ['box'],
};

/** Narrower than this is not a limit but a lock, and ratios of radii beyond 1e10 leave double precision. */
const LEAST_HALF_ANGLE = 1e-9;

/**
 * A checked copy of the limit of one bone: refuses what is not a limit (sets that leave the chart, swing at or over pi,
 * angles that are not positive, min over max, numbers that are missing) and what does not fit the joint.
 *
 * @throws FigureError `invalid-limit` naming the field.
 */
export function normalizeLimit(limit: LimitData, joint: JointData, path: string): LimitData {
  const fitting = FITTING[joint.type];
  if (!fitting.includes(limit?.type)) {
    throw invalid(
      typeof limit === 'object' ? `${path}.type` : path,
      `is ${shown(typeof limit === 'object' ? limit.type : limit)}, which does not fit a ${joint.type} joint.`,
      fitting.length === 0
        ? 'Leave it out: the joint has no coordinate.'
        : `Use ${fitting.map((type) => `'${type}'`).join(' or ')}${joint.type === 'ball' ? ', or a ball-and-socket joint for swing and twist apart' : ''}.`,
    );
  }
  switch (limit.type) {
    case 'interval': {
      const { min, max } = interval(limit.min, limit.max, path);
      return { type: 'interval', min, max };
    }
    case 'box':
      return box(limit.min, limit.max, joint.type === 'free', path);
    case 'angle':
      return { type: 'angle', max: rotationAngle(limit.max, `${path}.max`) };
    case 'swing-twist': {
      const twist = present(limit.twist, `${path}.twist`);
      const swing = present(limit.swing, `${path}.swing`);
      return {
        type: 'swing-twist',
        ...(swing === undefined ? {} : { swing: swingLimit(swing, `${path}.swing`) }),
        ...(twist === undefined ? {} : { twist: bounded(twist, `${path}.twist`) }),
      };
    }
    default:
      return swingLimit(limit, path);
  }
}

function invalid(path: string, what: string, remedy: string): FigureError {
  return new FigureError('invalid-limit', what, { path, remedy });
}

/** The object, or undefined where it is left out (null counts as left out). */
function present<T extends object>(value: T | null | undefined, path: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') return value;
  throw invalid(path, `is ${shown(value)}.`, 'Give an object, or leave it out.');
}

/** A largest rotation angle: up to pi, which no rotation exceeds. */
function rotationAngle(value: number, path: string): number {
  if (isPositive(value) && value <= Math.PI) return value;
  throw invalid(path, `is ${shown(value)} rad.`, 'Give an angle over zero, up to pi; leave it out for all.');
}

/** A swing half-angle: positive and strictly below pi, where the ball-and-socket chart locks (MATH.md, erratum 7). */
function halfAngle(value: number, path: string, sign: 1 | -1 = 1): number {
  if (Number.isFinite(value) && isPositive(sign * value) && sign * value < Math.PI) return value;
  throw invalid(
    path,
    `is ${shown(value)} rad.`,
    `Give a half-angle ${sign > 0 ? 'over zero and' : 'under zero and over minus pi: its size'} below pi, where swing locks.`,
  );
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value >= LEAST_HALF_ANGLE;
}

function swingLimit(limit: SwingLimit, path: string): SwingLimit {
  switch (limit.type) {
    case 'cone':
      return { type: 'cone', halfAngle: halfAngle(limit.halfAngle, `${path}.halfAngle`) };
    case 'ellipse': {
      const [a, b] = pair(limit.halfAngles, `${path}.halfAngles`);
      return {
        type: 'ellipse',
        halfAngles: [halfAngle(a, `${path}.halfAngles[0]`), halfAngle(b, `${path}.halfAngles[1]`)],
      };
    }
    case 'quad-ellipse':
      return { type: 'quad-ellipse', s: quarter(limit.s, `${path}.s`), t: quarter(limit.t, `${path}.t`) };
    default:
      throw invalid(
        `${path}.type`,
        `is ${shown((limit as { type?: unknown }).type)}.`,
        `Use 'cone', 'ellipse' or 'quad-ellipse'.`,
      );
  }
}

/** [least, greatest], least < 0 < greatest. */
function quarter(range: readonly [number, number], path: string): readonly [number, number] {
  const [least, greatest] = pair(range, path);
  return [halfAngle(least, `${path}[0]`, -1), halfAngle(greatest, `${path}[1]`)];
}

function pair(numbers: readonly number[], path: string): readonly number[] {
  if (Array.isArray(numbers) && numbers.length === 2) return numbers;
  throw invalid(path, `is ${shown(numbers)}.`, 'Give two angles in radians.');
}

/** A twist interval: both ends are needed. */
function bounded(
  range: { readonly min: number; readonly max: number },
  path: string,
): { readonly min: number; readonly max: number } {
  const { min, max } = interval(range.min, range.max, path);
  if (min === null || max === null) {
    throw invalid(path, `runs from ${min} to ${max}.`, 'Give both ends, or leave the twist out.');
  }
  return { min, max };
}

function interval(
  min: number | null,
  max: number | null,
  path: string,
): { readonly min: number | null; readonly max: number | null } {
  const fits = isEnd(min) && isEnd(max) && (min === null || max === null || min <= max);
  if (fits) return { min: min === null ? null : min + 0, max: max === null ? null : max + 0 };
  throw invalid(
    path,
    `runs from ${shown(min)} to ${shown(max)}.`,
    'Give min <= max, both numbers (null leaves a side open).',
  );
}

/** A number or null. A missing end is refused: it may be a misspelt one, and a limit must not vanish unseen. */
function isEnd(value: number | null): boolean {
  return value === null || Number.isFinite(value);
}

function box(
  min: readonly (number | null)[],
  max: readonly (number | null)[],
  free: boolean,
  path: string,
): LimitData {
  const dof = free ? 6 : 3;
  for (const [name, side] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (Array.isArray(side) && side.length === dof) continue;
    throw invalid(
      `${path}.${name}`,
      `is ${shown(side)}.`,
      `Give an array of ${dof}, one for each coordinate.`,
    );
  }
  const sides = min.map((least, k) => interval(least, max[k], `${path}[${k}]`));
  sides.forEach((side, k) => {
    // A box on a rotation vector is not a set of orientations: it changes under reparameterization.
    if (!free || k < 3 || (side.min === null && side.max === null)) return;
    throw invalid(
      `${path}[${k}]`,
      'limits the rotation of a free joint.',
      'Limit its position only, or use a ball-and-socket joint.',
    );
  });
  return { type: 'box', min: sides.map((side) => side.min), max: sides.map((side) => side.max) };
}
