import { FigureError } from '../errors.js';
import type { BoneData, JointData, LimitData, QuadEllipseLimit, Triple } from '../figure/data/types.js';
import { createFigure, type Figure } from '../figure/model/figure.js';
import { BODY_MASS_INDEX, places, type Range, ranges, type Segment, segments, shares } from './human-data.js';

/** What {@link createHumanFigure} may be told. */
export interface HumanFigureOptions {
  /** Stature, m. Default 1.75. */
  readonly height?: number;
  /** Body mass, kg. Default: 24.1 kg/m^2 times the square of the height, the build of the people measured. */
  readonly mass?: number;
  /** Default `human`. */
  readonly name?: string;
}

/** Mass, centre of mass and inertia about it, [xx, yy, zz, xy, xz, yz], in the axes of the T-pose. */
interface Body {
  readonly mass: number;
  readonly center: Triple;
  readonly inertia: readonly [number, number, number, number, number, number];
}

/** Axis along which a segment lies in the T-pose. */
type Along = 0 | 1 | 2;

const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];
const MINUS_X: Triple = [-1, 0, 0];
const MINUS_Y: Triple = [0, -1, 0];

/**
 * An adult human of a given height: 22 bones with VRM humanoid names, 53 coordinates, anatomical limits, masses and
 * inertias. At rest it stands in a T-pose with its feet on y = 0, faces +Z, palms down; its left is +X. Every bone's
 * frame is parallel to the world at rest.
 *
 * Segment lengths, masses, centres and radii of gyration: de Leva (1996); ranges of motion: AAOS and others; the full
 * tables are in human-data.ts and docs/figure.md. Trunk and head are shortened by 4 % so that the standing height is exactly
 * `height`: they were measured along slanted lines.
 *
 * Left and right joints have mirrored axes, so a mirrored pose has the same numbers on both sides (hands excepted:
 * their second and third angles change sign); of the middle bones, side bend and turn change sign.
 *
 * @throws FigureError `out-of-range` for a height or mass that is not a positive number.
 */
export function createHumanFigure(options: HumanFigureOptions = {}): Figure {
  const height = positive(options.height ?? 1.75, 'height', 'm');
  const mass = positive(options.mass ?? BODY_MASS_INDEX * height * height, 'mass', 'kg');
  const leftSide = [...leftArm(height, mass), ...leftLeg(height, mass)];
  return createFigure({
    name: options.name ?? 'human',
    bones: [...trunk(height, mass), ...leftSide, ...leftSide.map(mirrored)],
  });
}

function positive(value: number, path: string, unit: string): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw new FigureError('out-of-range', `is ${value}.`, { path, remedy: `Give a positive number, ${unit}.` });
}

/** Height of the hip joints, and factor by which trunk and head shrink to end exactly at the top, both over stature. */
const HIP_HEIGHT: number = places.ankleHeight + segments.shank.length + segments.thigh.length;
const UPRIGHT: number =
  (1 - HIP_HEIGHT) /
  (segments.lowerTrunk.length +
    segments.middleTrunk.length +
    segments.upperTrunk.length +
    segments.head.length);

function trunk(height: number, mass: number): BoneData[] {
  const lower = UPRIGHT * height * segments.lowerTrunk.length;
  const middle = UPRIGHT * height * segments.middleTrunk.length;
  const upper = UPRIGHT * height * segments.upperTrunk.length;
  const headAndNeck = UPRIGHT * height * segments.head.length;
  const neckLength = shares.neckLength * headAndNeck;

  const upperTrunk = bodyOf(segments.upperTrunk, height, mass, 1, upper);
  const chest = lowerHalf(upperTrunk, upper);
  const skull = bodyOf(segments.head, height, mass, 1, headAndNeck);
  const neck = cylinder(shares.neckMass * skull.mass, places.neckRadius * height, neckLength);
  return [
    {
      name: 'hips',
      parent: null,
      rest: { position: [0, HIP_HEIGHT * height, 0] },
      joint: { type: 'free' },
      tip: [0, lower, 0],
      ...inBone(bodyOf(segments.lowerTrunk, height, mass, 1, lower)),
    },
    {
      ...spinal('spine', 'hips', lower, middle, ranges.spine),
      ...inBone(bodyOf(segments.middleTrunk, height, mass, 1, middle)),
    },
    { ...spinal('chest', 'spine', middle, upper / 2, ranges.chest), ...inBone(chest) },
    {
      ...spinal('upperChest', 'chest', upper / 2, upper / 2, ranges.upperChest),
      ...inBone(without(upperTrunk, chest), [0, upper / 2, 0]),
    },
    { ...spinal('neck', 'upperChest', upper / 2, neckLength, ranges.neck), ...inBone(neck) },
    {
      ...spinal('head', 'neck', neckLength, headAndNeck - neckLength, ranges.head),
      ...inBone(without(skull, neck), [0, neckLength, 0]),
    },
  ];
}

