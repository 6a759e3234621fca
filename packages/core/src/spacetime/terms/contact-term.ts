/** Contact points fixed on planes over a span, and the contact forces. */

import { SpacetimeError } from '../../errors.js';
import { pointJacobianV } from '../../figure/kinematics/jacobians.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { boneIndex } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { restrictBasis } from '../transcription/knots.js';
import { collocationPoints, gaussPoints } from '../transcription/quadrature.js';
import type { Reference } from '../transcription/reference.js';
import type { SplineBasis } from '../transcription/spline-basis.js';
import { withMotionSubspaceV } from '../transcription/state-sample.js';
import type { ContactTerm, SpacetimeTerm } from '../types/data.js';
import type { Contact } from './contact-data.js';
import { contactPositions } from './contact-positions.js';
import { requireReachable } from './contact-reachability.js';
import { checkedVector, checkWeight, type TermContext, type TermLocation, weighted } from './context.js';
import type { CompiledTerm } from './term.js';

type ReadSpan = (over: readonly [number, number], path: string) => readonly [number, number];

const FORCE_REGULARIZATION = 0.1;

/**
 * Checks the contacts of a problem and fixes their positions, in the order of its terms.
 *
 * @param readSpan - Checks a span; where breaks stand for contact changes it snaps the ends to them.
 * @throws SpacetimeError
 */
export function readContacts(
  figure: Figure,
  terms: readonly SpacetimeTerm[],
  motion: SplineBasis,
  readSpan: ReadSpan,
  reference: Reference,
): Contact[] {
  let points = 0;
  const drafts = terms.flatMap((term, index) => {
    if (term?.type !== 'contact') return [];
    const path = `terms[${index}]`;
    const draft = { path, contact: readContact(figure, term, path, points, motion, readSpan) };
    points += draft.contact.points.length;
    return [draft];
  });
  const all = drafts.map(({ contact }) => contact);
  return drafts.map(({ path, contact: { given, ...contact } }, k) => {
    const positions = given ?? contactPositions(figure, all[k], all, (time) => reference(time).pose, path);
    requireReachable(figure, { ...contact, positions }, path);
    return { ...contact, positions };
  });
}

function readContact(
  figure: Figure,
  term: ContactTerm,
  path: string,
  firstPoint: number,
  motion: SplineBasis,
  readSpan: ReadSpan,
): Omit<Contact, 'positions'> & { readonly given: Float64Array | undefined } {
  const bone = boneIndex(figure, term.bone, `${path}.bone`);
  if (!Array.isArray(term.points) || term.points.length === 0) {
    throw new SpacetimeError('wrong-size', 'has no points.', {
      path: `${path}.points`,
      remedy: "Give the contact points, in the bone's frame.",
    });
  }
  const points = term.points.map((point, k) => Array.from(checkedVector(point, 3, `${path}.points[${k}]`)));
  const [from, to] = readSpan(term.over, `${path}.over`);
  const given = checkedVector(term.normal ?? figure.up, 3, `${path}.normal`);
  const length = Math.hypot(given[0], given[1], given[2]);
  if (!(length > 0)) {
    throw new SpacetimeError('out-of-range', 'has no length.', {
      path: `${path}.normal`,
      remedy: 'Give a direction.',
    });
  }
  const normal = Array.from(given, (x) => x / length);
  const helper = Math.abs(normal[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1];
  const tangent = vec3.normalize(vec3.cross(helper, normal));
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
    forceRegularization: checkWeight(
      term.forceRegularization ?? FORCE_REGULARIZATION,
      `${path}.forceRegularization`,
    ),
    tangents: [tangent, vec3.cross(normal, tangent)],
    given: givenPositions(term.positions, points.length, path),
    isFree: term.positions === 'free',
    // As smooth as accelerations and on their knots, so that forces can balance them.
    basis: restrictBasis(motion, motion.degree - 2, from, to),
  };
}

