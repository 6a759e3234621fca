/** Relations of hands to the body, to each other and to points of the world, which are asked for and kept. */
import {
  type FieldsOf,
  requireFields,
  requireList,
  requireNumbers,
  requireOneOf,
  requirePoint,
  requirePositive,
} from '../../checks.js';
import { MotionError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { createState } from '../../figure/model/state.js';
import { HUMAN_BONES, type HumanBone } from '../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { samplePose } from '../../motion/sampler.js';
import type { Body } from '../body/body.js';
import { partSize } from '../body/hands.js';
import { axesInBone } from '../carry/plan.js';
import type { Clip } from '../clip/clip.js';
import { framesOf, requireArm } from '../contact/hand-contacts.js';
import { transformAt } from '../kernel/rotations.js';

/** A point of the target's world. */
export interface HandPoint {
  /** m; of a prop that moves a function of the clip's time in s. */
  readonly position: readonly number[] | ((time: number) => readonly number[]);
}

/** Where a palm belongs for some time. */
export interface HandRelation {
  readonly hand: 'left' | 'right';
  /**
   * A part of the body: the palm keeps its offset in the frame of that bone. The other hand: the palms keep their offset in the axes of the body, and share
   * the correction. A point: the palm is there.
   */
  readonly to: HumanBone | HandPoint;
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
  /** Factor on the offset. Default: size of the part on the target over that on the source. 1 for two hands on a prop that keeps its size. */
  readonly scale?: number;
}

/** What became of a relation. */
export interface RelationReport {
  readonly hand: 'left' | 'right';
  /** `point` for one of the world. */
  readonly to: HumanBone | 'point';
  /** First and last frame. */
  readonly span: readonly [from: number, to: number];
  /** Distance of the palm from where the relation has it, mm, one a frame; 0 outside the span. */
  readonly error: Float32Array;
}

/** A relation on the target's frames. */
export interface RelationTrack {
  readonly relation: HandRelation;
  readonly first: number;
  readonly last: number;
  /** Index of the arm, and of the other for a relation of hands; else -1. */
  readonly arm: number;
  readonly other: number;
  /** Bone of the target; -1 for a point. */
  readonly bone: number;
  /** Palm in the frame of the bone; a relation of hands: offset from the other palm, a point: the point, world. Three numbers a frame. */
  readonly offsets: Float64Array;
}

const FIELDS: FieldsOf<HandRelation> = { hand: true, to: true, over: true, scale: true };
const POINT_FIELDS: FieldsOf<HandPoint> = { position: true };

/** @throws MotionError for invalid relations. */
export function checkRelations(relations: readonly HandRelation[] | undefined): void {
  if (relations === undefined) return;
  requireList(relations, 'options.relations', MotionError, 'Give a list of { hand, to, over }.');
  relations.forEach((relation, r) => {
    const path = `options.relations[${r}]`;
    requireFields(relation, FIELDS, path, MotionError);
    const { hand, to, over, scale } = relation;
    requireOneOf(hand, ['left', 'right'], `${path}.hand`, MotionError);
    requireNumbers(over, 2, `${path}.over`, MotionError);
    if (scale !== undefined) requirePositive(scale, `${path}.scale`, MotionError);
    if (typeof to === 'object') {
      requireFields(to, POINT_FIELDS, `${path}.to`, MotionError);
      if (typeof to.position !== 'function') requirePoint(to.position, `${path}.to.position`, MotionError);
      return;
    }
    requireOneOf(to, HUMAN_BONES, `${path}.to`, MotionError);
    const own = [`${hand}UpperArm`, `${hand}LowerArm`, `${hand}Hand`];
    if (own.includes(to)) {
      throw new MotionError('unsupported', `is of the ${hand} hand's own arm.`, {
        path: `${path}.to`,
        remedy: 'Give a part of the body that the arm does not move.',
      });
    }
  });
}

/** @throws MotionError for a hand or a part that a body lacks, a span without frames, and relations that hold a hand at the same time. */
export function relationTracks(clip: Clip, relations: readonly HandRelation[]): RelationTrack[] {
  const { alignment, count } = clip;
  const { arms } = alignment;
  // A hand has one relation to the body or the world at a time, and one to the other hand.
  const taken = arms.map(() => [new Int32Array(count), new Int32Array(count)]);
  const tracks = relations.map((relation, r): RelationTrack => {
    const path = `options.relations[${r}]`;
    const { hand, to, over } = relation;
    const arm = requireArm(clip, hand, `${path}.hand`);
    const frames = framesOf(clip, over);
    if (frames.length === 0) {
      throw new MotionError(
        'out-of-range',
        `has no frame of the clip, ${clip.times[0]} s to ${clip.times[count - 1]} s.`,
        {
          path: `${path}.over`,
          remedy: 'Give a span of the clip, the first number not above the second.',
        },
      );
    }
    const other = typeof to === 'string' ? arms.findIndex(({ name }) => to === `${name}Hand`) : -1;
    for (const a of other < 0 ? [arm] : [arm, other]) {
      const marks = taken[a][other < 0 ? 0 : 1];
      for (const f of frames) {
        if (marks[f] !== 0) {
          throw new MotionError(
            'unsupported',
            `holds the hand at the same time as options.relations[${marks[f] - 1}].`,
            {
              path,
              remedy: 'Give spans that do not overlap.',
            },
          );
        }
        marks[f] = r + 1;
      }
    }
    const bone = typeof to === 'string' ? requireBone(alignment.target, to, `${path}.to`) : -1;
    if (typeof to === 'string') requireBone(alignment.source, to, `${path}.to`);
    const offsets = new Float64Array(3 * count);
    return { relation, first: frames[0], last: frames[frames.length - 1], arm, other, bone, offsets };
  });
  tracks.forEach((track, r) => {
    if (typeof track.relation.to === 'object')
      writePoints(clip, track, track.relation.to, `options.relations[${r}]`);
  });
  const ofBody = tracks.filter(({ bone }) => bone >= 0);
  if (ofBody.length > 0) writeOffsets(clip, ofBody);
  return tracks;
}

/** Bone of a part of the body; the hips are the bone that carries spine and legs. */
function requireBone(body: Body, part: HumanBone, path: string): number {
  const bone = part === 'hips' ? body.pelvis : body.humanoid.bones[part];
  if (bone !== undefined && body.restAxes[part] !== undefined) return bone;
  throw new MotionError('unsupported', `is '${part}', which '${body.figure.name}' does not have.`, {
    path,
    remedy: 'Give another bone, or name it in createRetargeter(source, target, options).',
  });
}

function writePoints({ times }: Clip, track: RelationTrack, { position }: HandPoint, path: string): void {
  for (let f = track.first; f <= track.last; f++) {
    const point = typeof position === 'function' ? position(times[f]) : position;
    requirePoint(point, `${path}.to.position`, MotionError);
    for (let k = 0; k < 3; k++) track.offsets[3 * f + k] = point[k];
  }
}

/** Offsets of the source's palms, scaled, in the frames of the target's bones. */
function writeOffsets(
  { alignment, sampler, times, sourcePalms }: Clip,
  tracks: readonly RelationTrack[],
): void {
  const { source, target, arms, plan } = alignment;
  const state = createState(source.figure);
  const { worldFromBone: world } = state;
  const pose = new Float64Array(source.figure.dof);
  const palmOf = (arm: number): Float64Array =>
    sourcePalms[source.hands.findIndex(({ name }) => name === arms[arm].name)];
  const parts = tracks.map((track) => {
    const part = track.relation.to as HumanBone;
    const bone = requireBone(source, part, 'source');
    // Target bone from source bone: through the axes of the human bone.
    const between = mat3.multiply(
      axesInBone(target, track.bone, target.restAxes[part] as readonly number[]),
      mat3.transpose(axesInBone(source, bone, source.restAxes[part] as readonly number[])),
    );
    return { bone, between, scale: track.relation.scale ?? scaleOf(alignment, part) };
  });
  const first = tracks.reduce((least, track) => Math.min(least, track.first), times.length);
  const last = tracks.reduce((most, track) => Math.max(most, track.last), 0);
  for (let f = first; f <= last; f++) {
    forwardKinematics(state, samplePose(sampler, times[f], pose));
    tracks.forEach((track, t) => {
      if (f < track.first || f > track.last) return;
      const { bone, between, scale } = parts[t];
      const palm = palmOf(track.arm).subarray(3 * f, 3 * f + 3);
      const offset =
        track.other < 0
          ? mat3.multiplyVector(
              between,
              mat3.transposeMultiplyVector(
                world.subarray(12 * bone, 12 * bone + 9),
                vec3.subtract(palm, world.subarray(12 * bone + 9, 12 * bone + 12)),
              ),
            )
          : mat3.multiplyVector(
              plan.worldFromSource,
              vec3.subtract(palm, palmOf(track.other).subarray(3 * f, 3 * f + 3)),
            );
      for (let k = 0; k < 3; k++) track.offsets[3 * f + k] = scale * offset[k];
    });
  }
}

/** Size of a part on the target over that on the source; of one that has none that of the legs. */
function scaleOf({ source, target }: Clip['alignment'], part: HumanBone): number {
  const [from, to] = [source, target].map(({ rest, humanoid, hands }) =>
    partSize(rest, humanoid, hands, part),
  );
  return from === undefined || to === undefined ? target.legLength / source.legLength : to / from;
}

/** Where a relation to the body or the world has the palm, world. @param world - Of the target's bones, twelve numbers each. */
export function writeRelated(
  { bone, offsets }: RelationTrack,
  f: number,
  world: Float64Array,
  out: number[],
): void {
  if (bone < 0) for (let k = 0; k < 3; k++) out[k] = offsets[3 * f + k];
  else transformAt(world, 12 * bone, offsets, 3 * f, world, 12 * bone + 9, out, 0);
}

/** Errors of the relations. @param worldAt - World from the target's bones in a frame of the result, twelve numbers each. */
export function relationReports(
  { alignment, count }: Clip,
  tracks: readonly RelationTrack[],
  worldAt: (f: number) => Float64Array,
): RelationReport[] {
  const { arms } = alignment;
  const point = unset3();
  const palm = unset3();
  const writePalm = (world: Float64Array, arm: number, out: number[]): void => {
    const { hand, palm: inHand } = arms[arm];
    transformAt(world, 12 * hand, inHand, 0, world, 12 * hand + 9, out, 0);
  };
  return tracks.map((track): RelationReport => {
    const { relation, first, last, arm, other, offsets } = track;
    const error = new Float32Array(count);
    for (let f = first; f <= last; f++) {
      const world = worldAt(f);
      writePalm(world, arm, palm);
      if (other < 0) writeRelated(track, f, world, point);
      else {
        writePalm(world, other, point);
        for (let k = 0; k < 3; k++) point[k] += offsets[3 * f + k];
      }
      error[f] = 1000 * vec3.distance(palm, point);
    }
    const to = typeof relation.to === 'string' ? relation.to : 'point';
    return { hand: relation.hand, to, span: [first, last], error };
  });
}
