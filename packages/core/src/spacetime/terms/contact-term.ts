/** Points that stand on planes over a span, and the forces that push them. */
import { SpacetimeError } from '../../errors.js';
import { pointJacobianV } from '../../figure/kinematics/jacobians.js';
import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { partOf } from '../transcription/knots.js';
import { gaussMoments, holdMoments } from '../transcription/quadrature.js';
import type { Reference } from '../transcription/reference.js';
import type { SplineBasis } from '../transcription/spline-basis.js';
import { withColumnsNu } from '../transcription/state-at.js';
import type { ContactTerm, SpacetimeTerm } from '../types/data.js';
import type { Contact } from './contact-data.js';
import { standingPlaces } from './contact-positions.js';
import { requireReach } from './contact-reachability.js';
import {
  checkedVector,
  checkWeight,
  namedBone,
  type TermContext,
  type TermPlace,
  weighted,
} from './context.js';
import type { CompiledTerm } from './term.js';

type ReadSpan = (over: readonly [number, number], path: string) => readonly [number, number];

/** Default of `evenness`. */
const EVENNESS = 0.1;

/**
 * The contacts of a problem, checked and placed, in the order of its terms.
 *
 * @param readSpan - Checks a span: one that begins and ends at breaks of the motion where these stand for contacts.
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
    const places = given ?? standingPlaces(figure, all[k], all, (time) => reference(time).pose, path);
    requireReach(figure, { ...contact, places }, path);
    return { ...contact, places };
  });
}

function readContact(
  figure: Figure,
  term: ContactTerm,
  path: string,
  firstPoint: number,
  motion: SplineBasis,
  readSpan: ReadSpan,
): Omit<Contact, 'places'> & { readonly given: Float64Array | undefined } {
  const bone = namedBone(figure, term.bone, `${path}.bone`);
  if (!Array.isArray(term.points) || term.points.length === 0) {
    throw new SpacetimeError('wrong-size', 'has no points: nothing touches.', {
      path: `${path}.points`,
      remedy: 'Give the points of the bone that stand, in its frame.',
    });
  }
  const points = term.points.map((point, k) => Array.from(checkedVector(point, 3, `${path}.points[${k}]`)));
  const [from, to] = readSpan(term.over, `${path}.over`);
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
    evenness: checkWeight(term.evenness ?? EVENNESS, `${path}.evenness`),
    sides: [side, vec3.cross(normal, side)],
    given: givenPlaces(term.place, points.length, path),
    isFree: term.place === 'free',
    // As smooth as accelerations and with their knots, so that what pushes can be what is pushed.
    basis: partOf(motion, motion.degree - 2, from, to),
  };
}

/** The places that a caller has given; undefined for what the reference says. */
function givenPlaces(given: ContactTerm['place'], count: number, path: string): Float64Array | undefined {
  if (given === undefined || given === 'reference' || given === 'free') return undefined;
  if (!Array.isArray(given)) {
    throw new SpacetimeError('unsupported', `is '${String(given)}'.`, {
      path: `${path}.place`,
      remedy: "Use 'reference', 'free', or a place for each point.",
    });
  }
  if (given.length !== count) {
    throw new SpacetimeError('wrong-size', `has ${given.length} places for ${count} points.`, {
      path: `${path}.place`,
      remedy: 'Give one place for each point.',
    });
  }
  return Float64Array.from(
    given.flatMap((place, k) => Array.from(checkedVector(place, 3, `${path}.place[${k}]`))),
  );
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
        pointJacobianV(state, bone, world, jacobian);
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

/** The squares of the forces, in weights of the figure, integrated: of all forces that do the same the even ones. */
export function evenForces(context: TermContext, contact: Contact, place: TermPlace): CompiledTerm {
  const { points, firstPoint, from, to, evenness } = contact;
  const { forceScale: scale } = context;
  const size = 3 * points.length;
  return {
    ...place,
    name: `${place.name}, evenness`,
    moments: weighted(gaussMoments(context.path.basis, from, to, 2), evenness),
    integral: true,
    kind: 'wish',
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
