import { createPose, createState, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { quat } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { parseAim, parseGoal, parseOrient, parsePin } from '../../src/goals/parse-goals.js';
import type { ResolvedGoal } from '../../src/goals/resolve-goals.js';
import { resolveGoals, type Tolerances } from '../../src/goals/resolve-goals.js';
import { boneNamesOf, findBone } from '../../src/io/bone-names.js';

const human = createHumanFigure();
const names = boneNamesOf({ figure: human });
// A start that is not rest, so that "from where it is now" says something.
const start = createPose(human);
start[findBoneCoordinate('hips') + 4] = 0.7;
start[findBoneCoordinate('leftLowerArm')] = 0.9;
const state = createState(human);
forwardKinematics(state, start);

function findBoneCoordinate(name: string): number {
  return human.bones[findBone(names, name, 'test')].coordinate;
}
const originOf = (name: string) => {
  const o = 12 * findBone(names, name, 'test') + 9;
  return Array.from(state.worldFromBone.subarray(o, o + 3));
};
const rotationOf = (name: string) => {
  const o = 12 * findBone(names, name, 'test');
  return quat.fromMatrix(state.worldFromBone.subarray(o, o + 9));
};
const goalsOf = (
  spec: Parameters<typeof resolveGoals>[2][number],
  tolerances?: Tolerances,
): ResolvedGoal['goal'][] => resolveGoals(names, start, [spec], tolerances).map(({ goal }) => goal);

describe('targets', () => {
  test('a position is unchanged', () => {
    expect(goalsOf(parseGoal('leftHand=1,2,3'))).toEqual([
      { type: 'position', bone: findBone(names, 'leftHand', ''), target: [1, 2, 3] },
    ]);
  });

  test('an offset is relative to the point in the starting pose, for a tip to the tip', () => {
    const [origin] = goalsOf(parseGoal('leftHand=+0.5,0,-1'));
    const [x, y, z] = originOf('leftHand');
    expect(origin.target).toEqual([x + 0.5, y, z - 1]);
    // The forearm's tip is where the hand begins.
    const [tip] = goalsOf(parseGoal('leftLowerArm.tip=+0,0,0'));
    (tip.target as number[]).forEach((value, k) => {
      expect(value).toBeCloseTo([x, y, z][k], 14);
    });
    expect(tip).toMatchObject({ point: human.bones[findBone(names, 'leftLowerArm', '')].tip });
  });

  test('another bone, or its tip, becomes a target on that bone', () => {
    const head = findBone(names, 'head', '');
    expect(goalsOf(parseGoal('leftHand=@head'))[0].target).toEqual({ bone: head });
    expect(goalsOf(parseGoal('leftHand=@head.tip'))[0].target).toEqual({
      bone: head,
      point: human.bones[head].tip,
    });
    expect(resolveGoals(names, start, [parseGoal('leftHand=@head')])[0].dependsOn.targetBone).toBe(head);
  });
});

describe('rotations', () => {
  test('a relative rotation is about world axes', () => {
    const quarterY = [0, Math.SQRT1_2, 0, Math.SQRT1_2];
    for (const text of ['leftHand=+0,90,0deg', `leftHand=+${quarterY}`, `leftHand=+0,${Math.PI / 2},0`]) {
      const [goal] = goalsOf(parseOrient(text));
      const expected = quat.multiply(quarterY, rotationOf('leftHand'));
      expect(quat.angleBetween(goal.target as number[], expected)).toBeLessThan(1e-7);
    }
  });

  test('without a plus it is the orientation itself', () => {
    const [goal] = goalsOf(parseOrient('leftHand=0,90,0deg'));
    expect(quat.angleBetween(goal.target as number[], [0, Math.SQRT1_2, 0, Math.SQRT1_2])).toBeLessThan(1e-7);
  });
});

describe('pins', () => {
  test('keep the origin; with :pose also the orientation; for a tip the tip', () => {
    expect(goalsOf(parsePin('leftHand'))).toEqual([
      { type: 'position', bone: findBone(names, 'leftHand', ''), target: originOf('leftHand') },
    ]);
    const [position, rotation] = goalsOf(parsePin('leftHand:pose'));
    expect([position.type, rotation.type]).toEqual(['position', 'orientation']);
    expect(quat.angleBetween(rotation.target as number[], rotationOf('leftHand'))).toBeLessThan(1e-7);
    const [tip] = goalsOf(parsePin('leftLowerArm.tip'));
    (tip.target as number[]).forEach((value, k) => {
      expect(value).toBeCloseTo(originOf('leftHand')[k], 14);
    });
  });
});

test('tolerances apply by unit', () => {
  const tolerances = { position: 0.01, angle: 0.2 };
  expect(goalsOf(parseGoal('head=0,1,2'), tolerances)[0].tolerance).toBe(0.01);
  expect(goalsOf(parseOrient('head=0,0,0,1'), tolerances)[0].tolerance).toBe(0.2);
  expect(goalsOf(parseAim('head:z=0,1,2'), tolerances)[0].tolerance).toBe(0.2);
  expect(goalsOf(parsePin('head:pose'), tolerances).map((goal) => goal.tolerance)).toEqual([0.01, 0.2]);
});

describe('names', () => {
  test('an exact name wins over .tip and :pose', () => {
    const odd = createHumanFigure({ name: 'odd' });
    const bones = odd.bones.map((bone) =>
      bone.name === 'leftHand'
        ? { ...bone, name: 'head.tip' }
        : bone.name === 'rightHand'
          ? { ...bone, name: 'head:pose' }
          : bone,
    );
    const figure = { ...odd, bones };
    const [tip] = resolveGoals(boneNamesOf({ figure }), start, [parseGoal('head.tip=0,1,2')]);
    expect(figure.bones[tip.dependsOn.bone].name).toBe('head.tip');
    expect(tip.dependsOn.usesRotation).toBe(false);
    const pins = resolveGoals(boneNamesOf({ figure }), start, [parsePin('head:pose')]);
    expect(pins.map(({ dependsOn }) => figure.bones[dependsOn.bone].name)).toEqual(['head:pose']);
  });

  test.each([
    [parseGoal('leftHnd=0,1,2'), "Did you mean 'leftHand'?"],
    [parseGoal('leftHnd.tip=0,1,2'), "Did you mean 'leftHand'?"],
    [parseGoal('leftHand=@haed'), "Did you mean 'head'?"],
    [parseOrient('LEFTHAND=0,0,0,1'), "Did you mean 'leftHand'?"],
    [parsePin('lftFoot:pose'), "Did you mean 'leftFoot'?"],
    [parseAim('qqqqqqqqqqqqqqqqqqqqqqq:z=0,1,2'), "'poise inspect' lists the bones."],
  ])('$text is unknown: $1', (spec, remedy) => {
    expect(() => resolveGoals(names, start, [spec])).toThrow(
      expect.objectContaining({ code: 'unknown-name', path: spec.text, remedy }),
    );
  });

  test('a bone without a tip is refused', () => {
    const figure = { ...human, bones: human.bones.map(({ tip: _, ...bone }) => bone) };
    expect(() => resolveGoals(boneNamesOf({ figure }), start, [parseGoal('head.tip=0,1,2')])).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
  });
});
