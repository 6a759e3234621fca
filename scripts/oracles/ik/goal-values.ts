import * as dual from './dual.js';
import { type Frame, type Oracle, unit } from './kinematics.js';
import type { CarriedPoint, Goal, Mask, Plane, Quadruple, Triple } from './types.js';

/** One component of a goal: its distance (m) or angle (rad), and half the square of the normalized residual with its derivative. */
export interface GoalComponent {
  readonly value: number;
  readonly half: [number, number];
  /** How much of the rounding of positions appears in the derivative: for a direction (L / distance)^2. */
  readonly sharpness?: number;
}

/** A pose with the direction of its directional derivatives, and the frames there. */
export interface Moment {
  readonly oracle: Oracle;
  readonly q: ArrayLike<number>;
  readonly rate: ArrayLike<number>;
  readonly frames: readonly Frame[];
}

const ONES: Mask = [1, 1, 1];

/** The components of a goal: one, or position and rotation of a relative pose. */
export function goalComponents(moment: Moment, goal: Goal): GoalComponent[] {
  const { oracle } = moment;
  const frame = (bone: string): Frame => moment.frames[oracle.index.get(bone) ?? -1];
  const place = (bone: string, point: Triple = [0, 0, 0]): dual.DualVector =>
    dual.add(frame(bone).position, dual.rotate(frame(bone).rotation, dual.vector(point)));
  const target = (to: Triple | CarriedPoint): dual.DualVector =>
    'bone' in to ? place(to.bone, to.point) : dual.vector(to);
  const rotate = (bone: string, offset: Quadruple = [0, 0, 0, 1]): dual.DualQuaternion =>
    dual.multiply(frame(bone).rotation, dual.quaternion(offset));
  switch (goal.type) {
    case 'position': {
      const apart = dual.subtract(place(goal.bone, goal.point), target(goal.target));
      if (goal.mask === undefined) return [length(oracle, apart, ONES)];
      // A mask counts along the axes of the bone that carries the target.
      const seen =
        'bone' in goal.target ? dual.rotate(dual.conjugate(frame(goal.target.bone).rotation), apart) : apart;
      return [length(oracle, seen, goal.mask)];
    }
    case 'orientation': {
      const to =
        'bone' in goal.target ? rotate(goal.target.bone, goal.target.offset) : dual.quaternion(goal.target);
      return [rotation(dual.multiply(dual.conjugate(to), rotate(goal.bone, goal.offset)), goal.mask)];
    }
    case 'relative-pose': {
      const other = goal.target.bone;
      const apart = dual.subtract(place(goal.bone, goal.point), place(other, goal.target.point));
      const seen = dual.rotate(dual.conjugate(frame(other).rotation), apart);
      const between = dual.multiply(
        dual.conjugate(rotate(other, goal.target.offset)),
        rotate(goal.bone, goal.offset),
      );
      return [length(oracle, seen, goal.positionMask ?? ONES), rotation(between, goal.orientationMask)];
    }
    case 'points-at': {
      const sight = dual.subtract(target(goal.target), place(goal.bone, goal.origin));
      const distance = Math.hypot(sight[0], sight[1], sight[2]);
      // A target at the origin of the sight has no direction: missed by pi, and no joint can help.
      if (distance === 0) return [{ value: Math.PI, half: [Math.PI ** 2 / 2, 0] }];
      const angle = angleBetween(dual.rotate(frame(goal.bone).rotation, dual.vector(unit(goal.axis))), sight);
      return [{ ...angle, sharpness: (oracle.lengthScale / distance) ** 2 }];
    }
    case 'distance': {
      const way = dual.subtract(place(goal.bone, goal.point), target(goal.target));
      const [square, slope] = dual.dot(way, way);
      const distance = Math.sqrt(square);
      const r = (distance - goal.distance) / oracle.lengthScale;
      const rate = distance > 0 ? (0.5 * slope) / (distance * oracle.lengthScale) : 0;
      return [
        {
          value: Math.abs(distance - goal.distance),
          half: [0.5 * r * r, r * rate],
          sharpness: (oracle.lengthScale / distance) * (1 + Math.abs(r)),
        },
      ];
    }
    case 'plane':
      return [height(oracle, heightOf(goal.target))];
    case 'half-space': {
      const [h, rate] = heightOf(goal.target);
      const above = h - (goal.clearance ?? 0);
      return [height(oracle, above < 0 ? [above, rate] : [0, 0])];
    }
    default: {
      const bone = oracle.index.get(goal.bone) ?? -1;
      const i = oracle.starts[bone] + (goal.coordinate ?? 0);
      const scale = oracle.scales[i];
      const r = (moment.q[i] - goal.value) / scale;
      return [{ value: scale * Math.abs(r), half: [0.5 * r * r, (r * moment.rate[i]) / scale] }];
    }
  }

  /** n.(x - p), n and p in the world or carried by a bone. */
  function heightOf(plane: Plane): readonly [number, number] {
    const x = place(goal.bone, 'point' in goal ? goal.point : undefined);
    const base = plane.bone === undefined ? dual.vector(plane.point) : place(plane.bone, plane.point);
    const n = dual.vector(unit(plane.normal));
    return dual.dot(
      plane.bone === undefined ? n : dual.rotate(frame(plane.bone).rotation, n),
      dual.subtract(x, base),
    );
  }
}

