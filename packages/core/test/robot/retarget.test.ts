import { describe, expect, test } from 'vitest';
import {
  type BoneData,
  centerOfMass,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  limitViolation,
  worldPoint,
} from '../../src/figure/index.js';
import { quat } from '../../src/math/index.js';
import {
  createRobotRetargeter,
  type HumanFrame,
  type RobotRetargetConfig,
  resetRobotRetargeter,
  retargetToRobot,
} from '../../src/robot/index.js';
import { config, humanAt, random, robotFigure, stance } from './support.js';

type Rotation = [number, number, number, number];
type Point = [number, number, number];

/** The objective of the second table as GMR defines it, by the kinematics of figures. */
function objectiveOf(
  figure: Figure,
  { humanHeight, scales, groundHeight, first, second }: RobotRetargetConfig,
  human: HumanFrame,
  pose: Float64Array,
  height = humanHeight,
): number {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const names = ['Hips', 'LeftFoot', 'RightFoot', 'Hand'];
  const position = (k: number) => [0, 1, 2].map((n) => human.positions[3 * k + n]) as Point;
  return second.reduce((sum, { robot, human: name, positionWeight, rotationWeight }) => {
    const k = names.indexOf(name);
    const offset = first.find((entry) => entry.human === name);
    const ratio = height / humanHeight;
    const rotation = quat.multiply(
      [0, 1, 2, 3].map((n) => human.rotations[4 * k + n]) as Rotation,
      offset!.rotation,
    ) as Rotation;
    const [ox, oy, oz] = offset!.position;
    const moved = quat.rotate(rotation, [ox, oy, oz - groundHeight]);
    const root = position(0);
    const target = position(k).map(
      (x, n) => (x - root[n]) * scales.get(name)! * ratio + root[n] * scales.get('Hips')! * ratio + moved[n],
    );
    const bone = figure.bones.findIndex((each) => each.name === robot);
    const e = Math.hypot(...worldPoint(state, bone).map((x, n) => target[n] - x));
    const r = quat.angleBetween(
      rotation,
      quat.fromMatrix(state.worldFromBone.subarray(12 * bone, 12 * bone + 9)) as Rotation,
    );
    return sum + (positionWeight * e) ** 2 + (rotationWeight * r) ** 2;
  }, 0);
}

test('the objective is the one of GMR, with the height of the human', () => {
  const figure = robotFigure();
  const retargeter = createRobotRetargeter(figure, config, { humanHeight: 1.6 });
  expect(retargeter.humanBodies).toEqual(['Hips', 'LeftFoot', 'RightFoot', 'Hand']);
  const human = humanAt(stance, 0.1, random(7));
  const pose = new Float64Array(figure.dof);
  const { objective } = retargetToRobot(retargeter, human, pose);
  expect(objective).toBeCloseTo(objectiveOf(figure, config, human, pose, 1.6), 10);
  expect(objective).toBeGreaterThan(0);
});

describe('a minimum within the limits', () => {
  const figure = robotFigure();

  test.each(Array.from({ length: 20 }, (_, k) => k + 1))(
    'is left by no coordinate downhill, seed %i',
    (seed) => {
      const next = random(seed);
      const human = humanAt(stance, 0.3, next);
      const pose = new Float64Array(figure.dof);
      const { residual, atBound } = retargetToRobot(createRobotRetargeter(figure, config), human, pose);
      expect(residual).toBeLessThan(1e-6);
      expect(limitViolation(figure, pose)).toBe(0);
      const f = objectiveOf(figure, config, human, pose);
      const limits = new Map(
        figure.limitComponents.map(({ coordinate, parameters }) => [coordinate, parameters]),
      );
      let bounds = 0;
      for (let i = 0; i < figure.dof; i++) {
        if (figure.bones[figure.boneOfCoordinate[i]].name === 'finger') continue;
        const slopeAt = (h: number) => {
          const moved = Float64Array.from(pose);
          moved[i] += h;
          return objectiveOf(figure, config, human, moved);
        };
        const slope = (slopeAt(1e-5) - slopeAt(-1e-5)) / 2e-5;
        const [min, max] = limits.get(i) ?? [-Infinity, Infinity];
        if (pose[i] === min || pose[i] === max) bounds++;
        // f falls only to the outside.
        if (pose[i] === min) expect(slope).toBeGreaterThan(-1e-3 * f);
        else if (pose[i] === max) expect(slope).toBeLessThan(1e-3 * f);
        else expect(Math.abs(slope)).toBeLessThan(1e-3 * f);
      }
      expect(atBound).toBe(bounds);
    },
  );

  test('is the same from another start nearby, and a joint at its bound has neighbours that make up for it', () => {
    const human = humanAt(stance, 0.2, random(3));
    const [a, b] = [0, 0.05].map((start) => {
      const pose = new Float64Array(figure.dof).fill(start);
      return { pose, ...retargetToRobot(createRobotRetargeter(figure, config), human, pose) };
    });
    expect(a.atBound).toBeGreaterThan(0);
    expect(b.objective).toBeCloseTo(a.objective, 6);
    expect(a.pose[figure.dof - 1]).toBe(0);
    expect(b.pose[figure.dof - 1]).toBe(0.05);
  });
});

