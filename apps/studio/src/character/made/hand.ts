import { type BoneData, boneIndex, createFigure, type Figure, type Triple } from 'poise/figure';
import { DETAIL_BONES, HUMAN_BONES, type HumanBoneMap } from 'poise/humanoid';
import { quat, vec3 } from 'poise/math';
import { quatFromRotationVector } from 'poise/rotation';
import { BodyModel } from '../body-model.js';
import type { BoneShape } from '../body-shapes.js';
import { type Character, createCharacter } from '../character.js';
import { handsOf, withHandPose } from '../fingers.js';
import type { Handle } from '../handles.js';

/** A right hand on its forearm, upright, its palm to the front: the sizes are those of an adult's, m. */
const WRIST = 0.11;
const DEGREE = Math.PI / 180;
const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];

/** Knuckle over the wrist, how far the finger leans towards the little one, and its phalanges. */
const FINGERS = {
  Index: { at: [0.029, 0.092, 0], lean: -4, lengths: [0.043, 0.026, 0.023], radius: 0.0094 },
  Middle: { at: [0.0085, 0.096, -0.001], lean: 0, lengths: [0.048, 0.03, 0.024], radius: 0.0097 },
  Ring: { at: [-0.012, 0.091, -0.001], lean: 4, lengths: [0.044, 0.029, 0.024], radius: 0.0092 },
  Little: { at: [-0.0305, 0.081, 0], lean: 10, lengths: [0.034, 0.021, 0.021], radius: 0.0081 },
} as const;
const THUMB = { at: [0.026, 0.024, 0.007], lengths: [0.045, 0.034, 0.028], radius: 0.0112 } as const;
/** Where the thumb points at rest: up, out and to the front. */
const THUMB_ALONG = vec3.normalize([0.62, 0.66, 0.42]);

/** A human's right hand, with the joints and ranges of motion of one. */
export function handFigure(): Figure {
  const hinge = (most: number): Pick<BoneData, 'joint' | 'limit'> => ({
    joint: { type: 'hinge', axis: X },
    limit: { type: 'interval', min: 0, max: most * DEGREE },
  });
  const finger = (name: keyof typeof FINGERS): BoneData[] => {
    const { at, lean, lengths } = FINGERS[name];
    const lying = quatFromRotationVector([0, 0, lean * DEGREE]);
    return [
      {
        name: `right${name}Proximal`,
        parent: 'rightHand',
        rest: { position: at, rotation: [lying[0], lying[1], lying[2], lying[3]] },
        joint: { type: 'ball-and-socket', axis: Y, side: X },
        limit: {
          type: 'swing-twist',
          swing: { type: 'quad-ellipse', s: [-30 * DEGREE, 90 * DEGREE], t: [-20 * DEGREE, 20 * DEGREE] },
          twist: { min: -5 * DEGREE, max: 5 * DEGREE },
        },
        tip: [0, lengths[0], 0],
      },
      {
        name: `right${name}Intermediate`,
        parent: `right${name}Proximal`,
        rest: { position: [0, lengths[0], 0] },
        ...hinge(110),
        tip: [0, lengths[1], 0],
      },
      {
        name: `right${name}Distal`,
        parent: `right${name}Intermediate`,
        rest: { position: [0, lengths[1], 0] },
        ...hinge(75),
        tip: [0, lengths[2], 0],
      },
    ];
  };
  // A thumb flexes across the palm: its bones have y along them and x as the axis of flexion.
  const flexion = vec3.normalize(vec3.cross(THUMB_ALONG, [-1, 0, 1]));
  const [x, y, z] = [flexion, THUMB_ALONG, vec3.cross(flexion, THUMB_ALONG)];
  const rotated = quat.fromMatrix([x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]);
  return createFigure({
    name: 'hand',
    bones: [
      { name: 'forearm', tip: [0, WRIST, 0] },
      {
        name: 'rightHand',
        parent: 'forearm',
        rest: { position: [0, WRIST, 0] },
        joint: { type: 'ball-and-socket', axis: Y, side: X },
        limit: {
          type: 'swing-twist',
          swing: { type: 'quad-ellipse', s: [-70 * DEGREE, 80 * DEGREE], t: [-25 * DEGREE, 30 * DEGREE] },
          twist: { min: -80 * DEGREE, max: 80 * DEGREE },
        },
        tip: [0, 0.095, 0],
      },
      {
        name: 'rightThumbMetacarpal',
        parent: 'rightHand',
        rest: { position: THUMB.at, rotation: [rotated[0], rotated[1], rotated[2], rotated[3]] },
        joint: { type: 'ball-and-socket', axis: Y, side: X },
        limit: {
          type: 'swing-twist',
          swing: { type: 'quad-ellipse', s: [-25 * DEGREE, 50 * DEGREE], t: [-45 * DEGREE, 45 * DEGREE] },
          twist: { min: -25 * DEGREE, max: 25 * DEGREE },
        },
        tip: [0, THUMB.lengths[0], 0],
      },
      {
        name: 'rightThumbProximal',
        parent: 'rightThumbMetacarpal',
        rest: { position: [0, THUMB.lengths[0], 0] },
        ...hinge(60),
        tip: [0, THUMB.lengths[1], 0],
      },
      {
        name: 'rightThumbDistal',
        parent: 'rightThumbProximal',
        rest: { position: [0, THUMB.lengths[1], 0] },
        ...hinge(80),
        tip: [0, THUMB.lengths[2], 0],
      },
      ...(['Index', 'Middle', 'Ring', 'Little'] as const).flatMap(finger),
    ],
  });
}

