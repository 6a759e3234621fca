import { createIk, solveIk } from 'poise';
import { clampToLimits, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import type { DetailBone, HumanBoneMap } from 'poise/humanoid';
import { mat3, rigid, type Vec3, vec3 } from 'poise/math';
import { rotationVectorFromMatrix } from 'poise/rotation';
import type { Character } from './character.js';

export const SIDES = ['left', 'right'] as const;
export type HandSide = (typeof SIDES)[number];
export const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;
export type FingerName = (typeof FINGERS)[number];

/** How far a finger is curled, 0 straight to 1 into the palm, and how far it is spread from the middle finger, -1 to 1. */
export interface FingerPose {
  readonly curl: number;
  readonly spread: number;
}

interface FingerJoint {
  readonly bone: number;
  readonly coordinate: number;
  readonly dof: number;
  /** World axes at rest of small rotations by each coordinate, as columns in a list. */
  readonly axes: readonly Vec3[];
  /** Rotation towards the palm, and away from the middle finger: unit, in the world at rest; the second of the first joint alone. */
  readonly curl: Vec3;
  readonly spread: Vec3 | undefined;
  /** Where between its ends the joint is straight. */
  readonly straight: number;
}

export interface Finger {
  readonly name: FingerName;
  readonly joints: readonly FingerJoint[];
}

export interface Hand {
  readonly side: HandSide;
  readonly fingers: readonly Finger[];
}

/** Largest spread of a finger and of a thumb, rad. */
const SPREAD = { finger: 0.35, thumb: 0.8 } as const;
/** Share of a knuckle's range that bends it back: 30 of 120 degrees. */
const KNUCKLE_STRAIGHT = 0.25;
const STEP = 1e-4;

const hands = new WeakMap<Figure, readonly Hand[]>();

/** The hands of a character that have fingers with a palm. */
export function handsOf({ figure, bones }: Pick<Character, 'figure' | 'bones'>): readonly Hand[] {
  let found = hands.get(figure);
  if (found === undefined) {
    found = SIDES.flatMap((side) => handOf(figure, bones, side) ?? []);
    hands.set(figure, found);
  }
  return found;
}

function handOf(figure: Figure, bones: Readonly<HumanBoneMap<number>>, side: HandSide): Hand | undefined {
  const rest = createState(figure);
  const pose = createPose(figure);
  forwardKinematics(rest, pose);
  const at = (bone: number): Vec3 => rigid.toPosition(frameOf(rest.worldFromBone, bone));
  const boneOf = (finger: FingerName, phalanx: string) => bones[`${side}${finger}${phalanx}` as DetailBone];
  const knuckles = (['Index', 'Middle', 'Ring', 'Little'] as const).flatMap(
    (finger) => boneOf(finger, 'Proximal') ?? [],
  );
  const wrist = bones[`${side}Hand`];
  if (wrist === undefined || knuckles.length < 2) return undefined;
  const middle = vec3.scale(
    knuckles.reduce<number[]>((sum, bone) => vec3.add(sum, at(bone)), [0, 0, 0]),
    1 / knuckles.length,
  );
  const forward = vec3.normalize(vec3.subtract(middle, at(wrist)));
  const across = vec3.subtract(at(knuckles[knuckles.length - 1]), at(knuckles[0]));
  const toLittle = vec3.normalize(vec3.addScaled(across, forward, -vec3.dot(across, forward)));
  /** Out of the palm. */
  const down = vec3.scale(vec3.cross(forward, toLittle), side === 'left' ? -1 : 1);
  const jointOf = (
    bone: number,
    curl: Vec3,
    spread: Vec3 | undefined,
    straight: number,
  ): FingerJoint | undefined => {
    const { coordinate, dof, joint } = figure.bones[bone];
    if (dof === 0 || dof > 3 || joint.type === 'slider') return undefined;
    const state = createState(figure);
    const before = frameOf(rest.worldFromBone, bone);
    const axes = Array.from({ length: dof }, (_, n) => {
      pose[coordinate + n] = STEP;
      forwardKinematics(state, pose);
      pose[coordinate + n] = 0;
      const rotated = mat3.multiply(
        rotationOf(frameOf(state.worldFromBone, bone)),
        mat3.transpose(rotationOf(before)),
      );
      return vec3.normalize(rotationVectorFromMatrix(rotated));
    });
    return { bone, coordinate, dof, axes, curl, spread, straight };
  };
  const fingers = FINGERS.flatMap((name): Finger[] => {
    const isThumb = name === 'Thumb';
    const chain = (
      isThumb ? ['Metacarpal', 'Proximal', 'Distal'] : ['Proximal', 'Intermediate', 'Distal']
    ).flatMap((phalanx) => {
      const bone = boneOf(name, phalanx);
      return bone === undefined ? [] : [{ phalanx, bone }];
    });
    const joints = chain.flatMap(({ phalanx, bone }, k) => {
      const next = chain[k + 1]?.bone;
      const { tip } = figure.bones[bone];
      const end =
        next !== undefined ? at(next) : tip && rigid.transformPoint(frameOf(rest.worldFromBone, bone), tip);
      const along = end === undefined ? forward : vec3.subtract(end, at(bone));
      const direction = vec3.norm(along) > 0 ? vec3.normalize(along) : forward;
      const towards = isThumb ? vec3.add(down, toLittle) : down;
      const curl = vec3.normalize(vec3.cross(direction, towards));
      const away = name === 'Index' ? vec3.scale(toLittle, -1) : toLittle;
      const isFirst = phalanx === (isThumb ? 'Metacarpal' : 'Proximal');
      // A thumb swings about the length of the hand: across the palm, and out beside it.
      const outward = isThumb ? vec3.addScaled(vec3.scale(toLittle, -1), down, -0.6) : away;
      const side = vec3.cross(direction, outward);
      const spread = isFirst
        ? vec3.normalize(isThumb ? side : vec3.addScaled(side, curl, -vec3.dot(side, curl)))
        : undefined;
      const isKnuckle = phalanx === 'Proximal' && !isThumb;
      const joint = jointOf(bone, curl, spread, isKnuckle ? KNUCKLE_STRAIGHT : 0);
      return joint === undefined ? [] : [joint];
    });
    return joints.length === 0 ? [] : [{ name, joints }];
  });
  return fingers.length === 0 ? undefined : { side, fingers };
}

/** How a finger is posed; exact for one that was posed so. */
export function fingerPose(figure: Figure, pose: ArrayLike<number>, finger: Finger): FingerPose {
  let spread = 0;
  const curls: number[] = [];
  for (const joint of finger.joints) {
    const { curl, straight } = joint;
    if (joint.spread !== undefined) spread = turnAbout(joint, joint.spread, pose) / mostSpread(finger);
    if (isSaddle(finger, joint)) continue;
    const range = rangeAlong(figure, joint, curl);
    if (range === undefined) continue;
    const share = (turnAbout(joint, curl, pose) - range[0]) / Math.max(range[1] - range[0], 1e-9);
    curls.push((share - straight) / (1 - straight));
  }
  const curl = curls.length === 0 ? 0 : curls.reduce((a, b) => a + b) / curls.length;
  return { curl, spread: Math.min(1, Math.max(-1, spread)) };
}

/** Sets curl, spread or both of a finger in a pose, within the limits. */
export function setFinger(
  figure: Figure,
  pose: Float64Array,
  finger: Finger,
  { curl, spread }: Partial<FingerPose>,
): void {
  const now = fingerPose(figure, pose, finger);
  for (const joint of finger.joints) {
    const range = isSaddle(finger, joint) ? undefined : rangeAlong(figure, joint, joint.curl);
    if (joint.spread === undefined && (curl === undefined || range === undefined)) continue;
    const bend = (share: number) =>
      range === undefined
        ? 0
        : Math.max(
            range[0],
            range[0] + (joint.straight + (1 - joint.straight) * share) * (range[1] - range[0]),
          );
    const curled = curl === undefined && range ? turnAbout(joint, joint.curl, pose) : bend(curl ?? now.curl);
    const turn = vec3.scale(joint.curl, curled);
    if (joint.spread) vec3.addScaled(turn, joint.spread, (spread ?? now.spread) * mostSpread(finger), turn);
    setTurn(joint, turn, pose);
  }
  clampToLimits(figure, pose);
}

/** A thumb is curled by its two hinges: its saddle spreads it. */
function isSaddle({ name }: Finger, { spread }: FingerJoint): boolean {
  return name === 'Thumb' && spread !== undefined;
}

function mostSpread({ name }: Finger): number {
  return name === 'Thumb' ? SPREAD.thumb : SPREAD.finger;
}

/** Rotation of a joint about an axis, rad. */
function turnAbout({ axes, coordinate, dof }: FingerJoint, axis: Vec3, pose: ArrayLike<number>): number {
  if (dof === 1) return pose[coordinate] * Math.sign(vec3.dot(axes[0], axis));
  return axes.reduce((sum, each, n) => sum + pose[coordinate + n] * vec3.dot(each, axis), 0);
}

function setTurn({ axes, coordinate, dof, curl }: FingerJoint, turn: Vec3, pose: Float64Array): void {
  if (dof === 1) {
    pose[coordinate] = vec3.dot(turn, curl) * Math.sign(vec3.dot(axes[0], curl));
    return;
  }
  axes.forEach((axis, n) => {
    pose[coordinate + n] = vec3.dot(axis, turn);
  });
}

/** How far a joint rotates about an axis within its limits, rad; undefined for one that does not, or without an end. */
function rangeAlong(
  figure: Figure,
  { bone, coordinate, axes }: FingerJoint,
  axis: Vec3,
): readonly [number, number] | undefined {
  const along = axes.map((each) => vec3.dot(each, axis));
  const most = along.reduce((best, x, n) => (Math.abs(x) > Math.abs(along[best]) ? n : best), 0);
  if (Math.abs(along[most]) < 0.5) return undefined;
  const component = figure.limitComponents.find(
    (each) =>
      each.bone === bone &&
      coordinate + most >= each.coordinate &&
      coordinate + most < each.coordinate + each.size,
  );
  if (component === undefined) return undefined;
  const { kind, parameters } = component;
  const n = coordinate + most - component.coordinate;
  const [min, max] = {
    interval: [parameters[0], parameters[1]],
    disk: [-parameters[0], parameters[0]],
    ellipse: [-parameters[n], parameters[n]],
    'quad-ellipse': [parameters[2 * n], parameters[2 * n + 1]],
  }[kind];
  if (!Number.isFinite(min) || !Number.isFinite(max)) return undefined;
  return along[most] > 0 ? [min, max] : [-max, -min];
}

export const HAND_POSES = ['Relaxed', 'Open hand', 'Fist', 'Point', 'Thumbs up', 'OK'] as const;
export type HandPoseName = (typeof HAND_POSES)[number];

const all = (curl: number, spread = 0): Readonly<Record<Exclude<FingerName, 'Thumb'>, FingerPose>> => ({
  Index: { curl, spread },
  Middle: { curl, spread: 0 },
  Ring: { curl, spread },
  Little: { curl, spread },
});

const POSES: Readonly<Record<HandPoseName, Readonly<Record<FingerName, FingerPose>>>> = {
  Relaxed: {
    Thumb: { curl: 0.2, spread: 0 },
    Index: { curl: 0.2, spread: 0.1 },
    Middle: { curl: 0.26, spread: 0 },
    Ring: { curl: 0.31, spread: 0 },
    Little: { curl: 0.36, spread: 0.1 },
  },
  'Open hand': { Thumb: { curl: 0, spread: 0.7 }, ...all(-0.08, 0.7) },
  Fist: { Thumb: { curl: 0.75, spread: -0.7 }, ...all(0.94) },
  Point: { Thumb: { curl: 0.7, spread: -0.6 }, ...all(0.94), Index: { curl: 0, spread: 0 } },
  'Thumbs up': { Thumb: { curl: 0, spread: 0.8 }, ...all(0.94) },
  OK: {
    Thumb: { curl: 0.3, spread: -0.4 },
    Index: { curl: 0.45, spread: 0 },
    Middle: { curl: 0.16, spread: 0 },
    Ring: { curl: 0.1, spread: 0.2 },
    Little: { curl: 0.04, spread: 0.5 },
  },
};

/** The pose with a hand's fingers posed. */
export function withHandPose(
  { figure }: Pick<Character, 'figure'>,
  pose: ArrayLike<number>,
  hand: Hand,
  name: HandPoseName,
): Float64Array {
  const out = Float64Array.from(pose);
  for (const finger of hand.fingers) setFinger(figure, out, finger, POSES[name][finger.name]);
  if (name === 'OK') touchTips(figure, out, hand);
  return out;
}

/** Thumb and index finger bend until their tips meet; nothing else moves. */
function touchTips(figure: Figure, pose: Float64Array, { fingers }: Hand): void {
  const [thumb, index] = ['Thumb', 'Index'].map((name) => fingers.find((finger) => finger.name === name));
  if (thumb === undefined || index === undefined) return;
  const [from, to] = [thumb, index].map(({ joints }) => figure.bones[joints[joints.length - 1].bone]);
  const free = new Set([...thumb.joints, ...index.joints].map(({ bone }) => bone));
  const length = from.tip === undefined ? 0.02 : vec3.norm(from.tip);
  const ik = createIk(
    figure,
    [
      {
        type: 'position',
        bone: from.index,
        point: from.tip ?? [0, 0, 0],
        target: { bone: to.index, point: to.tip ?? [0, 0, 0] },
        tolerance: 0.02 * length,
      },
    ],
    {
      restarts: 0,
      locked: figure.bones
        .filter(({ index: bone, dof }) => dof > 0 && !free.has(bone))
        .map((bone) => bone.index),
    },
  );
  solveIk(ik, pose);
}

function frameOf(frames: Float64Array, bone: number): Float64Array {
  return frames.subarray(12 * bone, 12 * bone + 12);
}

function rotationOf(frame: Float64Array): Float64Array {
  return frame.subarray(0, 9);
}