test('frames after the first start where the last ones lead, and a reset starts again', () => {
  const figure = robotFigure();
  const retargeter = createRobotRetargeter(figure, config);
  const frames = Array.from({ length: 30 }, (_, k) => {
    const { positions, rotations } = humanAt(stance, 0, random(1));
    return { positions: Float64Array.from(positions, (x, n) => x + 0.1 * Math.sin(0.1 * k + n)), rotations };
  });
  const run = () => {
    const pose = new Float64Array(figure.dof);
    return frames.map((human) => ({ ...retargetToRobot(retargeter, human, pose), pose: [...pose] }));
  };
  const results = run();
  const later = results.slice(5);
  expect(later.reduce((sum, { iterations }) => sum + iterations, 0) / later.length).toBeLessThan(4);
  for (const { residual } of results) expect(residual).toBeLessThan(1e-6);
  resetRobotRetargeter(retargeter);
  expect(run()).toEqual(results);
});

test('a speed limit holds between frames', () => {
  const figure = robotFigure();
  const frameTime = 1 / 30;
  const retargeter = createRobotRetargeter(figure, config, { speedLimit: 2, frameTime });
  const next = random(5);
  const pose = new Float64Array(figure.dof);
  let before: Float64Array | undefined;
  let fastest = 0;
  for (let k = 0; k < 20; k++) {
    expect(retargetToRobot(retargeter, humanAt(stance, 0.2, next), pose).residual).toBeLessThan(1e-6);
    for (let i = 6; before && i < figure.dof; i++)
      fastest = Math.max(fastest, Math.abs(pose[i] - before[i]) / frameTime);
    before = pose.slice();
  }
  expect(fastest).toBeGreaterThan(1.999);
  expect(fastest).toBeLessThan(2 + 1e-12);
});