/** Coordinates: flexion, bend to the left, turn to the left. */
function spinal(
  name: string,
  parent: string,
  above: number,
  length: number,
  range: { readonly flexion: Range; readonly bend: number; readonly turn: number },
): BoneData {
  return {
    name,
    parent,
    rest: { position: [0, above, 0] },
    joint: { type: 'ball-and-socket', axis: Y, side: X },
    limit: {
      type: 'swing-twist',
      swing: quadEllipse(range.flexion, [-range.bend, range.bend]),
      twist: interval([-range.turn, range.turn]),
    },
    tip: [0, length, 0],
  };
}

function leftArm(height: number, mass: number): BoneData[] {
  const upperChestHeight =
    segments.lowerTrunk.length + segments.middleTrunk.length + segments.upperTrunk.length / 2;
  const sternumX = places.sternoclavicularHalfWidth * height;
  const sternumY = UPRIGHT * height * (places.sternumAboveHips - upperChestHeight);
  const shoulder: Triple = [
    places.shoulderHalfWidth * height - sternumX,
    UPRIGHT * height * (places.shoulderAboveHips - places.sternumAboveHips),
    0,
  ];
  const upperArm = segments.upperArm.length * height;
  const forearm = segments.forearm.length * height;
  const hand = segments.hand.length * height;
  const { supination, extension, radialDeviation } = ranges.hand;
  return [
    {
      // Coordinates: forward, up.
      name: 'leftShoulder',
      parent: 'upperChest',
      rest: { position: [sternumX, sternumY, 0] },
      joint: { type: 'swing', axis: MINUS_X, side: MINUS_Y },
      limit: quadEllipse(ranges.shoulder.forward, ranges.shoulder.up),
      tip: shoulder,
    },
    {
      // Coordinates: forward (horizontal flexion), up, lateral rotation.
      name: 'leftUpperArm',
      parent: 'leftShoulder',
      rest: { position: shoulder },
      joint: { type: 'ball-and-socket', axis: MINUS_X, side: MINUS_Y },
      limit: {
        type: 'swing-twist',
        swing: quadEllipse(ranges.upperArm.forward, ranges.upperArm.up),
        twist: interval(ranges.upperArm.lateralRotation),
      },
      tip: [upperArm, 0, 0],
      ...inBone(bodyOf(segments.upperArm, height, mass, 0, upperArm)),
    },
    {
      // Palm down and the crease of the elbow forward is the middle position of the forearm, so flexion is forward.
      name: 'leftLowerArm',
      parent: 'leftUpperArm',
      rest: { position: [upperArm, 0, 0] },
      joint: { type: 'hinge', axis: MINUS_Y },
      limit: { type: 'interval', ...interval(ranges.lowerArm.flexion) },
      tip: [forearm, 0, 0],
      ...inBone(bodyOf(segments.forearm, height, mass, 0, forearm)),
    },
    {
      // The forearm turns first and carries the axes of the wrist with it: R_x R_z R_y. A ball-and-socket joint would
      // swing about axes fixed in the upper forearm, 80 degrees wrong at full pronation. Locks at 90, beyond its limits.
      // Coordinates on the left: pronation, extension, ulnar deviation.
      name: 'leftHand',
      parent: 'leftLowerArm',
      rest: { position: [forearm, 0, 0] },
      joint: { type: 'euler', order: 'XZY' },
      limit: box([reversed(supination), extension, reversed(radialDeviation)]),
      tip: [hand, 0, 0],
      ...inBone(turnedToPalmDown(bodyOf(segments.hand, height, mass, 0, hand))),
    },
  ];
}