function length({ lengthScale }: Oracle, apart: dual.DualVector, mask: Mask): GoalComponent {
  const r = apart.map((x, k) => (mask[k % 3] * x) / lengthScale);
  const [square, slope] = dual.dot(r, r);
  return { value: lengthScale * Math.sqrt(square), half: [0.5 * square, 0.5 * slope] };
}

function height({ lengthScale }: Oracle, [h, rate]: readonly [number, number]): GoalComponent {
  return { value: Math.abs(h), half: [(0.5 * h * h) / lengthScale ** 2, (h * rate) / lengthScale ** 2] };
}

function rotation(q: dual.DualQuaternion, mask: Mask | undefined): GoalComponent {
  if (mask === undefined || mask.every((x) => x === 1)) return rotationAngle(q);
  // r = ratio v, ratio = theta/|v| = 2 atan2(s, w)/s with s = |v|; its slope by s'/s = v.v'/s^2.
  const sign = q[3] < 0 ? -1 : 1;
  const [x, y, z, w, dx, dy, dz, dw] = q.map((c) => sign * c);
  const s = Math.hypot(x, y, z);
  const along = x * dx + y * dy + z * dz;
  const near = s < 1e-3;
  // 2 asin(s)/s = 2 + s^2/3 + 3 s^4/20
  const ratio = near ? 2 + (s * s) / 3 + (3 * s ** 4) / 20 : (2 * Math.atan2(s, w)) / s;
  const slope = near
    ? (2 / 3 + (3 * s * s) / 5) * along
    : ((2 * (w * along - s * s * dw)) / (s * s + w * w) - ratio * along) / (s * s);
  const v: dual.DualVector = [x, y, z, dx, dy, dz];
  const r = v.map((c, k) => mask[k % 3] * (ratio * c + (k < 3 ? 0 : slope * v[k - 3])));
  const [square, rate] = dual.dot(r, r);
  return { value: Math.sqrt(square), half: [0.5 * square, 0.5 * rate] };
}

/** theta = 2 atan2(|v|, |w|) of a quaternion (v, w); half of theta^2 with its derivative, smooth at 0, with a crest at pi. */
function rotationAngle(q: dual.DualQuaternion): GoalComponent {
  const sign = q[3] < 0 ? -1 : 1;
  const [x, y, z, w, dx, dy, dz, dw] = q.map((c) => sign * c);
  const s = Math.hypot(x, y, z);
  const theta = 2 * Math.atan2(s, w);
  // theta' = 2 (w s' - s w') / |q|^2 and s' = v.v'/s; theta/s stays finite at 0.
  const ratio = s < 1e-9 ? 2 / w : theta / s;
  const size = s * s + w * w;
  const slope = (2 * ratio * (w * (x * dx + y * dy + z * dz) - s * s * dw)) / size;
  return { value: theta, half: [0.5 * theta * theta, slope] };
}

/** theta = atan2(|d x l|, d.l). */
function angleBetween(d: dual.DualVector, l: dual.DualVector): GoalComponent {
  // The angle does not depend on the length; lengths of 1e-6 and 1e6 are brought to 1.
  const length = Math.hypot(l[0], l[1], l[2]);
  const u = l.map((x) => x / length);
  const normal = dual.cross(d, u);
  const s = Math.hypot(normal[0], normal[1], normal[2]);
  const [c, dc] = dual.dot(d, u);
  const theta = Math.atan2(s, c);
  if (s < 1e-12 && c < 0) {
    // Straight behind: a crest, f falls by pi |n'| whichever way n grows.
    return {
      value: theta,
      half: [0.5 * theta * theta, -Math.PI * Math.hypot(normal[3], normal[4], normal[5])],
    };
  }
  const ratio = s < 1e-12 ? 1 / c : theta / s;
  const dotProduct = normal[0] * normal[3] + normal[1] * normal[4] + normal[2] * normal[5];
  return {
    value: theta,
    half: [0.5 * theta * theta, (ratio * (c * dotProduct - s * s * dc)) / (s * s + c * c)],
  };
}