/** A hand to pose: a handle at each finger tip, and at the palm. */
export function createHand(): Character {
  const figure = handFigure();
  const bones: HumanBoneMap<number> = {};
  for (const name of [...HUMAN_BONES, ...DETAIL_BONES]) {
    const bone = figure.bones.find((each) => each.name === name);
    if (bone) bones[name] = bone.index;
  }
  const handle = (id: string, label: string, bone: string, size: Handle['size']): Handle => ({
    id,
    label,
    bone: boneIndex(figure, bone),
    point: figure.bones[boneIndex(figure, bone)].tip ?? [0, 0, 0],
    size,
    holds: 'place',
    rotates: true,
    dragsUpright: false,
  });
  const [hand] = handsOf({ figure, bones });
  return createCharacter({
    source: { type: 'made', name: 'hand' },
    figure,
    bones,
    handles: [
      ...(['Thumb', 'Index', 'Middle', 'Ring', 'Little'] as const).map((name) =>
        handle(
          `${name.toLowerCase()}Tip`,
          name === 'Thumb' ? 'Thumb' : `${name} finger`,
          `right${name}Distal`,
          'large',
        ),
      ),
      { ...handle('palm', 'Palm', 'rightHand', 'small'), point: [0, 0.055, 0] },
    ],
    pose: withHandPose({ figure }, new Float64Array(figure.dof), hand, 'Relaxed'),
    createModel: () => new BodyModel(figure, 1, handShape),
    write: async ({ root }) => {
      const { writeObject } = await import('../write-object.js');
      return { name: 'hand.glb', bytes: await writeObject(root) };
    },
  });
}

/** Shapes of its bones, m. */
function handShape(name: string): BoneShape {
  if (name === 'forearm') {
    return {
      parts: [
        {
          stations: [
            { at: [0, 0.004, 0], a: 0.036, b: 0.031 },
            { at: [0, 0.05, 0], a: 0.033, b: 0.027 },
            { at: [0, 0.095, 0], a: 0.027, b: 0.02 },
          ],
          side: X,
          caps: [0.12, 0.8],
        },
      ],
    };
  }
  if (name === 'rightHand') {
    return {
      balls: [{ at: [0, 0, 0], radius: 0.0225 }],
      parts: [
        {
          stations: [
            { at: [0, 0.012, 0], a: 0.024, b: 0.0155 },
            { at: [0.001, 0.04, 0.001], a: 0.035, b: 0.0165 },
            { at: [0, 0.07, 0], a: 0.0405, b: 0.014 },
            { at: [-0.001, 0.083, -0.001], a: 0.0385, b: 0.0118 },
          ],
          side: X,
          squareness: 2.7,
          caps: [0.7, 0.6],
        },
        {
          // The ball of the thumb
          stations: [
            { at: [0.013, 0.014, 0.009], a: 0.012, b: 0.01 },
            { at: [0.021, 0.036, 0.012], a: 0.0145, b: 0.0115 },
            { at: [0.022, 0.058, 0.008], a: 0.01, b: 0.008 },
          ],
          side: X,
        },
      ],
    };
  }
  const [, finger, phalanx] = /^right(Thumb|Index|Middle|Ring|Little)(\w+)$/.exec(name) ?? [];
  if (finger === undefined) return {};
  const { lengths, radius } = finger === 'Thumb' ? THUMB : FINGERS[finger as keyof typeof FINGERS];
  const n = (
    finger === 'Thumb' ? ['Metacarpal', 'Proximal', 'Distal'] : ['Proximal', 'Intermediate', 'Distal']
  ).indexOf(phalanx);
  const length = lengths[n];
  const r = radius * (1 - 0.07 * n);
  const isLast = n === 2;
  const end = isLast ? length - 0.75 * r : length - 0.35 * r;
  return {
    balls: [{ at: [0, 0, 0], radius: 1.02 * r }],
    parts: [
      {
        stations: [
          { at: [0, 0.35 * r, 0], a: 0.97 * r, b: 0.92 * r },
          { at: [0, 0.5 * length, 0.04 * r], a: 0.96 * r, b: 0.9 * r },
          { at: [0, end, 0], a: (isLast ? 0.8 : 0.9) * r, b: (isLast ? 0.66 : 0.86) * r },
        ],
        side: X,
        caps: [0.5, isLast ? 1.15 : 0.5],
      },
    ],
  };
}