function leftLeg(height: number, mass: number): BoneData[] {
  const thigh = segments.thigh.length * height;
  const shank = segments.shank.length * height;
  const foot = segments.foot.length * height;
  const ankle = places.ankleHeight * height;
  const ball = places.ballHeight * height;
  const heelToAnkle: Triple = [0, ankle, shares.ankleFromHeel * foot];
  const ankleToBall: Triple = [0, ball - ankle, (shares.ballFromHeel - shares.ankleFromHeel) * foot];
  const toeLength = (1 - shares.ballFromHeel) * foot;

  // The foot seen from the heel on the floor; its mass lies half as high as the ankle, that of the toes as the ball.
  const wholeFoot = bodyOf(segments.foot, height, mass, 2, foot, ankle / 2);
  const toes = slab(
    shares.toesMass * wholeFoot.mass,
    [0, ball, shares.ballFromHeel * foot + toeLength / 2],
    [places.footBreadth * height, 2 * ball, toeLength],
  );
  const { upperLeg } = ranges;
  return [
    {
      // Coordinates: flexion, abduction, external rotation.
      name: 'leftUpperLeg',
      parent: 'hips',
      rest: { position: [places.hipHalfWidth * height, 0, 0] },
      joint: { type: 'ball-and-socket', axis: Y, side: MINUS_X },
      limit: {
        type: 'swing-twist',
        swing: quadEllipse(upperLeg.flexion, upperLeg.abduction),
        twist: interval(upperLeg.externalRotation),
      },
      tip: [0, -thigh, 0],
      ...inBone(bodyOf(segments.thigh, height, mass, 1, -thigh)),
    },
    {
      name: 'leftLowerLeg',
      parent: 'leftUpperLeg',
      rest: { position: [0, -thigh, 0] },
      joint: { type: 'hinge', axis: X },
      limit: { type: 'interval', ...interval(ranges.lowerLeg.flexion) },
      tip: [0, -shank, 0],
      ...inBone(bodyOf(segments.shank, height, mass, 1, -shank)),
    },
    {
      // Coordinates: dorsiflexion, eversion.
      name: 'leftFoot',
      parent: 'leftLowerLeg',
      rest: { position: [0, -shank, 0] },
      joint: { type: 'swing', axis: Y, side: MINUS_X },
      limit: quadEllipse(ranges.foot.dorsiflexion, ranges.foot.eversion),
      tip: ankleToBall,
      ...inBone(without(wholeFoot, toes), heelToAnkle),
    },
    {
      // Coordinate: extension, toes up.
      name: 'leftToes',
      parent: 'leftFoot',
      rest: { position: ankleToBall },
      joint: { type: 'hinge', axis: MINUS_X },
      limit: { type: 'interval', ...interval(ranges.toes.extension) },
      tip: [0, -ball, toeLength],
      ...inBone(toes, [0, ball, shares.ballFromHeel * foot]),
    },
  ];
}

/** The right-hand bone of a left-hand one: mirrored in x = 0. */
function mirrored(bone: BoneData): BoneData {
  const { rest, tip, centerOfMass, inertia, joint, limit } = bone;
  return {
    ...bone,
    name: bone.name.replace('left', 'right'),
    parent: (bone.parent as string).replace('left', 'right'),
    rest: { position: mirroredPoint(rest?.position as Triple) },
    joint: mirroredJoint(joint as JointData),
    ...(limit === undefined ? {} : { limit: mirroredLimit(limit) }),
    ...(tip === undefined ? {} : { tip: mirroredPoint(tip) }),
    ...(centerOfMass === undefined ? {} : { centerOfMass: mirroredPoint(centerOfMass) }),
    ...(inertia === undefined
      ? {}
      : { inertia: [inertia[0], inertia[1], inertia[2], -inertia[3], -inertia[4], inertia[5]] }),
  };
}

function mirroredPoint([x, y, z]: Triple): Triple {
  return [-x, y, z];
}

/** An axis of rotation is mirrored as x stays and y, z turn round. */
function mirroredAxis([x, y, z]: Triple): Triple {
  return [x, -y, -z];
}

function mirroredJoint(joint: JointData): JointData {
  switch (joint.type) {
    case 'hinge':
      return { ...joint, axis: mirroredAxis(joint.axis) };
    case 'swing':
    case 'ball-and-socket':
      return { ...joint, axis: mirroredAxis(joint.axis), side: mirroredAxis(joint.side as Triple) };
    default:
      return joint;
  }
}

/** Mirrored axes keep their limits; the Euler angles of the hand about y and z, whose axes are fixed, change sign. */
function mirroredLimit(limit: LimitData): LimitData {
  if (limit.type !== 'box') return limit;
  const [x, z, y] = limit.min.map((least, k) => [least, limit.max[k]] as Range);
  return boxOf([x, reversed(z), reversed(y)]);
}

