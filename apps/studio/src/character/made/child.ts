import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { createHumanFigure, findHumanoid } from 'poise/humanoid';
import { rigid } from 'poise/math';
import { type Character, createCharacter } from '../character.js';
import { withMasses } from '../masses.js';
import { standingPose } from '../standing-pose.js';
import type { Cone } from './rounded-solid.js';
import { type Eye, type Piece, type Skin, SkinnedBody, skinOf } from './skinned-body.js';

/** Height of the human whose limits it has, m: with shorter limbs and a larger head it is 1.2 m tall. */
const GROWN = 1.22;
/** Factors of its lengths to those of the human; others are the same. */
const LEGS = 0.76;
const ARMS = 0.82;
const FACTORS: Readonly<Record<string, number>> = {
  UpperLeg: 1.2,
  LowerLeg: LEGS,
  Foot: LEGS,
  LowerArm: ARMS,
  Hand: ARMS,
  neck: 0.9,
  head: 0.75,
};

/** Of the tips of bones: where the next bone begins. */
const TIPS: Readonly<Record<string, number>> = {
  UpperLeg: LEGS,
  LowerLeg: LEGS,
  UpperArm: ARMS,
  LowerArm: ARMS,
  Hand: ARMS,
  upperChest: 0.9,
  neck: 0.75,
};

const COLORS = {
  skin: '#d9a07c',
  hair: '#5b3a26',
  jumper: '#e0913a',
  trousers: '#3f5f86',
  shoes: '#7d3f33',
} as const;

/** A rounded cone in the frame of a bone, in fractions of {@link GROWN}. */
type Shape = readonly [color: keyof typeof COLORS, from: Triple, to: Triple, radius: number, end?: number];

const MIDDLE: Readonly<Record<string, readonly Shape[]>> = {
  hips: [['trousers', [-0.036, 0.006, -0.002], [0.036, 0.006, -0.002], 0.062]],
  spine: [
    ['jumper', [-0.032, -0.012, 0.004], [0.032, -0.012, 0.004], 0.066],
    ['jumper', [-0.03, 0.05, 0.006], [0.03, 0.05, 0.006], 0.066],
  ],
  chest: [['jumper', [-0.034, 0.02, 0.002], [0.034, 0.02, 0.002], 0.062]],
  upperChest: [['jumper', [-0.042, 0.008, -0.002], [0.042, 0.008, -0.002], 0.052]],
  neck: [['skin', [0, -0.012, -0.004], [0, 0.03, 0], 0.032]],
  head: [
    ['skin', [0, 0.05, 0.012], [0, 0.1, 0.004], 0.084, 0.092],
    ['skin', [0, 0.058, 0.098], [0, 0.06, 0.1], 0.013],
    ['hair', [0, 0.112, -0.018], [0, 0.122, 0.004], 0.096, 0.09],
    ['hair', [0, 0.06, -0.032], [0, 0.09, -0.03], 0.078, 0.088],
  ],
};
/** Of the left; those of the right are mirror images. */
const LEFT: Readonly<Record<string, readonly Shape[]>> = {
  Shoulder: [['jumper', [0.04, 0, 0], [0.082, -0.008, 0], 0.042, 0.04]],
  UpperArm: [['jumper', [0, 0, 0], [0.13, 0, 0], 0.04, 0.035]],
  LowerArm: [['jumper', [0, 0, 0], [0.105, 0, 0], 0.035, 0.034]],
  Hand: [
    ['skin', [0.002, 0, 0], [0.05, -0.002, 0.002], 0.025, 0.026],
    ['skin', [0.012, -0.002, 0.02], [0.036, -0.006, 0.042], 0.013, 0.011],
  ],
  UpperLeg: [['trousers', [0, -0.006, 0], [0, -0.18, 0], 0.05, 0.038]],
  LowerLeg: [['trousers', [0, 0, 0], [0, -0.166, 0], 0.038, 0.034]],
  Foot: [
    ['shoes', [0.007, -0.002, -0.01], [0.007, -0.006, 0.06], 0.028, 0.025],
    ['shoes', [-0.007, -0.002, -0.01], [-0.007, -0.006, 0.06], 0.028, 0.025],
  ],
  Toes: [
    ['shoes', [0.01, 0.02, 0], [0.008, 0.019, 0.03], 0.025, 0.024],
    ['shoes', [-0.01, 0.02, 0], [-0.008, 0.019, 0.03], 0.025, 0.024],
  ],
};
/** Ears and eyes, in the frame of the head. */
const EAR: Shape = ['skin', [0.088, 0.066, 0], [0.092, 0.068, 0], 0.02];
const EYES: readonly Eye[] = [1, -1].map((side) => ({
  at: [side * 0.036 * GROWN, 0.078 * GROWN, 0.0915 * GROWN],
  size: [0.0125 * GROWN, 0.018 * GROWN, 0.008 * GROWN],
}));

