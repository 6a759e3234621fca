import { requireFields, requireOneOf, requirePositive } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { BoneData, Triple } from '../../figure/data/types.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { createFigure, type Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Marker } from '../markers/types.js';
import { type BoneLookup, type LandmarkBones, lookUpBones, noBones } from './landmark-bones.js';

/** The 21 points of MediaPipe's hand landmarker, in its order. */
export const HAND_LANDMARKS = [
  'wrist',
  'thumb_cmc',
  'thumb_mcp',
  'thumb_ip',
  'thumb_tip',
  'index_finger_mcp',
  'index_finger_pip',
  'index_finger_dip',
  'index_finger_tip',
  'middle_finger_mcp',
  'middle_finger_pip',
  'middle_finger_dip',
  'middle_finger_tip',
  'ring_finger_mcp',
  'ring_finger_pip',
  'ring_finger_dip',
  'ring_finger_tip',
  'pinky_mcp',
  'pinky_pip',
  'pinky_dip',
  'pinky_tip',
] as const;

const PHALANGES = ['Proximal', 'Intermediate', 'Distal'] as const;
const THUMB = ['Metacarpal', 'Proximal', 'Distal'] as const;
const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const;

export interface HandLandmarkOptions {
  /** Default `left`. */
  readonly side?: 'left' | 'right';
  /** Bones of the figure by their VRM names, as for `bodyLandmarks`. */
  readonly bones?: LandmarkBones;
}

/**
 * Length of the last segment with its soft tissue over that of the segment before (Buryanov & Kotiuk 2010), for a last bone without a tip, as
 * leaves of a glTF are; and the weight of a tip that is estimated so.
 */
const LAST_SEGMENT = { Thumb: 0.87, Index: 0.88, Middle: 0.81, Ring: 0.83, Little: 1.09 } as const;
const ESTIMATED_WEIGHT = 0.3;

/**
 * The landmarks of a hand on the bones that a figure has of it: the wrist, the joints of each finger, and the tip of its last bone. Fingers and
 * joints may be missing. The tip is the bone's `tip`, the child of a last bone that has one, or an estimate in the direction of the segment
 * before, for a hand whose fingers are straight at rest; such a marker has `estimated: true` and weight 0.3. A finger of one bone without a tip
 * has no tip.
 *
 * @throws FigureError `unknown-name` for a figure without finger bones of that side, and for a name in `bones` that it does not have.
 */
export function handLandmarks(figure: Figure, options: HandLandmarkOptions = {}): Marker[] {
  requireFields(options, { side: true, bones: true }, 'options', FigureError);
  const { side = 'left', bones = {} } = options;
  requireOneOf(side, ['left', 'right'], 'options.side', FigureError);
  const markers = markersOfHand(figure, lookUpBones(figure, bones), side);
  if (markers.length > 0) return markers;
  throw noBones(
    figure,
    `${side} hand's fingers`,
    `{ ${side}ThumbMetacarpal: ..., ${side}IndexProximal: ... }`,
  );
}

/** The same; empty without finger bones. */
export function markersOfHand(figure: Figure, { indexOf }: BoneLookup, side: 'left' | 'right'): Marker[] {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const wrist = indexOf(`${side}Hand`);
  const markers: Marker[] = wrist < 0 ? [] : [{ name: 'wrist', bone: wrist }];
  const countWithout = markers.length;
  for (const finger of FINGERS) {
    const segments = finger === 'Thumb' ? THUMB : PHALANGES;
    const first = 1 + 4 * FINGERS.indexOf(finger);
    let before = -1;
    let last = -1;
    segments.forEach((segment, k) => {
      const bone = indexOf(`${side}${finger}${segment}`);
      if (bone < 0) return;
      markers.push({ name: HAND_LANDMARKS[first + k], bone });
      before = last;
      last = bone;
    });
    if (last < 0) continue;
    const name = HAND_LANDMARKS[first + 3];
    const given = figure.bones[last].tip ?? childPosition(figure, last);
    const point = given ?? (before < 0 ? undefined : beyond(state, before, last, LAST_SEGMENT[finger]));
    if (point === undefined) continue;
    markers.push({
      name,
      bone: last,
      point,
      ...(given === undefined && { estimated: true, weight: ESTIMATED_WEIGHT }),
    });
  }
  return markers.length > countWithout ? markers : [];
}

