/** Newton's laws for what nothing drives: balance of forces where something touches, ballistic flight where nothing does. */
import { SpacetimeError } from '../../errors.js';
import { momentumAt, torquesAt } from '../mechanics/mechanics-cache.js';
import { sliverOf } from '../transcription/knots.js';
import { holdMoments, type WeightedMoment } from '../transcription/quadrature.js';
import type { PhysicsTerm } from '../types/data.js';
import { chosenCoordinates, settledSpan, type TermContext, type TermPlace } from './context.js';
import type { CompiledTerm } from './term.js';
import { addTorqueRow, undrivenByDefault } from './torque-terms.js';

export function physicsTerms(context: TermContext, term: PhysicsTerm, place: TermPlace): CompiledTerm[] {
  const { figure } = context;
  const undriven =
    term.undriven === undefined
      ? undrivenByDefault(figure)
      : chosenCoordinates(figure, term.undriven, `${place.path}.undriven`);
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(undriven);
  if (coordinates.length === 0) {
    throw new SpacetimeError(
      'unsupported',
      `finds every joint of ${figure.name} driven: nothing is left to obey.`,
      {
        path: place.path,
        remedy: 'Leave it out, or name the bones whose joints nothing drives.',
      },
    );
  }
  context.mechanics();
  const [from, to] = settledSpan(term.over, context, `${place.path}.over`);
  const floats = isFloating(context, coordinates);
  return segments(context, from, to).flatMap((segment, k, all) => {
    if (floats && !segment.touches) {
      // Balance, without forces, is asked for where a flight begins and ends: it says one number of each more.
      const less = [k > 0 ? 1 : 0, k + 1 < all.length ? 1 : 0] as const;
      return [fallTerm(context, segment, less, place), spinTerm(context, segment, less, place)];
    }
    const moments = momentsOf(context, 2, segment);
    return [balanceTerm(context, coordinates, moments, place)];
  });
}

/** Whether all of the figure hangs from one free joint, and that alone is undriven. */
function isFloating({ figure }: TermContext, coordinates: readonly number[]): boolean {
  const [root] = figure.bones;
  return (
    root.joint.type === 'free' &&
    coordinates.length === 6 &&
    coordinates[0] === root.coordinate &&
    figure.parents.every((parent, b) => b === 0 || parent >= 0)
  );
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly touches: boolean;
}

/** The span cut where contacts begin and end; neighbours alike are one. */
function segments({ contacts, path }: TermContext, from: number, to: number): Segment[] {
  const sliver = sliverOf(path.basis);
  const cuts = [from, to, ...contacts.flatMap((contact) => [contact.from, contact.to])]
    .filter((time) => time >= from && time <= to)
    .sort((a, b) => a - b);
  const found: { from: number; to: number; touches: boolean }[] = [];
  for (let k = 1; k < cuts.length; k++) {
    if (!(cuts[k] - cuts[k - 1] > sliver)) continue;
    const middle = 0.5 * (cuts[k] + cuts[k - 1]);
    const touches = contacts.some((contact) => contact.from <= middle && middle <= contact.to);
    const last = found[found.length - 1];
    if (last !== undefined && last.touches === touches) last.to = cuts[k];
    else found.push({ from: cuts[k - 1], to: cuts[k], touches });
  }
  return found;
}

/** Where a law about the order-th derivative of the motion is held: as often as that has numbers, so that none is left to cheat with. */
function momentsOf(
  { path }: TermContext,
  order: number,
  { from, to }: Segment,
  less: readonly [number, number] = [0, 0],
): WeightedMoment[] {
  return holdMoments(path.basis, from, to, order, Number.POSITIVE_INFINITY, less);
}

/** tau = 0 at what nothing drives, in weights of the figure (times its length for couples). */
function balanceTerm(
  context: TermContext,
  coordinates: readonly number[],
  moments: readonly WeightedMoment[],
  place: TermPlace,
): CompiledTerm {
  const { figure, length, mechanics } = context;
  const force = mechanics().mechanics.mass * Math.max(1, Math.hypot(...Array.from(context.gravity)));
  const scales = coordinates.map((i) => 1 / (force * (isTranslation(figure, i) ? 1 : length)));
  return {
    ...place,
    moments,
    integral: false,
    kind: 'equality',
    rows: coordinates.length,
    unit: force,
    unitName: 'N (couples over the length of the figure)',
    space: 'tangent',
    order: 2,
    usesForces: true,
    usesTime: false,
    own: 0,
    value(moment, _own, out, o) {
      const tau = torquesAt(mechanics(), moment);
      for (let k = 0; k < coordinates.length; k++) out[o + k] = scales[k] * tau[coordinates[k]];
    },
    derivatives(moment, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        addTorqueRow(context, moment, coordinates[k], scales[k], block, k);
      }
    },
  };
}

