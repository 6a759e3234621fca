import { expect, test } from 'vitest';
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../src/figure/index.js';
import { createHumanFigure, findHumanoid, type Humanoid, humanRestPose } from '../../src/humanoid/index.js';
import { quat } from '../../src/math/index.js';

const human = createHumanFigure();
const DEGREE = Math.PI / 180;

/** The human whose rest pose is a pose, with joints without limits. */
function restedIn(angles: Readonly<Record<string, number>>): Figure {
  const pose = new Float64Array(human.dof);
  for (const [name, angle] of Object.entries(angles)) {
    const [bone, k] = name.split('.');
    pose[(human.bones.find((each) => each.name === bone)?.coordinate ?? -1) + Number(k)] = angle * DEGREE;
  }
  const state = createState(human);
  forwardKinematics(state, pose);
  const rotation = (b: number): number[] =>
    b < 0 ? [0, 0, 0, 1] : quat.fromMatrix(state.worldFromBone.subarray(12 * b, 12 * b + 9));
  const data = figureToData(human);
  return createFigure({
    ...data,
    bones: data.bones.map(({ limit: _, ...bone }, b): BoneData => {
      const [x, y, z, w] = quat.multiply(quat.conjugate(rotation(human.parents[b])), rotation(b));
      return {
        ...bone,
        joint: { type: b === 0 ? 'free' : 'ball' },
        rest: { ...bone.rest, rotation: [x, y, z, w] },
      };
    }),
  });
}

const both = (bone: string, k: number, angle: number): Record<string, number> => ({
  [`left${bone}.${k}`]: angle,
  [`right${bone}.${k}`]: angle,
});

test.each([
  ['T', {}, 0],
  ['T', both('UpperArm', 1, -15), 15],
  ['A', both('UpperArm', 1, -45), 45],
  ['A', both('UpperArm', 1, -60), 60],
  ['other', both('UpperArm', 1, -85), 85],
  ['other', both('LowerArm', 0, 80), 0],
  ['other', both('UpperArm', 0, 70), undefined],
  ['other', both('UpperLeg', 0, 40), 0],
  ['other', { 'leftUpperArm.1': -60 }, 30],
] as const)('%s of %j', (kind, angles, degrees) => {
  const figure = restedIn(angles);
  const found = humanRestPose(figure, findHumanoid(figure) as Humanoid);
  expect(found.kind).toBe(kind);
  if (degrees !== undefined) expect(found.armAngle / DEGREE).toBeCloseTo(degrees, 0);
});
