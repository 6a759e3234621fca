import { FigureError } from '../../errors.js';
import type { JointData, LimitData, SwingLimit } from '../types.js';
import type { LimitPart, LimitRole } from './limit.js';

type Draft = Omit<LimitPart, 'bone'>;

/**
 * Turns the limit of one bone into convex parts over its coordinates, and refuses what is not a limit:
 * sets that leave the chart (swing at or over pi), negative angles, kinds that don't fit the joint.
 *
 * @throws FigureError `invalid-limit` naming `path`.
 */
export function limitPartsOf(
  limit: LimitData,
  joint: JointData,
  coordinate: number,
  dof: number,
  path: string,
): Draft[] {
  switch (joint.type) {
    case 'hinge':
    case 'slider': {
      if (limit.type !== 'interval') break;
      const role = joint.type === 'hinge' ? 'angle' : 'distance';
      return interval(limit.min, limit.max, role, coordinate, path);
    }
    case 'euler':
    case 'free': {
      if (limit.type !== 'box') break;
      return box(limit.min, limit.max, joint.type === 'free', coordinate, dof, path);
    }
    case 'ball': {
      if (limit.type !== 'angle') break;
      const max = positive(limit.max, `${path}.max`);
      if (max > Math.PI) {
        throw invalid(
          `${path}.max`,
          `is ${max} rad, but no rotation is larger than pi.`,
          'Leave the limit out to allow every rotation.',
        );
      }
      return [{ coordinate, size: 3, kind: 'disk', role: 'angle', parameters: [max] }];
    }
    case 'swing': {
      if (limit.type !== 'cone' && limit.type !== 'ellipse' && limit.type !== 'quad-ellipse') break;
      return [swing(limit, coordinate, path)];
    }
    case 'ball-and-socket': {
      if (limit.type !== 'swing-twist') break;
      const parts: Draft[] = [];
      if (limit.swing !== undefined) parts.push(swing(limit.swing, coordinate, `${path}.swing`));
      if (limit.twist !== undefined) {
        parts.push(...interval(limit.twist.min, limit.twist.max, 'twist', coordinate + 2, `${path}.twist`));
      }
      return parts;
    }
    default:
      break;
  }
  throw invalid(
    path,
    `has type '${limit.type}', which does not fit a ${joint.type} joint.`,
    `Use ${fitting(joint)}.`,
  );
}

/** The limit types that fit a joint, in words. */
function fitting(joint: JointData): string {
  switch (joint.type) {
    case 'hinge':
    case 'slider':
      return `'interval'`;
    case 'euler':
    case 'free':
      return `'box'`;
    case 'ball':
      return `'angle', or a ball-and-socket joint for swing and twist apart`;
    case 'swing':
      return `'cone', 'ellipse' or 'quad-ellipse'`;
    case 'ball-and-socket':
      return `'swing-twist'`;
    default:
      return 'no limit: the joint has no coordinate';
  }
}

function invalid(path: string, what: string, remedy: string): FigureError {
  return new FigureError('invalid-limit', what, { path, remedy });
}

function positive(value: number, path: string): number {
  if (!(value > 0) || !Number.isFinite(value)) {
    throw invalid(path, `is ${value}.`, 'Give a positive angle in radians.');
  }
  return value;
}

/** A swing half-angle: positive and strictly below pi, where the ball-and-socket chart locks (MATH.md, erratum 7). */
function halfAngle(value: number, path: string): number {
  const angle = positive(value, path);
  if (angle >= Math.PI) {
    throw invalid(
      path,
      `is ${value} rad; swing locks at pi.`,
      'Keep every swing half-angle below pi (paper section 5).',
    );
  }
  return angle;
}

function swing(limit: SwingLimit, coordinate: number, path: string): Draft {
  const common = { coordinate, size: 2, role: 'swing' } as const;
  switch (limit.type) {
    case 'cone':
      return { ...common, kind: 'disk', parameters: [halfAngle(limit.halfAngle, `${path}.halfAngle`)] };
    case 'ellipse': {
      const [a, b] = limit.halfAngles;
      return {
        ...common,
        kind: 'ellipse',
        parameters: [halfAngle(a, `${path}.halfAngles[0]`), halfAngle(b, `${path}.halfAngles[1]`)],
      };
    }
    case 'quad-ellipse': {
      const [s0, s1] = limit.s;
      const [t0, t1] = limit.t;
      halfAngle(-s0, `${path}.s[0] (negated)`);
      halfAngle(s1, `${path}.s[1]`);
      halfAngle(-t0, `${path}.t[0] (negated)`);
      halfAngle(t1, `${path}.t[1]`);
      return { ...common, kind: 'quad-ellipse', parameters: [s0, s1, t0, t1] };
    }
    default:
      throw invalid(
        path,
        `has the unknown type '${(limit as { type: string }).type}'.`,
        `Use 'cone', 'ellipse' or 'quad-ellipse'.`,
      );
  }
}

function interval(
  min: number | null,
  max: number | null,
  role: LimitRole,
  coordinate: number,
  path: string,
): Draft[] {
  const lo = min ?? Number.NEGATIVE_INFINITY;
  const hi = max ?? Number.POSITIVE_INFINITY;
  if (!(lo <= hi) || lo === Number.POSITIVE_INFINITY || hi === Number.NEGATIVE_INFINITY) {
    throw invalid(
      path,
      `runs from ${min} to ${max}.`,
      'Give min <= max, both numbers (null leaves a side open).',
    );
  }
  if (lo === Number.NEGATIVE_INFINITY && hi === Number.POSITIVE_INFINITY) return [];
  return [{ coordinate, size: 1, kind: 'interval', role, parameters: [lo, hi] }];
}

function box(
  min: readonly (number | null)[],
  max: readonly (number | null)[],
  free: boolean,
  coordinate: number,
  dof: number,
  path: string,
): Draft[] {
  if (min.length !== dof || max.length !== dof) {
    throw invalid(
      path,
      `has ${min.length} and ${max.length} entries for ${dof} coordinates.`,
      'Give one min and one max each.',
    );
  }
  return min.flatMap((lo, k) => {
    const turning = !free || k >= 3;
    if (free && turning && (lo !== null || max[k] !== null)) {
      // A box on a rotation vector is not a set of orientations: it changes under reparameterization.
      throw invalid(
        `${path}[${k}]`,
        'limits the rotation of a free joint.',
        'Limit its position only, or use a ball-and-socket joint.',
      );
    }
    return interval(lo, max[k], free ? 'position' : 'angle', coordinate + k, `${path}[${k}]`);
  });
}