function reversed([least, greatest]: Range): Range {
  return [-greatest, -least];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function interval([least, greatest]: Range): { readonly min: number; readonly max: number } {
  return { min: radians(least), max: radians(greatest) };
}

function quadEllipse([s0, s1]: Range, [t0, t1]: Range): QuadEllipseLimit {
  return { type: 'quad-ellipse', s: [radians(s0), radians(s1)], t: [radians(t0), radians(t1)] };
}

function box(degrees: readonly Range[]): LimitData {
  return boxOf(degrees.map(([least, greatest]) => [radians(least), radians(greatest)] as const));
}

function boxOf(sides: readonly Range[]): LimitData {
  return { type: 'box', min: sides.map(([least]) => least), max: sides.map(([, greatest]) => greatest) };
}

/**
 * A segment that starts at the origin and ends at `end` on the axis `along` (`up` above the floor for the foot).
 * Its radii of gyration keep the measured length: shortening the trunk does not make it lighter to turn.
 */
function bodyOf(s: Segment, height: number, mass: number, along: Along, end: number, up = 0): Body {
  const center: [number, number, number] = [0, 0, 0];
  center[1] = up;
  center[along] = s.center * end;
  const [sagittal, transverse, long] = s.gyration.map((k) => mass * s.mass * (k * s.length * height) ** 2);
  // The T-pose is the anatomical position with the arms raised sideways: their sagittal axis stays z, the transverse
  // one becomes y. The foot's sagittal axis stands upright.
  const inertia = [
    [long, transverse, sagittal],
    [transverse, long, sagittal],
    [transverse, sagittal, long],
  ][along];
  return { mass: mass * s.mass, center, inertia: [inertia[0], inertia[1], inertia[2], 0, 0, 0] };
}

/** The hand is measured palm forward; the T-pose has it palm down: a quarter turn about x swaps yy and zz. */
function turnedToPalmDown({ mass, center, inertia: [xx, yy, zz, xy, xz, yz] }: Body): Body {
  return { mass, center, inertia: [xx, zz, yy, xy, xz, yz] };
}

/** Lower half of an upright segment as if it were uniform along its length: half the mass, a quarter length lower. */
function lowerHalf({ mass, center, inertia }: Body, length: number): Body {
  const apart = (mass * length * length) / 16;
  return {
    mass: mass / 2,
    center: [center[0], center[1] - length / 4, center[2]],
    inertia: [(inertia[0] - apart) / 2, inertia[1] / 2, (inertia[2] - apart) / 2, 0, 0, 0],
  };
}

/** Upright solid cylinder on the origin. */
function cylinder(mass: number, radius: number, length: number): Body {
  const across = mass * (radius ** 2 / 4 + length ** 2 / 12);
  return { mass, center: [0, length / 2, 0], inertia: [across, (mass * radius ** 2) / 2, across, 0, 0, 0] };
}

/** Solid box. */
function slab(mass: number, center: Triple, [x, y, z]: Triple): Body {
  const m = mass / 12;
  return { mass, center, inertia: [m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), 0, 0, 0] };
}

/** What is left of `whole` when `part` is taken away (parallel axes). */
function without(whole: Body, part: Body): Body {
  const mass = whole.mass - part.mass;
  const center = whole.center.map((c, k) => (whole.mass * c - part.mass * part.center[k]) / mass);
  const [x, y, z] = whole.center.map((c, k) => part.center[k] - c);
  // Two masses about their common centre: I_whole = I_part + I_rest + mu (d^2 1 - d d^T), d their distance; `part` lies
  // at d mass / whole.mass from that centre.
  const mu = (part.mass * whole.mass) / mass;
  const shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
  const rest = whole.inertia.map((i, k) => i - part.inertia[k] - mu * shift[k]);
  return {
    mass,
    center: [center[0], center[1], center[2]],
    inertia: [rest[0], rest[1], rest[2], rest[3], rest[4], rest[5]],
  };
}

/** A body as the mass fields of a bone whose origin is at `origin`. */
function inBone({ mass, center, inertia }: Body, origin: Triple = [0, 0, 0]): Partial<BoneData> {
  return {
    mass,
    centerOfMass: [center[0] - origin[0], center[1] - origin[1], center[2] - origin[2]],
    inertia,
  };
}
