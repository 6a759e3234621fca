import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { FigureError } from '../errors.js';
import type { BoneData, JointData, LimitData, QuadEllipseLimit, Triple } from '../figure/data/types.js';
import { createFigure, type Figure } from '../figure/model/figure.js';
import {
  BODY_MASS_INDEX,
  dimensions,
  fractions,
  type Range,
  ranges,
  type Segment,
  segments,
} from './human-data.js';

/** Options of {@link createHumanFigure}. */
export interface HumanFigureOptions {
  /** Stature, m. Default 1.75. */
  readonly height?: number;
  /** Body mass, kg. Default: a body mass index of 24.1 kg/m^2, that of de Leva's sample. */
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

/** Index of a segment's long axis in the T-pose. */
type LongAxis = 0 | 1 | 2;

const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];
const MINUS_X: Triple = [-1, 0, 0];
const MINUS_Y: Triple = [0, -1, 0];

/**
 * Creates an adult human of a given height: 22 bones with VRM humanoid names, 53 coordinates, anatomical limits, masses and
 * inertias. The rest pose is a T-pose with the feet on y = 0, facing +Z, left is +X, palms down. All bone frames are parallel to
 * the world at rest.
 *
 * Segment lengths, masses, centres and radii of gyration: de Leva (1996); ranges of motion: AAOS and others; the full
 * tables are in human-data.ts and docs/figure.md. Trunk and head are shortened by 4 % so that the standing height is exactly
 * `height`, since they were measured along slanted lines.
 *
 * Left and right joints have mirrored axes: a mirrored pose has the same coordinates with sides swapped, except that the second
 * and third angles of the hands, and lateral bending and rotation of spine, neck and head, change sign.
 *
 * @throws FigureError `out-of-range` for a height or mass that is not a positive number, `unknown-name` for an unknown option.
 */
export function createHumanFigure(options: HumanFigureOptions = {}): Figure {
  requireFields(options, FIELDS, 'options', FigureError);
  const { height = 1.75, mass = BODY_MASS_INDEX * height * height } = options;
  requirePositive(height, 'options.height', FigureError, 'm');
  requirePositive(mass, 'options.mass', FigureError, 'kg');
  const leftSide = [...leftArm(height, mass), ...leftLeg(height, mass)];
  return createFigure({
    name: options.name ?? 'human',
    bones: [...trunk(height, mass), ...leftSide, ...leftSide.map(mirrored)],
  });
}

const FIELDS: FieldsOf<HumanFigureOptions> = { height: true, mass: true, name: true };

/** Height of the hip joints over stature. */
const HIP_HEIGHT: number = dimensions.ankleHeight + segments.shank.length + segments.thigh.length;
/** Factor on the lengths of trunk and head, so that the figure is exactly as tall as its stature. */
const TRUNK_SCALE: number =
  (1 - HIP_HEIGHT) /
  (segments.lowerTrunk.length +
    segments.middleTrunk.length +
    segments.upperTrunk.length +
    segments.head.length);

function trunk(height: number, mass: number): BoneData[] {
  const lower = TRUNK_SCALE * height * segments.lowerTrunk.length;
  const middle = TRUNK_SCALE * height * segments.middleTrunk.length;
  const upper = TRUNK_SCALE * height * segments.upperTrunk.length;
  const headAndNeck = TRUNK_SCALE * height * segments.head.length;
  const neckLength = fractions.neckLength * headAndNeck;

  const upperTrunk = segmentBody(segments.upperTrunk, height, mass, 1, upper);
  const chest = lowerHalf(upperTrunk, upper);
  const skull = segmentBody(segments.head, height, mass, 1, headAndNeck);
  const neck = cylinder(fractions.neckMass * skull.mass, dimensions.neckRadius * height, neckLength);
  return [
    {
      name: 'hips',
      parent: null,
      rest: { position: [0, HIP_HEIGHT * height, 0] },
      joint: { type: 'free' },
      tip: [0, lower, 0],
      ...massProperties(segmentBody(segments.lowerTrunk, height, mass, 1, lower)),
    },
    {
      ...spinal('spine', 'hips', lower, middle, ranges.spine),
      ...massProperties(segmentBody(segments.middleTrunk, height, mass, 1, middle)),
    },
    { ...spinal('chest', 'spine', middle, upper / 2, ranges.chest), ...massProperties(chest) },
    {
      ...spinal('upperChest', 'chest', upper / 2, upper / 2, ranges.upperChest),
      ...massProperties(subtractBody(upperTrunk, chest), [0, upper / 2, 0]),
    },
    { ...spinal('neck', 'upperChest', upper / 2, neckLength, ranges.neck), ...massProperties(neck) },
    {
      ...spinal('head', 'neck', neckLength, headAndNeck - neckLength, ranges.head),
      ...massProperties(subtractBody(skull, neck), [0, neckLength, 0]),
    },
  ];
}

