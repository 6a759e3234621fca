import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../src/dynamics/index.js';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  limitViolation,
} from '../../src/figure/index.js';
import {
  createHumanFigure,
  findHumanoid,
  humanGaze,
  withAnatomicalLimits,
} from '../../src/humanoid/index.js';
import { createIk, solveIk } from '../../src/ik/index.js';
import { plainHuman, rotatedFrames } from '../dynamics/ragdoll/support.js';
import { testRandom } from '../support/random-figure.js';
import { inRotatedWorld, Z_UP_FROM_Y_UP } from '../support/rotated-world.js';

const boneOf = (figure: Figure, name: string): Figure['bones'][number] =>
  figure.bones.find((bone) => bone.name === name) ?? expect.fail(`no ${name}`);

/** Angle by which a knee bends backwards: the shank forward of the thigh's line, rad. */
function hyperextension(figure: Figure, pose: Float64Array, side: string): number {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const at = (name: string): Float64Array => {
    const { index } = boneOf(figure, `${side}${name}`);
    return state.worldFromBone.subarray(12 * index + 9, 12 * index + 12);
  };
  // Axes of the thigh, of a figure whose rest axes are the world's: +Z ahead.
  const { index } = boneOf(figure, `${side}UpperLeg`);
  const m = state.worldFromBone.subarray(12 * index, 12 * index + 9);
  const [knee, foot] = [at('LowerLeg'), at('Foot')];
  const v = [0, 1, 2].map((k) => foot[k] - knee[k]);
  const ahead = m[2] * v[0] + m[5] * v[1] + m[8] * v[2];
  const down = -(m[1] * v[0] + m[4] * v[1] + m[7] * v[2]);
  return Math.atan2(ahead, down);
}

