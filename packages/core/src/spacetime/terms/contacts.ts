/** Points that stand on planes over a span, and the forces that push them. */
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/figure.js';
import { forwardKinematics } from '../../figure/forward-kinematics.js';
import { pointJacobianNu } from '../../figure/jacobians.js';
import { createState } from '../../figure/state.js';
import type { Numbers, Vec3 } from '../../math/types.js';
import * as vec3 from '../../math/vec3.js';
import type { ContactTerm } from '../data.js';
import { withColumnsNu } from '../moment.js';
import { holdMoments } from '../moments-of.js';
import type { Reference } from '../reference.js';
import { createSplineBasis, type SplineBasis } from '../spline-basis.js';
import type { CompiledTerm } from '../term.js';
import type { Contact } from './contact.js';
import {
  checkedSpan,
  checkedVector,
  checkWeight,
  namedBone,
  type TermContext,
  type TermPlace,
} from './context.js';

/** Forces are piecewise quadratic: continuous with their rates. */
const FORCE_DEGREE = 2;

export function readContact(
  figure: Figure,
  term: ContactTerm,
  path: string,
  firstPoint: number,
  motion: SplineBasis,
  reference: Reference,
): Contact {
  const bone = namedBone(figure, term.bone, `${path}.bone`);
  if (!Array.isArray(term.points) || term.points.length === 0) {
    throw new SpacetimeError('wrong-size', 'has no points: nothing touches.', {
      path: `${path}.points`,
      remedy: 'Give the points of the bone that stand, in its frame.',
    });
  }
  const points = term.points.map((point, k) => Array.from(checkedVector(point, 3, `${path}.points[${k}]`)));
  const [from, to] = checkedSpan(term.over, { duration: motion.end }, `${path}.over`);
  const given = checkedVector(term.normal ?? [0, 1, 0], 3, `${path}.normal`);
  const length = Math.hypot(given[0], given[1], given[2]);
  if (!(length > 0)) {
    throw new SpacetimeError('out-of-range', 'has no length.', {
      path: `${path}.normal`,
      remedy: 'Give a direction.',
    });
  }
  const normal = Array.from(given, (x) => x / length);
  const across = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1];
  const side = vec3.normalize(vec3.cross(across, normal));
  const step = (motion.end - motion.start) / motion.intervals;
  const intervals = Math.max(1, Math.round((to - from) / step));
  const [height] = checkedVector([term.height ?? 0], 1, `${path}.height`);
  return {
    bone,
    points: points as unknown as Vec3[],
    firstPoint,
    from,
    to,
    normal,
    height,
    friction: checkWeight(term.friction ?? 0.8, `${path}.friction`),
    sides: [side, vec3.cross(normal, side)],
    places: placesOf(
      figure,
      bone,
      points,
      term.place,
      reference(0.5 * (from + to)).pose,
      normal,
      height,
      path,
    ),
    isFree: term.place === 'free',
    basis: createSplineBasis(FORCE_DEGREE, intervals, from, to),
  };
}

/** Where the points are to stand: given, or where the reference has them, the lowest laid on the plane. */
function placesOf(
  figure: Figure,
  bone: number,
  points: readonly Numbers[],
  given: ContactTerm['place'],
  pose: Numbers,
  normal: Numbers,
  height: number,
  path: string,
): Float64Array {
  const places = new Float64Array(3 * points.length);
  if (given !== undefined && typeof given !== 'string') {
    if (given.length !== points.length) {
      throw new SpacetimeError('wrong-size', `has ${given.length} places for ${points.length} points.`, {
        path: `${path}.place`,
        remedy: 'Give one place for each point.',
      });
    }
    given.forEach((place, k) => {
      places.set(checkedVector(place, 3, `${path}.place[${k}]`), 3 * k);
    });
    return places;
  }
  const state = createState(figure);
  forwardKinematics(state, pose);
  const w = state.worldFromBone;
  const o = 12 * bone;
  points.forEach((p, k) => {
    for (let r = 0; r < 3; r++) {
      places[3 * k + r] =
        w[o + 3 * r] * p[0] + w[o + 3 * r + 1] * p[1] + w[o + 3 * r + 2] * p[2] + w[o + 9 + r];
    }
  });
  // Each point is laid on the plane; a sole that is a little aslant comes to lie flat.
  for (let k = 0; k < points.length; k++) {
    let above = -height;
    for (let r = 0; r < 3; r++) above += normal[r] * places[3 * k + r];
    for (let r = 0; r < 3; r++) places[3 * k + r] -= above * normal[r];
  }
  return places;
}

const world = /* @__PURE__ */ new Float64Array(3);

/** The points stand where they are to, m. */
export function contactTerm(context: TermContext, contact: Contact, place: TermPlace): CompiledTerm {
  const { points, places, bone, sides, isFree, from, to } = contact;
  const { dof } = context.figure;
  const jacobian = new Float64Array(3 * dof);
  const own = isFree ? 2 : 0;
  const writeWorld = (w: Float64Array, p: Vec3): void => {
    const o = 12 * bone;
    for (let r = 0; r < 3; r++) {
      world[r] = w[o + 3 * r] * p[0] + w[o + 3 * r + 1] * p[1] + w[o + 3 * r + 2] * p[2] + w[o + 9 + r];
    }
  };
  return {
    ...place,
    name: place.name,
    moments: holdMoments(context.path.basis, from, to),
    integral: false,
    kind: 'equality',
    rows: 3 * points.length,
    unit: 1,
    unitName: 'm',
    space: 'tangent',
    order: 0,
    usesForces: false,
    usesTime: false,
    own,
    value(moment, shift, out, o) {
      const { worldFromBone } = withColumnsNu(moment);
      for (let k = 0; k < points.length; k++) {
        writeWorld(worldFromBone, points[k]);
        for (let r = 0; r < 3; r++) {
          out[o + 3 * k + r] = world[r] - places[3 * k + r];
          if (isFree) out[o + 3 * k + r] -= shift[0] * sides[0][r] + shift[1] * sides[1][r];
        }
      }
    },
    derivatives(moment, _shift, block) {
      const state = withColumnsNu(moment);
      for (let k = 0; k < points.length; k++) {
        writeWorld(state.worldFromBone, points[k]);
        pointJacobianNu(state, bone, world, jacobian);
        block.orders[0].set(jacobian, 3 * k * dof);
        if (!isFree) continue;
        for (let r = 0; r < 3; r++) {
          block.own[2 * (3 * k + r)] = -sides[0][r];
          block.own[2 * (3 * k + r) + 1] = -sides[1][r];
        }
      }
    },
  };
}