/** A bone of spine, neck or head. Coordinates: flexion, lateral bending to the left, rotation to the left. */
function spinal(
  name: string,
  parent: string,
  above: number,
  length: number,
  range: { readonly flexion: Range; readonly lateralBending: number; readonly rotation: number },
): BoneData {
  return {
    name,
    parent,
    rest: { position: [0, above, 0] },
    joint: { type: 'ball-and-socket', axis: Y, side: X },
    limit: {
      type: 'swing-twist',
      swing: quadEllipse(range.flexion, [-range.lateralBending, range.lateralBending]),
      twist: interval([-range.rotation, range.rotation]),
    },
    tip: [0, length, 0],
  };
}

function leftArm(height: number, mass: number): BoneData[] {
  const upperChestHeight =
    segments.lowerTrunk.length + segments.middleTrunk.length + segments.upperTrunk.length / 2;
  const sternumX = dimensions.sternoclavicularHalfWidth * height;
  const sternumY = TRUNK_SCALE * height * (dimensions.sternumAboveHips - upperChestHeight);
  const shoulder: Triple = [
    dimensions.shoulderHalfWidth * height - sternumX,
    TRUNK_SCALE * height * (dimensions.shoulderAboveHips - dimensions.sternumAboveHips),
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
      ...massProperties(segmentBody(segments.upperArm, height, mass, 0, upperArm)),
    },
    {
      // With the palm down the forearm is in neutral rotation and the crease of the elbow faces forward: flexion is forward.
      name: 'leftLowerArm',
      parent: 'leftUpperArm',
      rest: { position: [upperArm, 0, 0] },
      joint: { type: 'hinge', axis: MINUS_Y },
      limit: { type: 'interval', ...interval(ranges.lowerArm.flexion) },
      tip: [forearm, 0, 0],
      ...massProperties(segmentBody(segments.forearm, height, mass, 0, forearm)),
    },
    {
      // Pronation rotates the axes of the wrist: R_x R_z R_y. A ball-and-socket joint would swing about axes fixed in the upper
      // forearm, off by 80 degrees at full pronation. Gimbal lock at 90 degrees is beyond the limits.
      // Coordinates on the left: pronation, extension, ulnar deviation.
      name: 'leftHand',
      parent: 'leftLowerArm',
      rest: { position: [forearm, 0, 0] },
      joint: { type: 'euler', order: 'XZY' },
      limit: box([reversed(supination), extension, reversed(radialDeviation)]),
      tip: [hand, 0, 0],
      ...massProperties(palmDown(segmentBody(segments.hand, height, mass, 0, hand))),
    },
  ];
}

function leftLeg(height: number, mass: number): BoneData[] {
  const thigh = segments.thigh.length * height;
  const shank = segments.shank.length * height;
  const foot = segments.foot.length * height;
  const ankle = dimensions.ankleHeight * height;
  const ball = dimensions.ballHeight * height;
  const heelToAnkle: Triple = [0, ankle, fractions.ankleFromHeel * foot];
  const ankleToBall: Triple = [0, ball - ankle, (fractions.ballFromHeel - fractions.ankleFromHeel) * foot];
  const toeLength = (1 - fractions.ballFromHeel) * foot;

  // Whole foot with the heel on the floor as origin; centre of mass at half the ankle height, that of the toes at ball height.
  const wholeFoot = segmentBody(segments.foot, height, mass, 2, foot, ankle / 2);
  const toes = slab(
    fractions.toesMass * wholeFoot.mass,
    [0, ball, fractions.ballFromHeel * foot + toeLength / 2],
    [dimensions.footBreadth * height, 2 * ball, toeLength],
  );
  const { upperLeg } = ranges;
  return [
    {
      // Coordinates: flexion, abduction, external rotation.
      name: 'leftUpperLeg',
      parent: 'hips',
      rest: { position: [dimensions.hipHalfWidth * height, 0, 0] },
      joint: { type: 'ball-and-socket', axis: Y, side: MINUS_X },
      limit: {
        type: 'swing-twist',
        swing: quadEllipse(upperLeg.flexion, upperLeg.abduction),
        twist: interval(upperLeg.externalRotation),
      },
      tip: [0, -thigh, 0],
      ...massProperties(segmentBody(segments.thigh, height, mass, 1, -thigh)),
    },
    {
      name: 'leftLowerLeg',
      parent: 'leftUpperLeg',
      rest: { position: [0, -thigh, 0] },
      joint: { type: 'hinge', axis: X },
      limit: { type: 'interval', ...interval(ranges.lowerLeg.flexion) },
      tip: [0, -shank, 0],
      ...massProperties(segmentBody(segments.shank, height, mass, 1, -shank)),
    },
    {
      // Coordinates: dorsiflexion, eversion.
      name: 'leftFoot',
      parent: 'leftLowerLeg',
      rest: { position: [0, -shank, 0] },
      joint: { type: 'swing', axis: Y, side: MINUS_X },
      limit: quadEllipse(ranges.foot.dorsiflexion, ranges.foot.eversion),
      tip: ankleToBall,
      ...massProperties(subtractBody(wholeFoot, toes), heelToAnkle),
    },
    {
      // Coordinate: extension, toes up.
      name: 'leftToes',
      parent: 'leftFoot',
      rest: { position: ankleToBall },
      joint: { type: 'hinge', axis: MINUS_X },
      limit: { type: 'interval', ...interval(ranges.toes.extension) },
      tip: [0, -ball, toeLength],
      ...massProperties(toes, [0, ball, fractions.ballFromHeel * foot]),
    },
  ];
}