/** Positions given by the caller; undefined where the reference defines them. */
function givenPositions(
  given: ContactTerm['positions'],
  count: number,
  path: string,
): Float64Array | undefined {
  if (given === undefined || given === 'reference' || given === 'free') return undefined;
  if (!Array.isArray(given)) {
    throw new SpacetimeError('unsupported', `is '${String(given)}'.`, {
      path: `${path}.positions`,
      remedy: "Use 'reference', 'free', or a position for each point.",
    });
  }
  if (given.length !== count) {
    throw new SpacetimeError('wrong-size', `has ${given.length} positions for ${count} points.`, {
      path: `${path}.positions`,
      remedy: 'Give one position for each point.',
    });
  }
  return Float64Array.from(
    given.flatMap((position, k) => Array.from(checkedVector(position, 3, `${path}.positions[${k}]`))),
  );
}

const world = /* @__PURE__ */ new Float64Array(3);

/**
 * Equality: the contact points are at their positions, m.
 *
 * @param prescribed - Rates of the whole pose that other terms prescribe at the start and at the end of the motion: a point that is held
 * there as well would be overdetermined, up to a part that decays with each knot.
 */
export function contactTerm(
  context: TermContext,
  contact: Contact,
  prescribed: readonly [number, number],
  location: TermLocation,
): CompiledTerm {
  const { points, positions, bone, tangents, isFree, from, to } = contact;
  const { dof } = context.figure;
  const jacobian = new Float64Array(3 * dof);
  const own = isFree ? 2 : 0;
  const fewer = [from > 0 ? 0 : prescribed[0], to < context.duration ? 0 : prescribed[1]] as const;
  return {
    ...location,
    // All points at the ends of the motion: between them forces would have to be smoother than they are, and feet would slip.
    samples: collocationPoints(
      context.parameterization.basis,
      from,
      to,
      0,
      1,
      fewer,
      Number.POSITIVE_INFINITY,
    ),
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
    value(sample, shift, out, o) {
      const state = withMotionSubspaceV(sample);
      for (let k = 0; k < points.length; k++) {
        worldPoint(state, bone, points[k], world);
        for (let r = 0; r < 3; r++) {
          out[o + 3 * k + r] = world[r] - positions[3 * k + r];
          if (isFree) out[o + 3 * k + r] -= shift[0] * tangents[0][r] + shift[1] * tangents[1][r];
        }
      }
    },
    derivatives(sample, _shift, block) {
      const state = withMotionSubspaceV(sample);
      for (let k = 0; k < points.length; k++) {
        worldPoint(state, bone, points[k], world);
        pointJacobianV(state, bone, world, jacobian);
        block.orders[0].set(jacobian, 3 * k * dof);
        if (!isFree) continue;
        for (let r = 0; r < 3; r++) {
          block.own[2 * (3 * k + r)] = -tangents[0][r];
          block.own[2 * (3 * k + r) + 1] = -tangents[1][r];
        }
      }
    },
  };
}

/** Integral of the squared forces, in weights of the figure: selects the minimum-norm forces where they are redundant. */
export function forceRegularizationTerm(
  context: TermContext,
  contact: Contact,
  location: TermLocation,
): CompiledTerm {
  const { points, firstPoint, from, to, forceRegularization } = contact;
  const { forceScale: scale } = context;
  const size = 3 * points.length;
  return {
    ...location,
    name: `${location.name}, force regularization`,
    samples: weighted(gaussPoints(context.parameterization.basis, from, to, 2), forceRegularization),
    integral: true,
    kind: 'cost',
    rows: size,
    unit: 1,
    unitName: 'weights of the figure',
    space: 'tangent',
    order: 0,
    usesForces: true,
    usesTime: false,
    own: 0,
    value({ forces }, _own, out, o) {
      for (let k = 0; k < size; k++) out[o + k] = forces[3 * firstPoint + k] / scale;
    },
    derivatives({ forces }, _own, { force }) {
      for (let k = 0; k < size; k++) force[k * forces.length + 3 * firstPoint + k] = 1 / scale;
    },
  };
}