/** Rest position of the first child of a bone that is not at its origin. */
function childPosition({ bones }: Figure, bone: number): Triple | undefined {
  return bones.find(({ parent, rest }) => parent === bone && Math.hypot(...rest.position) > 0)?.rest.position;
}

/** The point beyond a bone's origin in the direction from the origin of the bone before, times a ratio, in the bone's frame. */
function beyond(
  { worldFromBone: world }: FigureState,
  before: number,
  last: number,
  ratio: number,
): Triple | undefined {
  const [a, b] = [12 * before, 12 * last];
  const offset = [0, 1, 2].map((k) => ratio * (world[b + 9 + k] - world[a + 9 + k]));
  if (Math.hypot(...offset) === 0) return undefined;
  const along = (c: number): number =>
    world[b + c] * offset[0] + world[b + 3 + c] * offset[1] + world[b + 6 + c] * offset[2];
  return [along(0), along(1), along(2)];
}

export interface HandFigureOptions {
  /** Default `left`. */
  readonly side?: 'left' | 'right';
  /** Wrist to the tip of the middle finger, m. Default 0.189, that of a human of 1.75 m. */
  readonly length?: number;
}

/**
 * Bone lengths of an adult hand, mm: metacarpal, phalanges, then the soft tissue beyond the last (Buryanov & Kotiuk 2010, Int. J. Morphol.
 * 28(3), tables of means), and the lateral positions of the fingers, towards the thumb (estimates).
 */
const BONES: Readonly<Record<(typeof FINGERS)[number], readonly number[]>> = {
  Thumb: [46.22, 31.57, 21.67, 5.67],
  Index: [68.12, 39.78, 22.38, 15.82, 3.84],
  Middle: [64.6, 44.63, 26.33, 17.4, 3.95],
  Ring: [58.0, 41.37, 25.65, 17.3, 3.95],
  Little: [53.69, 32.74, 18.11, 15.96, 3.73],
};
const LATERAL_OFFSET = { Index: 25, Middle: 4, Ring: -15, Little: -33 } as const;
/** Wrist to the bases of the metacarpals, mm, for a hand 189 mm long; and the base of the thumb. */
const CARPUS = 189 - 156.91;
const THUMB_BASE: Triple = [22, -8, 20];

/**
 * A hand: 16 bones with VRM names, 26 coordinates, a free wrist. At rest as the hand of the built-in human in its T-pose: palm down, fingers
 * along +X (left) or -X (right), thumb forward and in. Swing joints (flexion, and abduction towards the little finger) at the knuckles, hinges
 * at the other joints. Ranges: AAOS (knuckles 90, middle joints 100, last joints 90 of flexion; thumb 50 and 80); abduction and the saddle
 * joint of the thumb are estimates.
 *
 * @throws FigureError `out-of-range` for a length that is not a positive number.
 */