describe('anatomical limits', () => {
  test('of the human as a file has it are those of the built-in human, the hips as given', () => {
    const human = createHumanFigure();
    const figure = withAnatomicalLimits(plainHuman());
    expect(figure.bones.map(({ name }) => name)).toEqual(human.bones.map(({ name }) => name));
    for (const { name, joint, limit } of human.bones) {
      if (name.endsWith('Hand')) continue;
      const bone = boneOf(figure, name);
      expect(bone.joint.type).toBe(joint.type);
      expect(bone.limit?.type).toBe(limit?.type);
    }
    expect(figure.dof).toBe(human.dof);
    expect(boneOf(figure, 'hips')).toMatchObject({ joint: { type: 'free' } });
    // Those of a ragdoll are the same.
    const ragdoll = createRagdoll(plainHuman(), { joints: 'anatomical' }).figure;
    for (const { name, limit } of figure.bones) {
      const [ours, theirs] = [limit, boneOf(ragdoll, name).limit].map((each) =>
        (JSON.stringify(each ?? null).match(/-?[0-9][-+.e0-9]*/g) ?? []).map(Number),
      );
      expect(ours.length, name).toBe(theirs.length);
      ours.forEach((x, k) => {
        expect(x).toBeCloseTo(theirs[k], 9);
      });
    }
  });

  test('a human that has them is unchanged', () => {
    const human = createHumanFigure();
    expect(figureToData(withAnatomicalLimits(human))).toEqual(figureToData(human));
    const limited = createFigure({
      ...figureToData(plainHuman()),
      bones: figureToData(plainHuman()).bones.map((bone) =>
        bone.name === 'leftLowerLeg' ? { ...bone, limit: { type: 'angle', max: 0.5 } } : bone,
      ),
    });
    expect(boneOf(withAnatomicalLimits(limited), 'leftLowerLeg')).toMatchObject({
      joint: { type: 'ball' },
      limit: { type: 'angle', max: 0.5 },
    });
  });

  test('rest is within all limits, for any bone axes and any up', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const figure = withAnatomicalLimits(
          inRotatedWorld(rotatedFrames(plainHuman(), testRandom(seed)), Z_UP_FROM_Y_UP),
        );
        expect(limitViolation(figure, new Float64Array(figure.dof))).toBe(0);
        expect(boneOf(figure, 'leftLowerLeg').joint.type).toBe('hinge');
      }),
      { numRuns: 20 },
    );
  });

  test('no solve leaves them: knees that bend backwards without them do not any more', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = testRandom(seed);
        const figure = withAnatomicalLimits(plainHuman());
        const side = random() < 0.5 ? 'left' : 'right';
        const target = [
          (side === 'left' ? 0.1 : -0.1) + 0.4 * (random() - 0.5),
          0.1 + 0.9 * random(),
          1.2 * (random() - 0.5),
        ];
        const pose = new Float64Array(figure.dof);
        const ik = createIk(figure, [{ type: 'position', bone: `${side}Foot`, target }], {
          locked: ['hips'],
          restarts: 4,
        });
        solveIk(ik, pose);
        expect(limitViolation(figure, pose)).toBe(0);
        expect(hyperextension(figure, pose, side)).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test('without them a knee does bend backwards', () => {
    const figure = plainHuman();
    const pose = new Float64Array(figure.dof);
    const goal = { type: 'position', bone: 'leftFoot', target: [0.1, 0.5, 0.3] } as const;
    solveIk(createIk(figure, [goal], { locked: ['hips'], restarts: 0 }), pose);
    expect(hyperextension(figure, pose, 'left')).toBeGreaterThan(0.5);
  });

  test('bones that the human lacks: fixed between human bones, at most 60 degrees below them, as given above', () => {
    const { bones } = figureToData(plainHuman());
    const figure = withAnatomicalLimits(
      createFigure({
        name: 'rig',
        bones: [
          { name: 'root', joint: { type: 'free' } },
          ...bones.map((bone) => {
            if (bone.name === 'hips') return { ...bone, parent: 'root', joint: { type: 'ball' } as const };
            if (bone.name === 'leftLowerArm') return { ...bone, parent: 'twist' };
            return bone;
          }),
          { name: 'twist', parent: 'leftUpperArm', joint: { type: 'ball' } },
          { name: 'finger', parent: 'leftHand', rest: { position: [0.1, 0, 0] }, joint: { type: 'ball' } },
          { name: 'cloak', parent: 'root', joint: { type: 'ball' } },
        ],
      }),
    );
    expect(boneOf(figure, 'twist').joint.type).toBe('fixed');
    expect(boneOf(figure, 'finger').limit).toEqual({ type: 'angle', max: Math.PI / 3 });
    expect(boneOf(figure, 'hips')).toMatchObject({ joint: { type: 'ball' } });
    for (const name of ['hips', 'cloak', 'root']) expect(boneOf(figure, name).limit).toBeUndefined();
    expect(boneOf(figure, 'leftLowerArm').joint.type).toBe('hinge');
  });

  test('bones may be named, and what is no humanoid is refused with the cure', () => {
    const box = createFigure({ name: 'box', bones: [{ name: 'lid', joint: { type: 'ball' } }] });
    expect(() => withAnatomicalLimits(box)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        path: 'figure box',
        remedy: expect.stringContaining('options.bones'),
      }),
    );
    // Lying on its back, as at the end of a clip of a fall.
    const {
      bones: [hips, ...others],
      ...rest
    } = figureToData(plainHuman());
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;
    const lying = createFigure({
      ...rest,
      bones: [{ ...hips, rest: { ...hips.rest, rotation } }, ...others],
    });
    for (const make of [withAnatomicalLimits, humanGaze]) {
      expect(() => make(lying)).toThrow(
        'has the bones of a human, but its trunk is not upright in this pose, which becomes the rest pose. ' +
          'Make the figure before an animation plays (skeleton.pose() restores the bind pose). If it is at rest: Name',
      );
      expect(() => make(lying, { up: [0, 0, -1] })).not.toThrow();
    }
    const human = plainHuman();
    const { bones = {} } = findHumanoid(human) ?? {};
    expect(figureToData(withAnatomicalLimits(human, { bones }))).toEqual(
      figureToData(withAnatomicalLimits(human)),
    );
    expect(() => withAnatomicalLimits(human, { bone: {} } as never)).toThrow(/options\.bone/);
  });
});
