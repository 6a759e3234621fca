import { type FieldsOf, requireFields, shown } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { JointData, JointTypeName, LimitData, SwingLimit } from '../data/types.js';

/** Limit types by joint type. */
const LIMIT_TYPES: Readonly<Record<JointTypeName, readonly LimitData['type'][]>> = {
  fixed: [],
  hinge: ['interval'],
  slider: ['interval'],
  swing: ['cone', 'ellipse', 'quad-ellipse'],
  ball: ['angle'],
  'ball-and-socket': ['swing-twist'],
  euler: ['box'],
  free: ['box'],
};

const RANGE = { min: true, max: true } as const;

/** Field names of each limit type. */
const FIELDS: { readonly [T in LimitData['type']]: FieldsOf<LimitData & { type: T }> } = {
  interval: { type: true, ...RANGE },
  box: { type: true, ...RANGE },
  angle: { type: true, max: true },
  cone: { type: true, halfAngle: true },
  ellipse: { type: true, halfAngles: true },
  'quad-ellipse': { type: true, s: true, t: true },
  'swing-twist': { type: true, swing: true, twist: true },
};

/** Minimum half-angle: a narrower limit is a lock, and ratios of radii beyond 1e10 exceed double precision. */
const MIN_HALF_ANGLE = 1e-9;

/**
 * A checked copy of the limit of one bone.
 *
 * @throws FigureError `unknown-name` for an unknown field, `invalid-limit` naming the field: sets beyond the chart, a swing of pi or more, angles that are not positive,
 * min over max, missing numbers, or a limit type that the joint does not have.
 */
export function normalizeLimit(limit: LimitData, joint: JointData, path: string): LimitData {
  const allowed = LIMIT_TYPES[joint.type];
  if (!allowed.includes(limit?.type)) {
    throw invalid(
      typeof limit === 'object' ? `${path}.type` : path,
      `is ${shown(typeof limit === 'object' ? limit.type : limit)}, which is not a limit of a ${joint.type} joint.`,
      allowed.length === 0
        ? 'Leave it out: the joint has no coordinates.'
        : `Use ${allowed.map((type) => `'${type}'`).join(' or ')}${joint.type === 'ball' ? ', or a ball-and-socket joint to limit swing and twist separately' : ''}.`,
    );
  }
  requireFields(limit, FIELDS[limit.type], path, FigureError);
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
      const kind: unknown = swing?.type;
      const isKnown = typeof kind === 'string' && Object.hasOwn(FIELDS, kind);
      if (isKnown) requireFields(swing, FIELDS[kind as LimitData['type']], `${path}.swing`, FigureError);
      if (twist !== undefined) requireFields(twist, RANGE, `${path}.twist`, FigureError);
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

/** The object; undefined for undefined or null. */
function present<T extends object>(value: T | null | undefined, path: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') return value;
  throw invalid(path, `is ${shown(value)}.`, 'Give an object, or leave it out.');
}

/** A maximum rotation angle in (0, pi]. */
function rotationAngle(value: number, path: string): number {
  if (isPositive(value) && value <= Math.PI) return value;
  throw invalid(
    path,
    `is ${shown(value)} rad.`,
    'Give an angle above zero, up to pi; leave it out for no limit.',
  );
}

/** A swing half-angle: positive and below pi, where a ball-and-socket joint has gimbal lock (docs/errata.md, erratum 7). */
function halfAngle(value: number, path: string, sign: 1 | -1 = 1): number {
  if (Number.isFinite(value) && isPositive(sign * value) && sign * value < Math.PI) return value;
  throw invalid(
    path,
    `is ${shown(value)} rad.`,
    sign > 0
      ? 'Give a half-angle above zero and below pi, where swing has gimbal lock.'
      : 'Give a half-angle below zero and above minus pi, where swing has gimbal lock.',
  );
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value >= MIN_HALF_ANGLE;
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

/** [min, max], min < 0 < max. */
function quarter(range: readonly [number, number], path: string): readonly [number, number] {
  const [min, max] = pair(range, path);
  return [halfAngle(min, `${path}[0]`, -1), halfAngle(max, `${path}[1]`)];
}

function pair(numbers: readonly number[], path: string): readonly number[] {
  if (Array.isArray(numbers) && numbers.length === 2) return numbers;
  throw invalid(path, `is ${shown(numbers)}.`, 'Give two angles in radians.');
}

const BOTH_BOUNDS = 'Give both bounds, min <= max, or leave the twist out.';

/** A twist interval; both bounds are required. */
function bounded(
  range: { readonly min: number; readonly max: number },
  path: string,
): { readonly min: number; readonly max: number } {
  const { min, max } = interval(range.min, range.max, path, BOTH_BOUNDS);
  if (min === null || max === null) throw invalid(path, `runs from ${min} to ${max}.`, BOTH_BOUNDS);
  return { min, max };
}

function interval(
  min: number | null,
  max: number | null,
  path: string,
  remedy = 'Give min <= max, each a number or null for no bound.',
): { readonly min: number | null; readonly max: number | null } {
  const isValid = isBound(min) && isBound(max) && (min === null || max === null || min <= max);
  if (isValid) return { min: min === null ? null : min + 0, max: max === null ? null : max + 0 };
  throw invalid(path, `runs from ${shown(min)} to ${shown(max)}.`, remedy);
}

/** A number or null; not undefined, which may be a misspelt field. */
function isBound(value: number | null): boolean {
  return value === null || Number.isFinite(value);
}

function box(
  min: readonly (number | null)[],
  max: readonly (number | null)[],
  free: boolean,
  path: string,
): LimitData {
  const dof = free ? 6 : 3;
  for (const [name, bounds] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (Array.isArray(bounds) && bounds.length === dof) continue;
    throw invalid(
      `${path}.${name}`,
      `is ${shown(bounds)}.`,
      `Give an array of ${dof}, one for each coordinate.`,
    );
  }
  const intervals = min.map((bound, k) => interval(bound, max[k], `${path}[${k}]`));
  intervals.forEach((bounds, k) => {
    // A box over a rotation vector is no set of orientations: reparameterization changes it.
    if (!free || k < 3 || (bounds.min === null && bounds.max === null)) return;
    throw invalid(
      `${path}[${k}]`,
      'limits the rotation of a free joint.',
      'Limit its position only, or use a ball-and-socket joint.',
    );
  });
  return { type: 'box', min: intervals.map(({ min }) => min), max: intervals.map(({ max }) => max) };
}