/** The right bone of a left one: mirrored in x = 0. */
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

/** Axes of rotation are pseudovectors: mirrored in x = 0 they keep x and reverse y, z. */
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

/** Joints with mirrored axes keep their limits; the Euler angles of the hand about y and z change sign. */
function mirroredLimit(limit: LimitData): LimitData {
  if (limit.type !== 'box') return limit;
  const [x, z, y] = limit.min.map((min, k) => [min, limit.max[k]] as Range);
  return boxOf([x, reversed(z), reversed(y)]);
}

function reversed([min, max]: Range): Range {
  return [-max, -min];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function interval([min, max]: Range): { readonly min: number; readonly max: number } {
  return { min: radians(min), max: radians(max) };
}

function quadEllipse([s0, s1]: Range, [t0, t1]: Range): QuadEllipseLimit {
  return { type: 'quad-ellipse', s: [radians(s0), radians(s1)], t: [radians(t0), radians(t1)] };
}

function box(degrees: readonly Range[]): LimitData {
  return boxOf(degrees.map(([min, max]) => [radians(min), radians(max)] as const));
}

function boxOf(intervals: readonly Range[]): LimitData {
  return { type: 'box', min: intervals.map(([min]) => min), max: intervals.map(([, max]) => max) };
}

/**
 * Mass properties of a segment from the origin to `end` on its long axis (`up`: height of the foot's centre above the floor).
 * Radii of gyration are relative to the measured length, not the shortened one.
 */
function segmentBody(
  s: Segment,
  height: number,
  mass: number,
  longAxis: LongAxis,
  end: number,
  up = 0,
): Body {
  const center: [number, number, number] = [0, 0, 0];
  center[1] = up;
  center[longAxis] = s.center * end;
  const [sagittal, transverse, long] = s.gyration.map((k) => mass * s.mass * (k * s.length * height) ** 2);
  // The T-pose is the anatomical position with the arms abducted: their sagittal axis is z, their transverse axis y. The foot's
  // sagittal axis is vertical.
  const inertia = [
    [long, transverse, sagittal],
    [transverse, long, sagittal],
    [transverse, sagittal, long],
  ][longAxis];
  return { mass: mass * s.mass, center, inertia: [inertia[0], inertia[1], inertia[2], 0, 0, 0] };
}

/** The hand is measured palm forward and is palm down in the T-pose: rotation by pi/2 about x swaps yy and zz. */
function palmDown({ mass, center, inertia: [xx, yy, zz, xy, xz, yz] }: Body): Body {
  return { mass, center, inertia: [xx, zz, yy, xy, xz, yz] };
}

/** Lower half of a vertical segment of uniform density along its length: half the mass, a quarter length lower. */
function lowerHalf({ mass, center, inertia }: Body, length: number): Body {
  const parallelAxis = (mass * length * length) / 16;
  return {
    mass: mass / 2,
    center: [center[0], center[1] - length / 4, center[2]],
    inertia: [(inertia[0] - parallelAxis) / 2, inertia[1] / 2, (inertia[2] - parallelAxis) / 2, 0, 0, 0],
  };
}

/** Vertical solid cylinder with its base at the origin. */
function cylinder(mass: number, radius: number, length: number): Body {
  const transverse = mass * (radius ** 2 / 4 + length ** 2 / 12);
  return {
    mass,
    center: [0, length / 2, 0],
    inertia: [transverse, (mass * radius ** 2) / 2, transverse, 0, 0, 0],
  };
}

/** Solid box. */
function slab(mass: number, center: Triple, [x, y, z]: Triple): Body {
  const m = mass / 12;
  return { mass, center, inertia: [m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y), 0, 0, 0] };
}

/** Mass properties of `whole` without `part` (parallel axis theorem). */
function subtractBody(whole: Body, part: Body): Body {
  const mass = whole.mass - part.mass;
  const center = whole.center.map((c, k) => (whole.mass * c - part.mass * part.center[k]) / mass);
  const [x, y, z] = whole.center.map((c, k) => part.center[k] - c);
  // Two masses about their common centre: I_whole = I_part + I_rest + reducedMass (d^2 1 - d d^T), d their distance; `part` lies
  // at d mass / whole.mass from that centre.
  const reducedMass = (part.mass * whole.mass) / mass;
  const shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
  const rest = whole.inertia.map((i, k) => i - part.inertia[k] - reducedMass * shift[k]);
  return {
    mass,
    center: [center[0], center[1], center[2]],
    inertia: [rest[0], rest[1], rest[2], rest[3], rest[4], rest[5]],
  };
}

/** A body as the mass fields of a bone whose origin is at `origin`. */
function massProperties({ mass, center, inertia }: Body, origin: Triple = [0, 0, 0]): Partial<BoneData> {
  return {
    mass,
    centerOfMass: [center[0] - origin[0], center[1] - origin[1], center[2] - origin[2]],
    inertia,
  };
}
