/** Joints and limits of fingers, in the axes of a hand that is found from its knuckles at rest. */
import type { JointData, LimitData } from '../../figure/data/types.js';
import { directionIn, originOf, pointOf, type Rest, triple } from '../../figure/kinematics/rest-pose.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { DetailBone, HumanBoneMap } from '../recognition/human-bones.js';

const DEGREE = Math.PI / 180;
/** Ranges of motion, rad (Merck Manual, normal values for range of motion of joints): knuckles extend by 30 degrees, and are spread by 25. */
const KNUCKLE = { extension: 30 * DEGREE, flexion: 90 * DEGREE, abduction: 25 * DEGREE } as const;
/** Rotation of a finger about itself at its knuckle, rad: passive only. */
const KNUCKLE_TWIST = 5 * DEGREE;
const FLEXION = {
  Intermediate: 120 * DEGREE,
  Distal: 80 * DEGREE,
  thumbProximal: 70 * DEGREE,
  thumbDistal: 90 * DEGREE,
} as const;
/** The rest pose is at least this far from the ends of a swing, rad. */
const MIN_MARGIN = 3 * DEGREE;

/** A joint of a finger and its limit, in the axes of its bone. */
export interface FingerJoint {
  readonly joint: JointData;
  readonly limit: LimitData;
}

type Side = 'left' | 'right';

/**
 * Joints of the fingers of both hands by bone: a ball-and-socket joint for each knuckle, hinges beyond, about the axis of flexion. Empty for hands without two
 * fingers, which have no palm.
 *
 * @param bones - Index of each human bone.
 */
export function fingerJoints(
  rest: Rest,
  bones: Readonly<HumanBoneMap<number>>,
): ReadonlyMap<number, FingerJoint> {
  const joints = new Map<number, FingerJoint>();
  for (const side of ['left', 'right'] as const) {
    const palm = palmOf(rest, bones, side);
    if (palm === undefined) continue;
    for (const finger of ['Index', 'Middle', 'Ring', 'Little'] as const) {
      const chain = phalanges(bones, side, finger, ['Proximal', 'Intermediate', 'Distal']);
      const directions = directionsOf(rest, chain, palm.forward);
      chain.forEach(({ phalanx, bone }, k) => {
        const forward = directions[k];
        const axis = flexionAxis(forward, palm.down);
        const bent = angleAbout(axis, k === 0 ? palm.forward : directions[k - 1], forward);
        joints.set(
          bone,
          phalanx === 'Proximal'
            ? knuckle(rest, bone, forward, axis, bent)
            : hinge(rest, bone, axis, bent, FLEXION[phalanx as 'Intermediate' | 'Distal']),
        );
      });
    }
    // A thumb flexes across the palm. Its saddle joint (the metacarpal) has no published ellipse here.
    const thumb = phalanges(bones, side, 'Thumb', ['Metacarpal', 'Proximal', 'Distal']);
    const directions = directionsOf(rest, thumb, palm.forward);
    const across = vec3.normalize(vec3.add(palm.down, palm.toLittle));
    thumb.forEach(({ phalanx, bone }, k) => {
      if (phalanx === 'Metacarpal') return;
      const axis = flexionAxis(directions[k], across);
      const bent = k === 0 ? 0 : angleAbout(axis, directions[k - 1], directions[k]);
      joints.set(bone, hinge(rest, bone, axis, bent, FLEXION[`thumb${phalanx}` as 'thumbProximal']));
    });
  }
  return joints;
}

interface Palm {
  /** Unit, world axes: along the fingers, out of the palm, from the index finger to the little one. */
  readonly forward: Vec3;
  readonly down: Vec3;
  readonly toLittle: Vec3;
}

