/** Newton-Euler equations of the unactuated coordinates: force balance in contact, ballistic flight without. */
import { SpacetimeError } from '../../errors.js';
import { findFloatingBase } from '../../figure/model/floating-base.js';
import { momentumAt, torquesAt } from '../mechanics/mechanics-cache.js';
import { breakTolerance } from '../transcription/knots.js';
import { collocationPoints, type SamplePoint } from '../transcription/quadrature.js';
import type { PhysicsTerm } from '../types/data.js';
import {
  chosenCoordinates,
  isTranslation,
  snappedSpan,
  type TermContext,
  type TermLocation,
} from './context.js';
import type { CompiledTerm } from './term.js';
import { addTorqueRow, undrivenByDefault } from './torque-terms.js';

export function physicsTerms(
  context: TermContext,
  term: PhysicsTerm,
  location: TermLocation,
): CompiledTerm[] {
  const { figure } = context;
  const undriven =
    term.undriven === undefined
      ? undrivenByDefault(figure)
      : chosenCoordinates(figure, term.undriven, `${location.path}.undriven`);
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(undriven);
  if (coordinates.length === 0) {
    throw new SpacetimeError('unsupported', `has no effect: every joint of ${figure.name} is actuated.`, {
      path: location.path,
      remedy: 'Leave it out, or name the bones with unactuated joints.',
    });
  }
  context.mechanics();
  const [from, to] = snappedSpan(term.over, context, `${location.path}.over`);
  const isFloating = isFreeFloating(context, coordinates);
  return segments(context, from, to).flatMap((segment, k, all) => {
    if (isFloating && !segment.inContact) {
      // Force balance is collocated where a flight begins and ends, so each conservation law needs one point fewer there.
      const fewer = [k > 0 ? 1 : 0, k + 1 < all.length ? 1 : 0] as const;
      return [
        ballisticTerm(context, segment, fewer, location),
        angularMomentumTerm(context, segment, fewer, location),
      ];
    }
    const samples = samplesOf(context, 2, segment);
    return [balanceTerm(context, coordinates, samples, location)];
  });
}

/** Whether the floating base carries the whole figure, and that alone is unactuated. */
function isFreeFloating({ figure }: TermContext, coordinates: readonly number[]): boolean {
  const base = findFloatingBase(figure);
  return base >= 0 && coordinates.length === 6 && coordinates[0] === figure.bones[base].coordinate;
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly inContact: boolean;
}

/** The span split where contacts begin and end; like neighbours are merged. */
function segments({ contacts, parameterization }: TermContext, from: number, to: number): Segment[] {
  const tolerance = breakTolerance(parameterization.basis);
  const splits = [from, to, ...contacts.flatMap((contact) => [contact.from, contact.to])]
    .filter((time) => time >= from && time <= to)
    .sort((a, b) => a - b);
  const found: { from: number; to: number; inContact: boolean }[] = [];
  for (let k = 1; k < splits.length; k++) {
    if (!(splits[k] - splits[k - 1] > tolerance)) continue;
    const middle = 0.5 * (splits[k] + splits[k - 1]);
    const inContact = contacts.some((contact) => contact.from <= middle && middle <= contact.to);
    const last = found[found.length - 1];
    if (last !== undefined && last.inContact === inContact) last.to = splits[k];
    else found.push({ from: splits[k - 1], to: splits[k], inContact });
  }
  return found;
}

/** Collocation points of a law in the order-th derivative of the motion: one per degree of freedom. */
function samplesOf(
  { parameterization }: TermContext,
  order: number,
  { from, to }: Segment,
  fewer: readonly [number, number] = [0, 0],
): SamplePoint[] {
  return collocationPoints(parameterization.basis, from, to, order, Number.POSITIVE_INFINITY, fewer);
}

/** tau = 0 at unactuated coordinates, in weights of the figure (times its length scale for torques). */
function balanceTerm(
  context: TermContext,
  coordinates: readonly number[],
  samples: readonly SamplePoint[],
  location: TermLocation,
): CompiledTerm {
  const { figure, lengthScale, mechanics } = context;
  const force = mechanics().mechanics.mass * Math.max(1, Math.hypot(...Array.from(context.gravity)));
  const scales = coordinates.map((i) => 1 / (force * (isTranslation(figure, i) ? 1 : lengthScale)));
  return {
    ...location,
    samples: samples,
    integral: false,
    kind: 'equality',
    rows: coordinates.length,
    unit: force,
    unitName: 'N (torques over the length scale of the figure)',
    space: 'tangent',
    order: 2,
    usesForces: true,
    usesTime: false,
    own: 0,
    value(sample, _own, out, o) {
      const tau = torquesAt(mechanics(), sample);
      for (let k = 0; k < coordinates.length; k++) out[o + k] = scales[k] * tau[coordinates[k]];
    },
    derivatives(sample, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        addTorqueRow(context, sample, coordinates[k], scales[k], block, k);
      }
    },
  };
}

