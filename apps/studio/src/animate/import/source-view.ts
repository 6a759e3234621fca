import {
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { findHumanoid, type HumanBone, type HumanBoneMap, type Humanoid } from 'poise/humanoid';
import { rigid, vec3 } from 'poise/math';
import { createMotionSampler, samplePose } from 'poise/motion';
import { type Character, shownAxes, shownHeight, shownScale } from '../../character/character.js';
import { groundOf } from '../../character/motion-ground.js';
import { pointsOf } from '../../character/points.js';
import type { Clip } from '../clip/clip.js';
import { poseAt } from '../clip/clip-motion.js';
import { boneLines } from '../ghosts.js';
import type { ClipSource, SourceContact } from './sources.js';

/** How far beside the character it stands, over its height. */
const BESIDE = 0.62;
/** How tall it is at most, over the character: the legs of some are short. */
const TALLEST = 1.1;

/**
 * The source of a clip as a stick figure beside its character, with legs as long as this has them, so that steps are alike, but not much taller. Places are
 * of the scene.
 */
export interface SourceView {
  /** Two points a bone, at a time of the clip, s. */
  linesAt(time: number): readonly number[];
  /** Where a contact of it is, on the floor. */
  contactAt(time: number, contact: SourceContact): readonly number[] | undefined;
}

export function sourceView(source: ClipSource, character: Character): SourceView | undefined {
  const { figure, motion } = source;
  const humanoid = findHumanoid(figure, Object.keys(source.bones).length > 0 ? { bones: source.bones } : {});
  const hips = humanoid?.bones.hips;
  if (humanoid === undefined || hips === undefined) return undefined;
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const at = (time: number): FigureState => {
    forwardKinematics(state, samplePose(sampler, motion.start + time, pose));
    return state;
  };
  const { left, up, forward } = humanoid;
  const along = (point: Triple): Triple => [
    vec3.dot(left, point),
    vec3.dot(up, point),
    vec3.dot(forward, point),
  ];
  const legs = [
    legOf(character.figure, character.humanoid?.bones ?? {}) * shownScale(character),
    legOf(figure, humanoid.bones),
  ];
  const factor = Math.min(legs[0] / legs[1], (TALLEST * shownHeight(character)) / heightOf(figure, humanoid));
  if (!(factor > 0 && Number.isFinite(factor))) return undefined;
  const ground = groundOf(figure, motion, up, Object.values(humanoid.bones));
  const start = along(originOf(at(0), hips));
  const target = targetStart(source.clip, character);
  const toScene = (point: Triple): Triple => {
    const [x, y, z] = along(point);
    return [
      target[0] + factor * (x - start[0]) - BESIDE * shownHeight(character),
      factor * (y - ground),
      target[1] + factor * (z - start[2]),
    ];
  };
  return {
    linesAt: (time) => {
      at(time);
      return triples(boneLines(figure, state, humanoid)).flatMap(toScene);
    },
    contactAt: (time, { side, point }) => {
      const names = { heel: [`${side}Foot`], ball: [`${side}Toes`, `${side}Foot`], palm: [`${side}Hand`] }[
        point
      ];
      const bone = names.map((name) => humanoid.bones[name as HumanBone]).find((each) => each !== undefined);
      if (bone === undefined) return undefined;
      const [x, y, z] = toScene(originOf(at(time), bone));
      return point === 'palm' ? [x, y, z] : [x, 0, z];
    },
  };
}

/** Where the character begins its clip, over the floor: left and forward of the scene's middle, m. */
function targetStart(clip: Clip, character: Character): readonly [number, number] {
  const hips = character.humanoid?.bones.hips;
  if (hips === undefined) return [0, 0];
  const state = createState(character.figure);
  forwardKinematics(state, poseAt(clip, character, 0));
  const [left, , forward] = shownAxes(character);
  const factor = shownScale(character);
  const origin = originOf(state, hips);
  return [factor * vec3.dot(left, origin), factor * vec3.dot(forward, origin)];
}

/** Length of a leg, in the units of the figure. */
function legOf(figure: Figure, bones: Readonly<HumanBoneMap<number>>): number {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const [hip, knee, ankle] = [bones.leftUpperLeg, bones.leftLowerLeg, bones.leftFoot].map((bone) =>
    bone === undefined ? undefined : originOf(state, bone),
  );
  if (hip === undefined || knee === undefined || ankle === undefined) return 0;
  return vec3.distance(hip, knee) + vec3.distance(knee, ankle);
}

/** Height of a human at rest, in the units of the figure. */
function heightOf(figure: Figure, { bones, up }: Humanoid): number {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const heights = pointsOf(figure, state, Object.values(bones)).map((point) => vec3.dot(point, up));
  return Math.max(...heights) - Math.min(...heights);
}

function originOf({ worldFromBone }: FigureState, bone: number): Triple {
  const [x, y, z] = rigid.toPosition(worldFromBone.subarray(12 * bone, 12 * bone + 12));
  return [x, y, z];
}

function triples(numbers: readonly number[]): Triple[] {
  return Array.from({ length: numbers.length / 3 }, (_, n) => [
    numbers[3 * n],
    numbers[3 * n + 1],
    numbers[3 * n + 2],
  ]);
}

/** Where a contact of a character is in a pose of it, in the world of the figure, m; undefined for what has no sole. */
export function contactPoint(
  { humanoid, contacts }: Character,
  state: FigureState,
  { side, point }: Pick<SourceContact, 'side' | 'point'>,
): Triple | undefined {
  const bone = humanoid?.bones[`${side}${point === 'palm' ? 'Hand' : 'Foot'}` as HumanBone];
  if (bone === undefined) return undefined;
  const corners = contacts?.soles.get(bone);
  if (point === 'palm' || corners === undefined || corners.length < 4) return originOf(state, bone);
  const [a, b] = point === 'heel' ? corners.slice(0, 2) : corners.slice(2, 4);
  const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const middle = rigid.transformPoint(frame, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2]);
  return [middle[0], middle[1], middle[2]];
}

/** Contacts that stand at a time, with their sliding, mm. */
export function standingAt(
  { contacts, rate }: ClipSource,
  time: number,
): { readonly contact: SourceContact; readonly sliding: number }[] {
  const frame = Math.round(time * rate);
  return contacts.flatMap((contact) =>
    contact.inContact[frame] ? [{ contact, sliding: contact.sliding[frame] }] : [],
  );
}