/** The palm, from the knuckles of the two fingers that are farthest apart. */
function palmOf(rest: Rest, bones: Readonly<HumanBoneMap<number>>, side: Side): Palm | undefined {
  const hand = bones[`${side}Hand`];
  const knuckles = (['Index', 'Middle', 'Ring', 'Little'] as const).flatMap((finger) => {
    const bone = bones[`${side}${finger}Proximal`];
    return bone === undefined ? [] : [originOf(rest, bone)];
  });
  if (hand === undefined || knuckles.length < 2) return undefined;
  const wrist = originOf(rest, hand);
  const middle = vec3.scale(
    knuckles.reduce<number[]>((sum, at) => vec3.add(sum, at), [0, 0, 0]),
    1 / knuckles.length,
  );
  const forward = vec3.subtract(middle, wrist);
  const sideways = vec3.subtract(knuckles[knuckles.length - 1], knuckles[0]);
  const normal = vec3.cross(forward, sideways);
  if (!(vec3.norm(normal) > 1e-6 * vec3.norm(forward) ** 2)) return undefined;
  const down = vec3.scale(vec3.normalize(normal), side === 'left' ? -1 : 1);
  const along = vec3.normalize(forward);
  return { forward: along, down, toLittle: perpendicularTo(along, sideways) };
}

interface Phalanx {
  readonly phalanx: string;
  readonly bone: number;
}

function phalanges(
  bones: Readonly<HumanBoneMap<number>>,
  side: Side,
  finger: string,
  names: readonly string[],
): Phalanx[] {
  return names.flatMap((phalanx) => {
    const bone = bones[`${side}${finger}${phalanx}` as DetailBone];
    return bone === undefined ? [] : [{ phalanx, bone }];
  });
}

/** Directions of the phalanges at rest: to the next, of the last to its tip, or as the one before. */
function directionsOf(rest: Rest, chain: readonly Phalanx[], palm: Vec3): Vec3[] {
  const directions: Vec3[] = [];
  chain.forEach(({ bone }, k) => {
    const { tip } = rest.figure.bones[bone];
    const end = k + 1 < chain.length ? originOf(rest, chain[k + 1].bone) : tip && pointOf(rest, bone, tip);
    const along = end ? vec3.subtract(end, originOf(rest, bone)) : [0, 0, 0];
    directions.push(vec3.norm(along) > 1e-6 ? vec3.normalize(along) : (directions[k - 1] ?? palm));
  });
  return directions;
}

function perpendicularTo(axis: Vec3, v: Vec3): number[] {
  return vec3.normalize(vec3.addScaled(v, axis, -vec3.dot(axis, v)));
}

/** The axis about which a bone rotates towards a direction. */
function flexionAxis(forward: Vec3, towards: Vec3): number[] {
  const axis = vec3.cross(forward, towards);
  return vec3.norm(axis) > 1e-6 ? vec3.normalize(axis) : vec3.perpendicular(forward);
}

/** Angle from one direction to another about an axis, rad. */
function angleAbout(axis: Vec3, from: Vec3, to: Vec3): number {
  const [a, b] = [from, to].map((v) => vec3.addScaled(v, axis, -vec3.dot(axis, v)));
  return Math.atan2(vec3.dot(vec3.cross(a, b), axis), vec3.dot(a, b));
}

function knuckle(rest: Rest, bone: number, forward: Vec3, axis: Vec3, bent: number): FingerJoint {
  const around = (min: number, max: number): [number, number] => [
    Math.min(min, -MIN_MARGIN),
    Math.max(max, MIN_MARGIN),
  ];
  return {
    joint: {
      type: 'ball-and-socket',
      axis: triple(directionIn(rest, bone, forward)),
      side: triple(directionIn(rest, bone, axis)),
    },
    limit: {
      type: 'swing-twist',
      swing: {
        type: 'quad-ellipse',
        s: around(-KNUCKLE.extension - bent, KNUCKLE.flexion - bent),
        t: [-KNUCKLE.abduction, KNUCKLE.abduction],
      },
      twist: { min: -KNUCKLE_TWIST, max: KNUCKLE_TWIST },
    },
  };
}

function hinge(rest: Rest, bone: number, axis: Vec3, bent: number, flexion: number): FingerJoint {
  return {
    joint: { type: 'hinge', axis: triple(directionIn(rest, bone, axis)) },
    limit: { type: 'interval', min: Math.min(-bent, 0), max: Math.max(flexion - bent, 0) },
  };
}