export function createHandFigure(options: HandFigureOptions = {}): Figure {
  requireFields(options, { side: true, length: true }, 'options', FigureError);
  const { side = 'left', length = 0.189 } = options;
  requireOneOf(side, ['left', 'right'], 'options.side', FigureError);
  requirePositive(length, 'options.length', FigureError, 'm');
  const unit = length / 189;
  const bones: BoneData[] = [
    { name: `${side}Hand`, joint: { type: 'free' }, tip: scaled([CARPUS + 64.6, 0, 0], unit) },
  ];
  bones.push(...thumb(side, unit));
  for (const finger of ['Index', 'Middle', 'Ring', 'Little'] as const) {
    const [metacarpal, first, second, third, flesh] = BONES[finger];
    const name = PHALANGES.map((segment) => `${side}${finger}${segment}`);
    bones.push(
      {
        name: name[0],
        parent: `${side}Hand`,
        rest: { position: scaled([CARPUS + metacarpal, 0, LATERAL_OFFSET[finger]], unit) },
        joint: { type: 'swing', axis: [1, 0, 0], side: [0, 0, -1] },
        limit: { type: 'quad-ellipse', s: degrees(-30, 90), t: degrees(-20, 20) },
        tip: scaled([first, 0, 0], unit),
      },
      hinged(name[1], name[0], [first, 0, 0], [second, 0, 0], [0, 0, -1], degrees(0, 100), unit),
      hinged(name[2], name[1], [second, 0, 0], [third + flesh, 0, 0], [0, 0, -1], degrees(-10, 90), unit),
    );
  }
  return createFigure({ name: `${side} hand`, bones: side === 'left' ? bones : bones.map(mirrored) });
}

/** Direction of the thumb at rest, and its flexion axis. */
const THUMB_DIRECTION = /* @__PURE__ */ unitVector([0.74, -0.2, 0.64]);
const THUMB_AXIS = /* @__PURE__ */ unitVector(/* @__PURE__ */ cross(THUMB_DIRECTION, [0.3, -0.5, -0.8]));

function thumb(side: string, unit: number): BoneData[] {
  const [metacarpal, first, second, flesh] = BONES.Thumb;
  const name = THUMB.map((segment) => `${side}Thumb${segment}`);
  const alongThumb = (mm: number): Triple => scaled(THUMB_DIRECTION, mm);
  return [
    {
      name: name[0],
      parent: `${side}Hand`,
      rest: { position: scaled(THUMB_BASE, unit) },
      joint: { type: 'swing', axis: THUMB_DIRECTION, side: THUMB_AXIS },
      limit: { type: 'quad-ellipse', s: degrees(-30, 35), t: degrees(-35, 35) },
      tip: scaled(alongThumb(metacarpal), unit),
    },
    hinged(name[1], name[0], alongThumb(metacarpal), alongThumb(first), THUMB_AXIS, degrees(-10, 50), unit),
    hinged(
      name[2],
      name[1],
      alongThumb(first),
      alongThumb(second + flesh),
      THUMB_AXIS,
      degrees(-15, 80),
      unit,
    ),
  ];
}

function hinged(
  name: string,
  parent: string,
  position: Triple,
  tip: Triple,
  axis: Triple,
  [min, max]: readonly [number, number],
  unit: number,
): BoneData {
  return {
    name,
    parent,
    rest: { position: scaled(position, unit) },
    joint: { type: 'hinge', axis },
    limit: { type: 'interval', min, max },
    tip: scaled(tip, unit),
  };
}

/** The right-hand bone of a left-hand one, mirrored in x = 0: positions (-x, y, z), axes (x, -y, -z). */
function mirrored(bone: BoneData): BoneData {
  const mirrorPosition = ([x, y, z]: Triple): Triple => [-x, y, z];
  const axis = ([x, y, z]: Triple): Triple => [x, -y, -z];
  const { rest, tip, joint } = bone;
  return {
    ...bone,
    ...(rest?.position === undefined ? {} : { rest: { position: mirrorPosition(rest.position) } }),
    ...(tip === undefined ? {} : { tip: mirrorPosition(tip) }),
    ...(joint?.type === 'hinge' ? { joint: { ...joint, axis: axis(joint.axis) } } : {}),
    ...(joint?.type === 'swing'
      ? { joint: { ...joint, axis: axis(joint.axis), side: axis(joint.side as Triple) } }
      : {}),
  };
}

function scaled([x, y, z]: Triple, factor: number): Triple {
  return [factor * x, factor * y, factor * z];
}

function degrees(min: number, max: number): readonly [number, number] {
  return [(min * Math.PI) / 180, (max * Math.PI) / 180];
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unitVector(v: Triple): Triple {
  return scaled(v, 1 / Math.hypot(...v));
}