function isTranslation({ bones, boneOfCoordinate }: TermContext['figure'], i: number): boolean {
  const { joint, coordinate } = bones[boneOfCoordinate[i]];
  return joint.type === 'slider' || (joint.type === 'free' && i < coordinate + 3);
}

/**
 * Flight: the centre of mass is at c + v t + g t^2 / 2 at every moment looked at; c and v are unknowns of the term's own. Said of where it is and
 * not of forces, so that nothing adds up from moment to moment.
 */
function fallTerm(
  context: TermContext,
  segment: Segment,
  less: readonly [number, number],
  place: TermPlace,
): CompiledTerm {
  const { figure, mechanics, gravity, step } = context;
  const { dof } = figure;
  const middle = 0.5 * (segment.from + segment.to);
  // What a force of the figure's weight moves it by within a knot interval as long as asked for: a millimetre that comes and goes so fast is no small error.
  const unit = Math.max(1, Math.hypot(...Array.from(gravity))) * step * step;
  const moments = momentsOf(context, 0, segment, less);
  return {
    ...place,
    moments,
    integral: false,
    kind: 'equality',
    rows: 3,
    unit,
    unitName: 'm',
    space: 'tangent',
    order: 0,
    usesForces: false,
    usesTime: true,
    own: 6,
    value(moment, own, out, o) {
      const { center } = momentumAt(mechanics(), moment);
      const t = moment.time - middle;
      for (let k = 0; k < 3; k++) {
        out[o + k] = (center[k] - own[k] - own[3 + k] * t - 0.5 * gravity[k] * t * t) / unit;
      }
    },
    derivatives(moment, own, block) {
      const { centerByTangent } = momentumAt(mechanics(), moment);
      const t = moment.time - middle;
      const [byPose] = block.orders;
      for (let k = 0; k < 3; k++) {
        for (let i = 0; i < dof; i++) byPose[k * dof + i] = centerByTangent[k * dof + i] / unit;
        block.time[k] = -(own[3 + k] + gravity[k] * t) / unit;
        block.own[6 * k + k] = -1 / unit;
        block.own[6 * k + 3 + k] = -t / unit;
      }
    },
    begin(momentOf, own) {
      const [a, b] = [moments[0], moments[moments.length - 1]].map(({ time }) => {
        const moment = momentOf(time);
        return { t: moment.time - middle, c: momentumAt(mechanics(), moment).center.slice() };
      });
      for (let k = 0; k < 3; k++) {
        const ya = a.c[k] - 0.5 * gravity[k] * a.t * a.t;
        const yb = b.c[k] - 0.5 * gravity[k] * b.t * b.t;
        own[3 + k] = b.t > a.t ? (yb - ya) / (b.t - a.t) : 0;
        own[k] = ya - own[3 + k] * a.t;
      }
    },
  };
}

/** Flight: the angular momentum about the centre of mass is L at every moment looked at; L is unknown, the term's own. */
function spinTerm(
  context: TermContext,
  segment: Segment,
  less: readonly [number, number],
  place: TermPlace,
): CompiledTerm {
  const { figure, length, mechanics, gravity } = context;
  const { dof } = figure;
  const { mass } = mechanics().mechanics;
  const g = Math.max(1, Math.hypot(...Array.from(gravity)));
  const spin = mass * length * Math.sqrt(g * length);
  const moments = momentsOf(context, 1, segment, less);
  return {
    ...place,
    moments,
    integral: false,
    kind: 'equality',
    rows: 3,
    unit: spin,
    unitName: 'kg m^2/s',
    space: 'tangent',
    order: 1,
    usesForces: false,
    usesTime: false,
    own: 3,
    value(moment, own, out, o) {
      const { angular } = momentumAt(mechanics(), moment);
      for (let k = 0; k < 3; k++) out[o + k] = angular[k] / spin - own[k];
    },
    derivatives(moment, _own, block) {
      const { angularByTangent, angularByVelocity } = momentumAt(mechanics(), moment);
      const [byPose, byVelocity] = block.orders;
      for (let k = 0; k < 3; k++) {
        for (let i = 0; i < dof; i++) {
          byPose[k * dof + i] = angularByTangent[k * dof + i] / spin;
          byVelocity[k * dof + i] = angularByVelocity[k * dof + i] / spin;
        }
        block.own[3 * k + k] = -1;
      }
    },
    begin(momentOf, own) {
      for (const { time } of [moments[0], moments[moments.length - 1]]) {
        const { angular } = momentumAt(mechanics(), momentOf(time));
        for (let k = 0; k < 3; k++) own[k] += (0.5 * angular[k]) / spin;
      }
    },
  };
}