/**
 * Flight: the centre of mass is at c + v t + g t^2 / 2 at every collocation point; c and v are unknowns of the term. Positions instead of
 * forces: nothing accumulates from point to point.
 */
function ballisticTerm(
  context: TermContext,
  segment: Segment,
  fewer: readonly [number, number],
  location: TermLocation,
): CompiledTerm {
  const { figure, mechanics, gravity, maxInterval } = context;
  const { dof } = figure;
  const middle = 0.5 * (segment.from + segment.to);
  // g times the square of the longest knot interval: an error of that size at every knot is an acceleration of about g.
  const unit = Math.max(1, Math.hypot(...Array.from(gravity))) * maxInterval * maxInterval;
  const samples = samplesOf(context, 0, segment, fewer);
  return {
    ...location,
    samples: samples,
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
    value(sample, own, out, o) {
      const { center } = momentumAt(mechanics(), sample);
      const t = sample.time - middle;
      for (let k = 0; k < 3; k++) {
        out[o + k] = (center[k] - own[k] - own[3 + k] * t - 0.5 * gravity[k] * t * t) / unit;
      }
    },
    derivatives(sample, own, block) {
      const { centerByTangent } = momentumAt(mechanics(), sample);
      const t = sample.time - middle;
      const [byPose] = block.orders;
      for (let k = 0; k < 3; k++) {
        for (let i = 0; i < dof; i++) byPose[k * dof + i] = centerByTangent[k * dof + i] / unit;
        block.time[k] = -(own[3 + k] + gravity[k] * t) / unit;
        block.own[6 * k + k] = -1 / unit;
        block.own[6 * k + 3 + k] = -t / unit;
      }
    },
    initialize(stateAt, own) {
      const [a, b] = [samples[0], samples[samples.length - 1]].map(({ time }) => {
        const sample = stateAt(time);
        return { t: sample.time - middle, c: momentumAt(mechanics(), sample).center.slice() };
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

/** Flight: the angular momentum about the centre of mass is L at every collocation point; L is an unknown of the term. */
function angularMomentumTerm(
  context: TermContext,
  segment: Segment,
  fewer: readonly [number, number],
  location: TermLocation,
): CompiledTerm {
  const { figure, lengthScale, mechanics, gravity } = context;
  const { dof } = figure;
  const { mass } = mechanics().mechanics;
  const g = Math.max(1, Math.hypot(...Array.from(gravity)));
  const momentumScale = mass * lengthScale * Math.sqrt(g * lengthScale);
  const samples = samplesOf(context, 1, segment, fewer);
  return {
    ...location,
    samples: samples,
    integral: false,
    kind: 'equality',
    rows: 3,
    unit: momentumScale,
    unitName: 'kg m^2/s',
    space: 'tangent',
    order: 1,
    usesForces: false,
    usesTime: false,
    own: 3,
    value(sample, own, out, o) {
      const { angular } = momentumAt(mechanics(), sample);
      for (let k = 0; k < 3; k++) out[o + k] = angular[k] / momentumScale - own[k];
    },
    derivatives(sample, _own, block) {
      const { angularByTangent, angularByVelocity } = momentumAt(mechanics(), sample);
      const [byPose, byVelocity] = block.orders;
      for (let k = 0; k < 3; k++) {
        for (let i = 0; i < dof; i++) {
          byPose[k * dof + i] = angularByTangent[k * dof + i] / momentumScale;
          byVelocity[k * dof + i] = angularByVelocity[k * dof + i] / momentumScale;
        }
        block.own[3 * k + k] = -1;
      }
    },
    initialize(stateAt, own) {
      for (const { time } of [samples[0], samples[samples.length - 1]]) {
        const { angular } = momentumAt(mechanics(), stateAt(time));
        for (let k = 0; k < 3; k++) own[k] += (0.5 * angular[k]) / momentumScale;
      }
    },
  };
}
