/** The frames of a clip on their way from source to target, in flat arrays. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { createState } from '../../figure/model/state.js';
import { unset3 } from '../../math/linear/unset.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, type MotionSampler, samplePose } from '../../motion/sampler.js';
import type { Body } from '../body/body.js';
import type { SerialTarget } from '../body/serial-target.js';
import { type Carrier, carryOrientations } from '../carry/carry.js';
import type { CarryPlan } from '../carry/plan.js';
import { copyAt, rotateAt, transformAt } from '../kernel/rotations.js';
import type { Arm } from '../pose/arm-solver.js';
import type { Leg } from '../pose/leg.js';

/** Two aligned bodies. */
export interface Alignment {
  readonly source: Body;
  readonly target: Body;
  readonly plan: CarryPlan;
  readonly carrier: Carrier;
  /** Of the target. */
  readonly legs: readonly Leg[];
  readonly arms: readonly Arm[];
  /** Factor on lengths. */
  readonly scale: number;
  /** Of the figure of the results: `target`, or the robot whose hinges in series follow it. */
  readonly result: Pick<Body, 'figure' | 'humanoid' | 'legs'>;
  readonly serial?: SerialTarget | undefined;
}

/** A foot of the source over the frames, world of the source, three numbers a frame. */
export interface SourceFoot {
  readonly name: 'left' | 'right';
  readonly heel: Float64Array;
  readonly ball: Float64Array;
  readonly ankle: Float64Array;
  /** Joint of the toes; the ball of a foot without toes. */
  readonly toes: Float64Array;
}

export interface Clip {
  readonly alignment: Alignment;
  readonly sampler: MotionSampler;
  readonly count: number;
  /** Frame times, s, and their distance. */
  readonly times: Float64Array;
  readonly step: number;
  /** World orientations of the target's segments, nine numbers each. */
  readonly orientations: Float64Array;
  /** Numbers of `orientations` a frame. */
  readonly row: number;
  /** Those of the pelvis as they are carried, whatever is displaced later. */
  readonly pelvis: Float64Array;
  /** Middle of the source's hip joints, its world. */
  readonly sourceHips: Float64Array;
  readonly sourceFeet: readonly SourceFoot[];
  /** Palms of the source, its world, three numbers a frame; in the order of its hands. */
  readonly sourcePalms: readonly Float64Array[];
  /** Origins of the source bones that are carried, its world, three numbers each. */
  readonly sourceOrigins: Float64Array;
  /** Middle of the target's hip joints, three numbers a frame. */
  readonly hipCenters: Float64Array;
}

/** Bounds of the frame rate that is taken from the keys of a clip, Hz; keys further apart are of an animator, whose motion is between them. */
const MIN_KEY_RATE = 20;
const MAX_RATE = 240;
const DEFAULT_RATE = 60;

/** Frames at the keys of a recorded clip. */
export function createClip(alignment: Alignment, motion: Motion, rate: number | undefined): Clip {
  const { source, plan } = alignment;
  const sampler = createMotionSampler(source.figure, motion);
  const length = motion.end - motion.start;
  const intervals = Math.max(1, Math.round(length * (rate ?? keyRateOf(motion))));
  const count = intervals + 1;
  const row = 9 * plan.segments.length;
  const path = (): Float64Array => new Float64Array(3 * count);
  return {
    alignment,
    sampler,
    count,
    times: Float64Array.from({ length: count }, (_, f) => motion.start + (length * f) / intervals),
    step: length / intervals,
    orientations: new Float64Array(row * count),
    row,
    pelvis: new Float64Array(9 * count),
    sourceHips: path(),
    sourceFeet: source.legs
      .filter(({ foot }) => foot >= 0)
      .map(({ name }) => ({ name, heel: path(), ball: path(), ankle: path(), toes: path() })),
    sourcePalms: source.hands.map(path),
    sourceOrigins: new Float64Array(3 * plan.sources.length * count),
    hipCenters: path(),
  };
}

/** Frames a second of the track with the most keys. */
function keyRateOf({ tracks, start, end }: Motion): number {
  const most = Math.max(...tracks.map(({ curve }) => curve.knots.length - 1));
  const rate = most / (end - start);
  return rate < MIN_KEY_RATE || !(rate < Number.POSITIVE_INFINITY) ? DEFAULT_RATE : Math.min(rate, MAX_RATE);
}

