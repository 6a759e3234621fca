import {
  boneIndex,
  clampToLimits,
  createFigure,
  createPose,
  type Figure,
  type JointData,
  type LimitData,
  limitViolation,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createFabrik, type FabrikOptions, figurePoints, type PositionGoal, solveFabrik } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { stationarityOf } from '../../support/objective.js';
import { randomPose, randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';
import { gap, positionByThree, positionsOf, randomTree } from './support.js';

/** A chain of links of length 1 along +Y, all with one joint and limit. */
function chain(
  count: number,
  joint: JointData = { type: 'ball' },
  limit?: LimitData,
  lengths?: number[],
): Figure {
  const length = (k: number): number => lengths?.[k] ?? 1;
  return createFigure({
    bones: Array.from({ length: count }, (_, k) => ({
      name: `link${k}`,
      parent: k === 0 ? null : `link${k - 1}`,
      rest: { position: [0, k === 0 ? 0 : length(k - 1), 0] as const },
      joint,
      ...(limit === undefined ? {} : { limit }),
      tip: [0, length(k), 0] as const,
    })),
  });
}

const tipGoal = (figure: Figure, target: PositionGoal['target'], more: object = {}): PositionGoal => {
  const last = figure.bones[figure.bones.length - 1];
  return { type: 'position', bone: last.index, point: last.tip ?? [0, 0, 0], target, ...more };
};

describe('two bones, law of cosines', () => {
  it('ends at the target with the elbow at its angle, anywhere within reach', () => {
    const random = testRandom(1);
    for (let n = 0; n < 200; n++) {
      const lengths = [0.2 + random(), 0.2 + random()];
      const figure = chain(2, { type: 'ball' }, undefined, lengths);
      const [min, max] = [Math.abs(lengths[0] - lengths[1]), lengths[0] + lengths[1]];
      const distance = min + (max - min) * (0.02 + 0.96 * random());
      const direction = randomTriple(random);
      const size = Math.hypot(...direction);
      const target = direction.map((x) => (distance * x) / size);
      const pose = randomPose(figure, random, 1);
      const result = solveFabrik(createFabrik(figure, [tipGoal(figure, target, { tolerance: 1e-10 })]), pose);
      expect(result.status).toBe('converged');
      const [elbow] = [positionsOf(figure, pose, [{ bone: 'link1' }])];
      const cosine = (lengths[0] ** 2 + lengths[1] ** 2 - distance ** 2) / (2 * lengths[0] * lengths[1]);
      const a = elbow.map((x) => -x);
      const b = target.map((x, k) => x - elbow[k]);
      const dot = a.reduce((sum, x, k) => sum + x * b[k], 0);
      expect(dot / (lengths[0] * lengths[1])).toBeCloseTo(cosine, 8);
      expect(
        gap(positionByThree(figure, pose, { bone: 'link1', point: [0, lengths[1], 0] }), target),
      ).toBeLessThan(2e-10);
    }
  });
});

describe('targets out of reach, no limits', () => {
  it('are solved in one step, straight towards the target, and proved nearest', () => {
    const random = testRandom(2);
    for (let n = 0; n < 50; n++) {
      const figure = chain(2 + Math.floor(10 * random()), { type: 'ball' });
      const count = figure.bones.length;
      const direction = randomTriple(random);
      const size = Math.hypot(...direction);
      const target = direction.map((x) => ((count + 0.1 + 5 * random()) * x) / size);
      const goals = [tipGoal(figure, target)];
      const pose = randomPose(figure, random, 1);
      const result = solveFabrik(createFabrik(figure, goals), pose);
      expect(result.status).toBe('out-of-reach');
      expect(result.iterations).toBe(1);
      expect(result.residuals[0].value).toBeCloseTo(Math.hypot(...target) - count, 11);
      expect(stationarityOf(figure, goals, pose, result.lengthScale)).toBeLessThan(1e-8);
    }
  });

  it('too near: the longest link at the target, the others back', () => {
    const figure = chain(3, { type: 'ball' }, undefined, [0.3, 2, 0.4]);
    for (const target of [
      [0.5, 0, 0],
      [0, 0, -1.2],
      [0, 0, 0],
    ]) {
      const goals = [tipGoal(figure, target)];
      const pose = createPose(figure);
      const result = solveFabrik(createFabrik(figure, goals), pose);
      expect(result.residuals[0].value).toBeCloseTo(1.3 - Math.hypot(...target), 11);
      expect(result.iterations).toBe(1);
      expect(result.status).toBe('out-of-reach');
    }
  });
});

describe('straight chains', () => {
  it('do not stagnate with the target on their own axis: inside, at the base, behind', () => {
    for (const count of [2, 3, 10, 30]) {
      for (const joint of [{ type: 'ball' }, { type: 'swing', axis: [0, 1, 0] }] as const) {
        const figure = chain(count, joint);
        for (const y of [0.99, 0.5, 0.01, 0, -0.01, -0.5, -0.99].map((share) => share * count)) {
          const pose = createPose(figure);
          const result = solveFabrik(createFabrik(figure, [tipGoal(figure, [0, y, 0])]), pose);
          expect(result.status, `${joint.type} ${count} ${y}`).toBe('converged');
        }
      }
    }
  });

  it('of the human arm, inside reach and behind the shoulder, within its limits', () => {
    const figure = createHumanFigure({ height: 1.75 });
    const hand = positionsOf(figure, createPose(figure), [{ bone: 'leftHand' }]);
    const trunk = ['hips', 'spine', 'chest', 'upperChest'];
    for (const [x, locked] of [
      [hand[0] - 0.01, trunk],
      [hand[0] - 0.2, trunk],
      [-0.25, ['hips']],
    ] as const) {
      const pose = createPose(figure);
      const goal: PositionGoal = { type: 'position', bone: 'leftHand', target: [x, hand[1], hand[2]] };
      expect(solveFabrik(createFabrik(figure, [goal], { locked }), pose).status).toBe('converged');
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });
});

describe('limits applied during the passes', () => {
  it('three links with swing up to 45 degrees end limit-blocked at 0.54338 from (1, 1.5, 0.5), proved', () => {
    const figure = chain(3, { type: 'swing', axis: [0, 1, 0] }, { type: 'cone', halfAngle: Math.PI / 4 });
    const goals = [tipGoal(figure, [1, 1.5, 0.5])];
    const pose = createPose(figure);
    const result = solveFabrik(createFabrik(figure, goals), pose);
    expect(result.residuals[0].value).toBeCloseTo(1 + Math.SQRT2 - Math.sqrt(3.5), 6);
    expect(result.status).toBe('limit-blocked');
    expect(result.activeLimits.length).toBeGreaterThan(0);
    expect(result.activeLimits.every(({ multiplier }) => multiplier > 0)).toBe(true);
    expect(stationarityOf(figure, goals, pose, result.lengthScale)).toBeLessThan(1e-8);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  // A peer's FABRIK with swing <= 30 degrees misses 41 of 300 reachable targets.
  const deg = Math.PI / 180;
  const kinds: readonly (readonly [string, JointData, LimitData])[] = [
    ['cone 30 degrees', { type: 'swing', axis: [0, 1, 0] }, { type: 'cone', halfAngle: 30 * deg }],
    ['angle 30 degrees', { type: 'ball' }, { type: 'angle', max: 30 * deg }],
    [
      'ellipse 30/15 and twist',
      { type: 'ball-and-socket', axis: [0, 1, 0] },
      {
        type: 'swing-twist',
        swing: { type: 'ellipse', halfAngles: [30 * deg, 15 * deg] },
        twist: { min: -30 * deg, max: 30 * deg },
      },
    ],
    [
      'quad-ellipse',
      { type: 'swing', axis: [0, 1, 0] },
      { type: 'quad-ellipse', s: [-10 * deg, 60 * deg], t: [-40 * deg, 20 * deg] },
    ],
  ];
  for (const [name, joint, limit] of kinds) {
    it(`${name}: reaches 300 of 300 reachable targets, chains of 4 to 8`, () => {
      const random = testRandom(2026);
      let missed = 0;
      for (let n = 0; n < 300; n++) {
        const figure = chain(4 + (n % 5), joint, limit);
        const given = randomPose(figure, random, 0.6);
        clampToLimits(figure, given);
        const { tip } = figure.bones[0];
        const last = `link${figure.bones.length - 1}`;
        const target = positionsOf(figure, given, [{ bone: last, point: tip as readonly number[] }]);
        const pose = createPose(figure);
        const result = solveFabrik(
          createFabrik(figure, [tipGoal(figure, target, { tolerance: 1e-3 })]),
          pose,
        );
        if (result.status !== 'converged') missed++;
        expect(limitViolation(figure, pose)).toBe(0);
      }
      expect(missed).toBe(0);
    });
  }

  it('hinges: the built-in leg meets reachable targets with the knee forward', () => {
    const figure = createHumanFigure();
    const random = testRandom(4);
    const knee = figure.bones[boneIndex(figure, 'leftLowerLeg')].coordinate;
    for (let n = 0; n < 100; n++) {
      const given = randomPose(figure, random, 1);
      given.fill(0, 0, 6);
      given[knee] = 0.1 + 2 * random();
      clampToLimits(figure, given);
      const target = positionsOf(figure, given, [{ bone: 'leftFoot' }]);
      const pose = createPose(figure);
      const fabrik = createFabrik(figure, [{ type: 'position', bone: 'leftFoot', target }], {
        locked: ['hips'],
      });
      expect(solveFabrik(fabrik, pose).status).toBe('converged');
      expect(pose[knee]).toBeGreaterThanOrEqual(0);
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });
});

describe('in world coordinates or in any bone basis', () => {
  const run = (
    figure: Figure,
    goals: PositionGoal[],
    start: Float64Array,
    options: FabrikOptions,
  ): Float64Array => {
    const pose = start.slice();
    solveFabrik(createFabrik(figure, goals, options), pose);
    return pose;
  };

  it('gives the same pose to rounding: random trees, random frames, limits', () => {
    const random = testRandom(70);
    let compared = 0;
    for (let n = 0; n < 40; n++) {
      const limited = n % 2 === 1;
      const figure = limited
        ? chain(
            5,
            { type: 'ball-and-socket', axis: [0, 1, 0] },
            { type: 'swing-twist', swing: { type: 'ellipse', halfAngles: [0.8, 0.5] } },
          )
        : randomTree(random, 6, () => ({ type: 'ball' }));
      const given = randomPose(figure, random, limited ? 0.3 : 0.8);
      clampToLimits(figure, given);
      const bone = figure.bones.length - 1;
      const target = positionsOf(figure, given, [{ bone, point: [0, 0.5, 0] }]);
      const goals: PositionGoal[] = [{ type: 'position', bone, point: [0, 0.5, 0], target }];
      const start = randomPose(figure, random, 0.2);
      clampToLimits(figure, start);
      const world = run(figure, goals, start, {});
      for (const { index } of figure.bones) {
        compared++;
        expect(gap(run(figure, goals, start, { basis: index }), world)).toBeLessThan(1e-9);
      }
    }
    expect(compared).toBeGreaterThan(200);
  });

  it('also for a straight chain with its target on its axis, or out of reach', () => {
    const random = testRandom(71);
    for (const [target, joint] of [
      [[0, 2.2, 0], { type: 'ball' }],
      [[0, -1, 0], { type: 'ball' }],
      [[0, 0, 0], { type: 'swing', axis: [0, 1, 0] }],
      [[3, 9, 1], { type: 'ball' }],
    ] as const) {
      const straight = chain(4, joint);
      const rotation = randomQuat(random);
      const figure = createFigure({
        bones: straight.bones.map(({ name, parent, rest, joint: own, tip }) => ({
          name,
          parent: parent < 0 ? null : straight.bones[parent].name,
          rest: parent < 0 ? { position: randomTriple(random), rotation } : rest,
          joint: own,
          tip: tip as readonly [number, number, number],
        })),
      });
      const base = figure.bones[0].rest.position;
      const goals = [
        tipGoal(
          figure,
          target.map((x, k) => x + base[k]),
        ),
      ];
      const start = createPose(figure);
      const world = run(figure, goals, start, {});
      for (const basis of ['link0', 'link2', 'link3']) {
        expect(gap(run(figure, goals, start, { basis }), world)).toBeLessThan(1e-9);
      }
    }
  });
});

describe('several ends', () => {
  it('a body with both hands, a foot and the head, within limits, hips free', () => {
    const figure = createHumanFigure();
    const random = testRandom(9);
    const ends = ['leftHand', 'rightHand', 'leftFoot', 'head'];
    let reached = 0;
    for (let n = 0; n < 40; n++) {
      const given = randomPose(figure, random, 0.5);
      clampToLimits(figure, given);
      const targets = positionsOf(
        figure,
        given,
        ends.map((bone) => ({ bone })),
      );
      const goals = ends.map(
        (bone, e): PositionGoal => ({
          type: 'position',
          bone,
          target: targets.slice(3 * e, 3 * e + 3),
          tolerance: 1e-3,
        }),
      );
      const pose = createPose(figure);
      if (solveFabrik(createFabrik(figure, goals), pose).status === 'converged') reached++;
      expect(limitViolation(figure, pose)).toBe(0);
    }
    expect(reached).toBe(40);
  });

  it('targets that cannot both be met are shared by weight', () => {
    // Two goals on one point: f is least at their weighted mean.
    const figure = chain(3, { type: 'ball' });
    const goals = [tipGoal(figure, [1, 1, 0], { weight: 3 }), tipGoal(figure, [1, 2, 0], { weight: 1 })];
    const pose = randomPose(figure, testRandom(3), 0.3);
    const result = solveFabrik(createFabrik(figure, goals, { restarts: 0 }), pose);
    expect(gap(positionsOf(figure, pose, [{ bone: 'link2', point: [0, 1, 0] }]), [1, 1.25, 0])).toBeLessThan(
      1e-6,
    );
    expect(result.status).not.toBe('converged');
  });

  it('a goal of weight 0 is disabled, and weights are read at each solve', () => {
    const figure = chain(3, { type: 'ball' });
    const goals = [tipGoal(figure, [1, 1, 0]), tipGoal(figure, [-1, 1, 0])];
    goals[1].weight = 0;
    const fabrik = createFabrik(figure, goals);
    const pose = randomPose(figure, testRandom(3), 0.3);
    expect(solveFabrik(fabrik, pose).status).toBe('converged');
    goals[0].weight = 0;
    goals[1].weight = 2;
    const result = solveFabrik(fabrik, pose);
    expect(result.status).toBe('converged');
    expect(result.residuals.map(({ satisfied }) => satisfied)).toEqual([false, true]);
  });
});

describe('the root', () => {
  const bones = (root: JointData) =>
    createFigure({
      bones: [
        { name: 'root', joint: root, tip: [0, 1, 0] },
        {
          name: 'arm',
          parent: 'root',
          rest: { position: [0, 1, 0] },
          joint: { type: 'ball' },
          tip: [0, 1, 0],
        },
      ],
    });
  const far = (figure: Figure): PositionGoal[] => [tipGoal(figure, [5, 3, 1])];

  it('translates to the target if free, and stays if fixed', () => {
    const figure = bones({ type: 'free' });
    const pose = createPose(figure);
    expect(solveFabrik(createFabrik(figure, far(figure)), pose).status).toBe('converged');
    const rooted = createPose(figure);
    const result = solveFabrik(createFabrik(figure, far(figure), { root: 'fixed' }), rooted);
    expect(Array.from(rooted.subarray(0, 3))).toEqual([0, 0, 0]);
    expect(result.residuals[0].value).toBeCloseTo(Math.sqrt(35) - 2, 6);
    expect(result.status).toBe('out-of-reach');
  });

  it('if locked, does not rotate either', () => {
    const figure = bones({ type: 'free' });
    const pose = createPose(figure);
    const result = solveFabrik(createFabrik(figure, far(figure), { locked: ['root'] }), pose);
    expect(Array.from(pose.subarray(0, 6))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(result.residuals[0].value).toBeCloseTo(Math.hypot(5, 2, 1) - 1, 9);
  });
});

describe('a slider below a locked root', () => {
  it('is not a root: root `fixed` does not lock it', () => {
    const figure = createFigure({
      bones: [
        { name: 'base', joint: { type: 'ball' } },
        { name: 'rail', parent: 'base', joint: { type: 'slider', axis: [1, 0, 0] } },
      ],
    });
    const goal: PositionGoal = { type: 'position', bone: 'rail', target: [0.7, 0, 0] };
    const pose = createPose(figure);
    const fabrik = createFabrik(figure, [goal], { locked: ['base'], root: 'fixed' });
    expect(solveFabrik(fabrik, pose).status).toBe('converged');
    expect(pose[3]).toBeCloseTo(0.7, 12);
  });
});

describe('closed loops', () => {
  it('a ring of six links closes while a link is dragged', () => {
    const figure = chain(6, { type: 'ball' });
    const goals: PositionGoal[] = [
      { type: 'position', bone: 'link5', point: [0, 1, 0], target: { bone: 'link0' }, tolerance: 1e-6 },
      { type: 'position', bone: 'link3', target: [0.5, 1.2, 0.3], tolerance: 1e-6 },
    ];
    const pose = randomPose(figure, testRandom(11), 0.8);
    const result = solveFabrik(createFabrik(figure, goals), pose);
    expect(result.status).toBe('converged');
    expect(gap(positionsOf(figure, pose, [{ bone: 'link5', point: [0, 1, 0] }]), [0, 0, 0])).toBeLessThan(
      1e-6,
    );
  });

  it('the left hand meets the right hand at a target, within the limits of both arms', () => {
    const figure = createHumanFigure();
    const goals: PositionGoal[] = [
      { type: 'position', bone: 'leftHand', target: { bone: 'rightHand', point: [0, 0.05, 0] } },
      { type: 'position', bone: 'rightHand', target: [0.05, 1.25, 0.35] },
    ];
    const pose = createPose(figure);
    const result = solveFabrik(createFabrik(figure, goals, { locked: ['hips'] }), pose);
    expect(result.status).toBe('converged');
    expect(limitViolation(figure, pose)).toBe(0);
    const [a, b] = ['leftHand', 'rightHand'].map((bone) =>
      positionsOf(figure, pose, [{ bone, point: bone === 'rightHand' ? [0, 0.05, 0] : [0, 0, 0] }]),
    );
    expect(gap(a, b)).toBeLessThan(1.01e-4);
  });
});

describe('immovable ends, scale, and iteration limits', () => {
  it('a goal on an immovable bone is met by the bone of its target', () => {
    const figure = createFigure({
      bones: [
        { name: 'wall' },
        ...chain(3).bones.map(({ name, rest, joint, tip }, k) => ({
          name,
          parent: k === 0 ? 'wall' : `link${k - 1}`,
          rest,
          joint,
          tip: tip as readonly [number, number, number],
        })),
      ],
    });
    const goal: PositionGoal = {
      type: 'position',
      bone: 'wall',
      point: [1, 1.5, 0.5],
      target: { bone: 'link2', point: [0, 1, 0] },
    };
    const pose = createPose(figure);
    expect(solveFabrik(createFabrik(figure, [goal]), pose).status).toBe('converged');
    expect(gap(positionsOf(figure, pose, [{ bone: 'link2', point: [0, 1, 0] }]), [1, 1.5, 0.5])).toBeLessThan(
      1e-4,
    );
  });

  it('a figure of a millimetre and one of a kilometre take the same number of passes', () => {
    const runs = [1e-3, 1, 1e3].map((size) => {
      const figure = chain(4, { type: 'ball' }, { type: 'angle', max: 1 }, [size, size, size, size]);
      const pose = createPose(figure);
      const target = [1.2 * size, 2.1 * size, -0.7 * size];
      const result = solveFabrik(
        createFabrik(figure, [tipGoal(figure, target, { tolerance: 1e-6 * size })]),
        pose,
      );
      expect(result.status).toBe('converged');
      return { iterations: result.iterations, pose };
    });
    for (const run of runs) {
      expect(run.iterations).toBe(runs[1].iterations);
      expect(gap(run.pose, runs[1].pose)).toBeLessThan(1e-9);
    }
  });

  it('polishing rounds count as iterations, ten times maxIterations at most', () => {
    const figure = chain(4, { type: 'ball' }, { type: 'angle', max: 0.5 });
    const goals = [tipGoal(figure, [3, 0.5, 1]), tipGoal(figure, [-2, 1, 0], { weight: 0.3 })];
    const run = (maxIterations: number): number => {
      const pose = randomPose(figure, testRandom(8), 0.3);
      return solveFabrik(createFabrik(figure, goals, { maxIterations, restarts: 0 }), pose).iterations;
    };
    // One pass, then coordinate descent.
    expect(run(1)).toBe(11);
    expect(run(2)).toBe(22);
    const enough = run(300);
    expect(enough).toBeGreaterThan(22);
    expect(enough).toBeLessThan(3300);
  });

  it('maxIterations 0 clamps the pose to the limits, and reports it', () => {
    const figure = chain(3, { type: 'ball' }, { type: 'angle', max: 1 });
    const pose = randomPose(figure, testRandom(1), 3);
    const allowed = pose.slice();
    clampToLimits(figure, allowed);
    const options = { maxIterations: 0, restarts: 0 };
    const result = solveFabrik(createFabrik(figure, [tipGoal(figure, [1, 1, 1])], options), pose);
    expect(result.status).toBe('iteration-limit');
    expect(gap(pose, allowed)).toBeLessThan(1e-14);
  });
});

describe('mimic joints', () => {
  const figure = createFigure({
    bones: [
      { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] }, tip: [0, 1, 0] },
      {
        name: 'b',
        parent: 'a',
        rest: { position: [0, 1, 0] },
        joint: { type: 'hinge', axis: [0, 0, 1] },
        mimic: { bone: 'a', polynomial: [0, 0.5] },
      },
      { name: 'c', parent: 'b', rest: { position: [0, 1, 0] }, joint: { type: 'ball' }, tip: [0, 1, 0] },
    ],
  });
  const goal: PositionGoal = { type: 'position', bone: 'c', point: [0, 1, 0], target: [0, 0.2, 0] };

  it('are refused on the chain of a goal unless the source joint is locked', () => {
    expect(() => createFabrik(figure, [goal])).toThrow(/mimic joint of 'b'/);
    const pose = createPose(figure);
    pose[0] = 0.8;
    const [end] = [positionsOf(figure, pose, [{ bone: 'c' }])];
    const result = solveFabrik(createFabrik(figure, [goal], { locked: ['a'] }), pose);
    expect(pose[0]).toBe(0.8);
    // The ball alone points at the target from where a and b hold it.
    const distance = Math.hypot(end[0], end[1] - 0.2, end[2]);
    expect(result.residuals[0].value).toBeCloseTo(Math.abs(distance - 1), 12);
    expect(figurePoints(figure)).toEqual([{ bone: 'a' }, { bone: 'a', point: [0, 1, 0] }]);
  });
});

describe('invalid input', () => {
  const figure = chain(3);
  const goal = tipGoal(figure, [1, 1, 1]);

  it('is refused with path and remedy', () => {
    const pose = createPose(figure);
    const broken = tipGoal(figure, [Number.NaN, 0, 0]);
    for (const [run, message] of [
      [() => createFabrik(figure, []), /goals: is empty/],
      [
        () => createFabrik(figure, [{ ...goal, type: 'orientation' } as unknown as PositionGoal]),
        /goals\[0\]\.type/,
      ],
      [() => createFabrik(figure, [{ ...goal, priority: 1 }]), /goals\[0\]\.priority/],
      [() => createFabrik(figure, [{ ...goal, mask: [1, 0, 1] }]), /goals\[0\]\.mask/],
      [() => createFabrik(figure, [{ ...goal, weight: -1 }]), /goals\[0\]\.weight: is -1/],
      [() => createFabrik(figure, [{ ...goal, weight: Infinity }]), /goals\[0\]\.weight: is Infinity/],
      [() => createFabrik(figure, [{ ...goal, tolerance: 0 }]), /goals\[0\]\.tolerance/],
      [() => createFabrik(figure, [{ ...goal, bone: 'lnk2' }]), /Did you mean 'link2'/],
      [() => createFabrik(figure, [goal], { root: 'loose' as 'free' }), /options\.root: is 'loose'/],
      [() => createFabrik(figure, [goal], { restart: 2 } as FabrikOptions), /Did you mean 'restarts'/],
      [() => createFabrik(figure, [goal], { maxIterations: 1.5 }), /options\.maxIterations/],
      [() => createFabrik(figure, [goal], { locked: ['link0', 'link1', 'link2'] }), /no free joint moves it/],
      [() => createFabrik(figure, [goal], { basis: 'hip' }), /options\.basis/],
      [() => solveFabrik(createFabrik(figure, [broken]), pose), /goals\[0\]\.target/],
      [() => solveFabrik(createFabrik(figure, [goal]), new Float64Array(2)), /pose: has 2/],
      [
        () =>
          solveFabrik(
            createFabrik(figure, [goal]),
            Float64Array.from(pose, () => Number.NaN),
          ),
        /pose\[0\]/,
      ],
    ] as const) {
      expect(run).toThrow(message);
    }
  });

  it('zero-length links, a target at a joint, goals that contradict, targets at 1e6 and 1e100: a status and a finite pose', () => {
    const short = chain(4, { type: 'ball' }, undefined, [1, 0, 1, 0]);
    const cases: [Figure, PositionGoal[]][] = [
      [short, [tipGoal(short, [0.5, 0.5, 0])]],
      [short, [tipGoal(short, [0, 0, 0])]],
      [short, [tipGoal(short, [0, 1, 0])]],
      [chain(2, { type: 'ball' }, undefined, [0, 0]), [{ type: 'position', bone: 1, target: [1, 0, 0] }]],
      [figure, [tipGoal(figure, [0, 1, 0])]],
      [figure, [tipGoal(figure, [1e6, 0, 0]), tipGoal(figure, [-1e6, 0, 0])]],
      [figure, [tipGoal(figure, [1e6, -1e6, 3])]],
      [figure, [tipGoal(figure, [1e100, 0, 0])]],
      [createHumanFigure(), [{ type: 'position', bone: 'leftHand', target: [1e6, 0, 0] }]],
    ];
    for (const [one, goals] of cases) {
      const pose = createPose(one);
      const result = solveFabrik(createFabrik(one, goals), pose);
      expect(pose.every(Number.isFinite)).toBe(true);
      expect(limitViolation(one, pose)).toBe(0);
      expect(result.residuals.every(({ value }) => Number.isFinite(value))).toBe(true);
      expect(['converged', 'out-of-reach', 'limit-blocked', 'stalled', 'iteration-limit']).toContain(
        result.status,
      );
    }
  });
});