describe('balance', () => {
  const figure = robotFigure();
  const corners = [
    [-0.05, 0.04, 0],
    [-0.05, -0.04, 0],
    [0.15, 0.04, 0],
    [0.15, -0.04, 0],
  ] as const;
  const feet = ['left foot', 'right foot'].map((bone) => ({ bone, points: corners }));
  // The hips far in front of the feet.
  const human = humanAt(
    stance.map(([x, y, z], k) => [k === 0 ? x + 0.35 : x, y, z]),
    0.02,
    random(2),
  );

  function excess(pose: Float64Array, standing: readonly boolean[]): number {
    const state = createState(figure);
    forwardKinematics(state, pose);
    const [cx, cy] = centerOfMass(state);
    const points = feet.flatMap(({ bone, points }, k) =>
      standing[k] ? points.map((p) => worldPoint(state, bone, p)) : [],
    );
    // The farthest that the centre is outside of the points, over directions.
    let largest = -Infinity;
    for (let a = 0; a < 2 * Math.PI; a += 1e-3) {
      const [x, y] = [Math.cos(a), Math.sin(a)];
      const reach = Math.max(...points.map((p) => x * p[0] + y * p[1]));
      largest = Math.max(largest, x * cx + y * cy - reach);
    }
    return largest;
  }

  test.each([
    ['both feet', [true, true]],
    ['one foot', [true, false]],
  ] as const)('as a constraint: the centre of mass is over %s, a margin inside', (_, standing) => {
    const plain = new Float64Array(figure.dof);
    retargetToRobot(createRobotRetargeter(figure, config), human, plain);
    expect(excess(plain, standing)).toBeGreaterThan(0.02);
    const pose = new Float64Array(figure.dof);
    const retargeter = createRobotRetargeter(figure, config, { balance: { feet, margin: 0.01 } });
    const { imbalance, residual } = retargetToRobot(retargeter, { ...human, standing }, pose);
    expect(imbalance).toBeLessThan(1e-5);
    expect(residual).toBeLessThan(1e-6);
    expect(excess(pose, standing)).toBeCloseTo(-0.01, 3);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  test('frame after frame: the minimum of each, in fewer steps than from anew', () => {
    const options = { balance: { feet, margin: 0.01 } };
    const retargeter = createRobotRetargeter(figure, config, options);
    const pose = new Float64Array(figure.dof);
    let [steps, stepsAnew] = [0, 0];
    for (let k = 0; k < 40; k++) {
      // The hips go forward and back, over the feet between.
      const x = 0.35 * Math.sin(0.1 * k);
      const moved = humanAt(
        stance.map(([a, b, c], body) => [body === 0 ? a + x : a, b, c]),
        0,
        random(2),
      );
      const frame = retargetToRobot(retargeter, { ...moved, standing: [true, true] }, pose);
      const anew = createRobotRetargeter(figure, config, options);
      const other = retargetToRobot(anew, { ...moved, standing: [true, true] }, pose.slice());
      expect(frame.imbalance).toBeLessThan(1e-5);
      expect(frame.residual).toBeLessThan(1e-6);
      expect(frame.objective).toBeLessThan(1.001 * other.objective);
      steps += frame.iterations;
      stepsAnew += other.iterations;
    }
    expect(steps).toBeLessThan(0.4 * stepsAnew);
  });

  test('as a goal: nearer with a larger weight', () => {
    const reached = [10, 100, 1000].map((weight) => {
      const pose = new Float64Array(figure.dof);
      const retargeter = createRobotRetargeter(figure, config, { balance: { feet, weight } });
      return retargetToRobot(retargeter, { ...human, standing: [true, true] }, pose).imbalance;
    });
    expect(reached[1]).toBeLessThan(reached[0]);
    expect(reached[2]).toBeLessThan(reached[1]);
  });

  test('in flight the centre of mass is free, and bound again after it', () => {
    const heights = [0, 0, 0.3, 0.35, 0.3, 0, 0];
    const run = (options: object) => {
      const retargeter = createRobotRetargeter(figure, config, options);
      const pose = new Float64Array(figure.dof);
      return heights.map((height) => {
        const raised = Float64Array.from(human.positions, (x, i) => (i % 3 === 2 ? x + height : x));
        return retargetToRobot(retargeter, { ...human, positions: raised }, pose);
      });
    };
    const free = run({}).map(({ objective }) => objective);
    const frames = run({ balance: { feet } });
    frames.forEach(({ objective, imbalance, residual }, f) => {
      expect(residual).toBeLessThan(1e-6);
      expect(imbalance).toBeLessThan(1e-5);
      if (heights[f] > 0) expect(objective).toBeCloseTo(free[f], 5);
      else expect(objective).toBeGreaterThan(1.1 * free[f]);
    });
    // Where the ground rises there is no flight.
    run({ balance: { feet, flight: Number.POSITIVE_INFINITY } }).forEach(({ objective }, f) => {
      expect(objective).toBeGreaterThan(1.1 * free[f]);
    });
  });

  test('no foot on the ground: nothing to balance on', () => {
    const run = (options: object) => {
      const pose = new Float64Array(figure.dof);
      retargetToRobot(
        createRobotRetargeter(figure, config, options),
        { ...human, standing: [false, false] },
        pose,
      );
      return pose;
    };
    expect(run({ balance: { feet } })).toEqual(run({}));
  });
});

test('feet brought to the ground, and the ground moved', () => {
  const figure = robotFigure();
  const human = humanAt(stance, 0.02, random(4));
  const heights = [{}, { groundOffset: 0.25 }, { toGround: true }].map((options) => {
    const retargeter = createRobotRetargeter(figure, config, options);
    retargetToRobot(retargeter, human, new Float64Array(figure.dof));
    return [0, 1, 2, 3].map((k) => retargeter.state.targets.positions[3 * k + 2]);
  });
  expect(heights[1]).toEqual(heights[0].map((z) => expect.closeTo(z - 0.25, 12)));
  expect(Math.min(heights[2][1], heights[2][2])).toBeCloseTo(0.1, 12);
  expect(heights[2][0] - heights[2][3]).toBeCloseTo(heights[0][0] - heights[0][3], 12);
});

describe('what cannot be', () => {
  const figure = robotFigure();
  const human = humanAt(stance, 0, random(1));
  test.each([
    [
      'a bone that is not there',
      () => createRobotRetargeter(figure, { ...config, second: [{ ...config.second[0], robot: 'pelvi' }] }),
      'unknown-name',
      /pelvis/,
    ],
    [
      'a body without a scale',
      () => createRobotRetargeter(figure, { ...config, scales: new Map() }),
      'unknown-name',
      /LeftFoot/,
    ],
    [
      'no entry',
      () => createRobotRetargeter(figure, { ...config, first: [], second: [] }),
      'unsupported',
      /weight/,
    ],
    [
      'a speed limit without time',
      () => createRobotRetargeter(figure, config, { speedLimit: 3 }),
      'unsupported',
      /frameTime/,
    ],
    [
      'a foot that is not there',
      () => createRobotRetargeter(figure, config, { balance: { feet: [{ bone: 'toe', points: [] }] } }),
      'unknown-name',
      /toe/,
    ],
    [
      'a flight of no height',
      () => createRobotRetargeter(figure, config, { balance: { feet: [], flight: 0 } }),
      'out-of-range',
      /flight/,
    ],
    [
      'too few numbers',
      () =>
        retargetToRobot(
          createRobotRetargeter(figure, config),
          { ...human, positions: [1] },
          new Float64Array(figure.dof),
        ),
      'wrong-size',
      /positions/,
    ],
    [
      'no number',
      () =>
        retargetToRobot(
          createRobotRetargeter(figure, config),
          { ...human, rotations: Array.from(human.rotations, () => Number.NaN) },
          new Float64Array(figure.dof),
        ),
      'not-finite',
      /rotations/,
    ],
  ])('%s', (_, act, code, message) => {
    expect(act).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  test('a ball above a bone that follows', () => {
    const { bones, ...data } = figureToData(figure);
    const ball = createFigure({
      ...data,
      bones: bones.map((bone): BoneData => {
        const { limit: _limit, ...others } = bone;
        return bone.name === 'waist' ? { ...others, joint: { type: 'ball' } } : bone;
      }),
    });
    expect(() => createRobotRetargeter(ball, config)).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
  });
});