/** Poses of the source: orientations for the target, hips and soles. */
export function sampleSource(clip: Clip): void {
  const {
    alignment,
    sampler,
    count,
    times,
    orientations,
    row,
    pelvis,
    sourceHips,
    sourceFeet,
    sourcePalms,
    sourceOrigins,
  } = clip;
  const { source, carrier } = alignment;
  const { sources, segmentOf } = alignment.plan;
  const hips = 9 * (segmentOf.hips as number);
  const state = createState(source.figure);
  const pose = new Float64Array(source.figure.dof);
  const { worldFromBone: world } = state;
  const legs = source.legs.filter(({ foot }) => foot >= 0);
  for (let f = 0; f < count; f++) {
    forwardKinematics(state, samplePose(sampler, times[f], pose));
    carryOrientations(carrier, world, orientations, row * f);
    copyAt(orientations, row * f + hips, pelvis, 9 * f, 9);
    transformAt(
      world,
      12 * source.pelvis,
      source.hipCenter,
      0,
      world,
      12 * source.pelvis + 9,
      sourceHips,
      3 * f,
    );
    for (let n = 0; n < sources.length; n++) {
      const i = 3 * (sources.length * f + n);
      for (let k = 0; k < 3; k++) sourceOrigins[i + k] = world[12 * sources[n].bone + 9 + k];
    }
    for (let h = 0; h < sourcePalms.length; h++) {
      const { hand, palm } = source.hands[h];
      transformAt(world, 12 * hand, palm, 0, world, 12 * hand + 9, sourcePalms[h], 3 * f);
    }
    for (let l = 0; l < legs.length; l++) {
      const o = 12 * legs[l].foot;
      transformAt(world, o, legs[l].heel, 0, world, o + 9, sourceFeet[l].heel, 3 * f);
      transformAt(world, o, legs[l].ball, 0, world, o + 9, sourceFeet[l].ball, 3 * f);
      const { toes } = legs[l];
      for (let k = 0; k < 3; k++) {
        sourceFeet[l].ankle[3 * f + k] = world[o + 9 + k];
        sourceFeet[l].toes[3 * f + k] = toes >= 0 ? world[12 * toes + 9 + k] : sourceFeet[l].ball[3 * f + k];
      }
    }
  }
}

/**
 * The path of the hips, scaled about the origin of the ground: as high over the ankles as the legs are long.
 *
 * @param ankleLevel - Height of the source's ankles as it stands, along its up.
 */
export function scaleHips(
  { alignment, count, sourceHips, hipCenters }: Clip,
  ankleLevel: number,
  ground: number,
): void {
  const { plan, scale, source, target } = alignment;
  const { up } = target.figure;
  const sourceUp = source.figure.up;
  for (let f = 0; f < count; f++) {
    rotateAt(plan.worldFromSource, 0, sourceHips, 3 * f, hipCenters, 3 * f);
    let along = 0;
    let height = 0;
    for (let k = 0; k < 3; k++) {
      height += sourceHips[3 * f + k] * sourceUp[k];
      along += hipCenters[3 * f + k] * up[k];
    }
    const wanted = ground + target.ankleHeight + scale * (height - ankleLevel);
    for (let k = 0; k < 3; k++) {
      hipCenters[3 * f + k] = scale * (hipCenters[3 * f + k] - along * up[k]) + wanted * up[k];
    }
  }
}

const offset = /* @__PURE__ */ unset3();
const vector = /* @__PURE__ */ unset3();

/** Hip joint of a leg of the target in each frame. */
export function writeHipJoints(
  { alignment, count, row, orientations, hipCenters }: Clip,
  leg: Leg,
  out: Float64Array,
): void {
  const { hipCenter } = alignment.target;
  const pelvis = 9 * (alignment.plan.segmentOf.hips as number);
  for (let k = 0; k < 3; k++) offset[k] = leg.hip[k] - hipCenter[k];
  for (let f = 0; f < count; f++) {
    transformAt(orientations, row * f + pelvis, offset, 0, hipCenters, 3 * f, out, 3 * f);
  }
}

/** Ankle of a leg as it is carried, relative to its hip joint, in each frame. */
export function writeCarriedLegs({ count, row, orientations }: Clip, leg: Leg, out: Float64Array): void {
  for (let f = 0; f < count; f++) {
    rotateAt(orientations, row * f + 9 * leg.thighSegment, leg.knee, 0, vector, 0);
    transformAt(orientations, row * f + 9 * leg.shankSegment, leg.ankle, 0, vector, 0, out, 3 * f);
  }
}