/** How far joints are filled, and size of the cells of its mesh, m. */
const BLEND = 0.01;
const CELL = 0.013;

/** The figure of a child: that of a human with other lengths, without masses, which follow from its lengths as those of files do. */
export function childFigure(): Figure {
  const grown = createHumanFigure({ height: GROWN });
  const data = figureToData(grown);
  const factorOf = (name: string) => FACTORS[name.replace(/^(left|right)/, '')] ?? 1;
  const by = ([x, y, z]: Triple, factor: number): Triple => [factor * x, factor * y, factor * z];
  const legs = ['leftLowerLeg', 'leftFoot'].reduce(
    (sum, name) => sum + Math.abs(grown.bones[boneIndex(grown, name)].rest.position[1]),
    0,
  );
  return createFigure({
    ...data,
    name: 'child',
    bones: data.bones.map(({ mass: _, centerOfMass: __, inertia: ___, ...bone }) => {
      const [x, y, z] = bone.rest?.position ?? [0, 0, 0];
      const position: Triple =
        bone.name === 'hips' ? [x, y - (1 - LEGS) * legs, z] : by([x, y, z], factorOf(bone.name));
      return {
        ...bone,
        rest: { ...bone.rest, position },
        ...(bone.tip && { tip: by(bone.tip, TIPS[bone.name.replace(/^(left|right)/, '')] ?? 1) }),
      };
    }),
  });
}

/** A child in a jumper, with one skin. */
export function createChild(): Character {
  const figure = childFigure();
  const humanoid = findHumanoid(figure);
  const pieces = piecesOf(figure);
  let skin: Skin | undefined;
  return createCharacter({
    source: { type: 'made', name: 'child' },
    figure,
    humanoid,
    massive: humanoid && withMasses(figure, humanoid),
    floor: 0,
    top: Math.max(
      ...pieces.flatMap(({ cone: { from, to, radii } }) => [from[1] + radii[0], to[1] + radii[1]]),
    ),
    pose: standingPose(figure, GROWN),
    createModel: () => {
      skin ??= skinOf(figure, pieces, BLEND, CELL);
      return new SkinnedBody(figure, skin, EYES);
    },
    write: async ({ root }) => {
      const { writeObject } = await import('../write-object.js');
      return { name: 'child.glb', bytes: await writeObject(root) };
    },
  });
}

/** Its shapes at rest, m. */
function piecesOf(figure: Figure): Piece[] {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const pieces: Piece[] = [];
  for (const { index, name } of figure.bones) {
    const frame = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    const side = name.startsWith('right') ? -1 : 1;
    const place = (p: Triple, mirror = side): number[] =>
      Array.from(rigid.transformPoint(frame, [mirror * GROWN * p[0], GROWN * p[1], GROWN * p[2]]));
    const add = ([color, from, to, radius, end = radius]: Shape, mirror = side) => {
      const radii = [GROWN * radius, GROWN * end] as const;
      const cone: Cone = { from: place(from, mirror), to: place(to, mirror), radii };
      pieces.push({ bone: index, color: COLORS[color], cone });
    };
    for (const shape of MIDDLE[name] ?? LEFT[name.replace(/^(left|right)/, '')] ?? []) add(shape);
    if (name === 'head') for (const mirror of [1, -1]) add(EAR, mirror);
  }
  return pieces;
}
