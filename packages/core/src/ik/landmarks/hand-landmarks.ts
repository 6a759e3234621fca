import { requireFields, requireOneOf, requirePositive } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { BoneData, Triple } from '../../figure/data/types.js';
import { boneIndex, createFigure, type Figure } from '../../figure/model/figure.js';
import type { Marker } from '../markers/types.js';

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
  /** Names of the figure's bones by their VRM names, where they differ. */
  readonly bones?: Readonly<Record<string, string>>;
}

/**
 * The 21 hand landmarks on a figure with finger bones: the wrist, the three joints of each finger, and its tip (the `tip` of the last bone).
 *
 * @throws FigureError `unknown-name` for a missing bone, `out-of-range` for a last bone without a tip.
 */
export function handLandmarks(figure: Figure, options: HandLandmarkOptions = {}): Marker[] {
  requireFields(options, { side: true, bones: true }, 'options', FigureError);
  const { side = 'left', bones = {} } = options;
  requireOneOf(side, ['left', 'right'], 'options.side', FigureError);
  const find = (vrm: string): number =>
    Object.hasOwn(bones, vrm)
      ? boneIndex(figure, bones[vrm], `options.bones.${vrm}`)
      : boneIndex(figure, vrm, 'figure');
  const markers: Marker[] = [{ name: 'wrist', bone: find(`${side}Hand`) }];
  for (const finger of FINGERS) {
    const names = (finger === 'Thumb' ? THUMB : PHALANGES).map((segment) => `${side}${finger}${segment}`);
    const indices = names.map(find);
    const first = 1 + 4 * FINGERS.indexOf(finger);
    indices.forEach((bone, k) => {
      markers.push({ name: HAND_LANDMARKS[first + k], bone });
    });
    const { tip, name } = figure.bones[indices[2]];
    if (tip === undefined) {
      throw new FigureError('out-of-range', `'${name}' has no tip.`, {
        path: `bones['${name}'].tip`,
        remedy: 'Give the last bone of each finger its tip.',
      });
    }
    markers.push({ name: HAND_LANDMARKS[first + 3], bone: indices[2], point: tip });
  }
  return markers;
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
