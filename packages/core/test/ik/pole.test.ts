import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, createTwoBone, type Goal, type IkResult, solveIk, solveTwoBone } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { writeHessian } from '../../src/ik/problem/hessian.js';
import { differentiate, evaluate, writeGradient } from '../../src/ik/problem/problem.js';
import { createProblem } from '../support/problem.js';
import { randomTriple, testRandom } from '../support/random-figure.js';

const human = createHumanFigure();
const state = createState(human);
const elbow = human.bones[boneIndex(human, 'leftLowerArm')].coordinate;
const ARM = ['leftUpperArm', 'leftLowerArm', 'leftHand'] as const;
/** Bends at which an arm counts as bent and as straight, rad. */
const BENT = 0.1;
const STRAIGHT = 0.01;

type Point = readonly number[];
const subtract = (a: Point, b: Point): number[] => a.map((x, k) => x - b[k]);
const dot = (a: Point, b: Point): number => a.reduce((sum, x, k) => sum + x * b[k], 0);

/** Offset of the middle of a limb from its line, m, and its angle to the pole about the line. */
function measure([start, middle, end]: readonly Point[], pole: Point): { bend: number; swivel: number } {
  const line = subtract(end, start);
  const off = (v: Point): number[] => v.map((x, k) => x - (line[k] * dot(v, line)) / dot(line, line));
  const e = off(subtract(middle, start));
  const p = off(subtract(pole, start));
  return {
    bend: Math.hypot(...e),
    swivel: Math.acos(Math.min(1, dot(e, p) / Math.hypot(...e) / Math.hypot(...p))),
  };
}

function placesOf(figure: Figure, pose: Float64Array, names: readonly (string | number)[]): number[][] {
  const placed = figure === human ? state : createState(figure);
  forwardKinematics(placed, pose);
  return names.map((name) => {
    const o = 12 * boneIndex(figure, name) + 9;
    return Array.from(placed.worldFromBone.subarray(o, o + 3));
  });
}

/** The swivel of the arm; of a straight one that which it has once it bends. */
function swivelOf(pose: Float64Array, pole: Point): number {
  const { bend, swivel } = measure(placesOf(human, pose, ARM), pole);
  if (bend > 1e-8) return swivel;
  const bent = pose.slice();
  bent[elbow] += 1e-6;
  return measure(placesOf(human, bent, ARM), pole).swivel;
}

interface Reach {
  readonly alone: Float64Array;
  readonly pose: Float64Array;
  readonly pole: Point;
  readonly result: IkResult;
}

/** Random reaches of the left arm with the hips locked, without the pole and with it. */
function reaches(count: number, tail: readonly Goal[]): Reach[] {
  const random = testRandom(71);
  const between = (a: number, b: number): number => a + ((b - a) * (random() + 1)) / 2;
  const options = { locked: ['hips'] };
  return Array.from({ length: count }, () => {
    const target = [between(-0.2, 0.7), between(0.7, 1.8), between(-0.2, 0.6)] as const;
    const pole = [between(-1, 1), between(0, 2), between(-1, 1)] as const;
    const hand: Goal = { type: 'position', bone: 'leftHand', target };
    const alone = createPose(human);
    solveIk(createIk(human, [hand, ...tail], options), alone);
    const pose = createPose(human);
    const goals: Goal[] = [hand, { type: 'pole', bone: 'leftHand', target: pole }, ...tail];
    return { alone, pose, pole, result: solveIk(createIk(human, goals, options), pose) };
  });
}

describe('a pole on 600 random reaches of the human', () => {
  const all = reaches(600, []);

  it('straightens no arm that is bent without it', () => {
    const straightened = all.filter(({ alone, pose }) => alone[elbow] > BENT && pose[elbow] < STRAIGHT);
    expect(straightened).toHaveLength(0);
  });

  it('has its swivel within 0.01 rad wherever the solve converged, and says what it is', () => {
    const converged = all.filter(({ result }) => result.status === 'converged');
    expect(converged.length).toBeGreaterThan(450);
    for (const { pose, pole } of converged) expect(swivelOf(pose, pole)).toBeLessThan(0.01);
    for (const { pose, pole, result } of all) {
      const swivel = result.residuals.find(({ component }) => component === 'swivel')?.value ?? Number.NaN;
      expect(Math.abs(swivel - swivelOf(pose, pole))).toBeLessThan(1e-4);
    }
  });

  it('ends at a minimum, or converged', () => {
    const others = all.filter(
      ({ result: { status } }) => status === 'stalled' || status === 'iteration-limit',
    );
    expect(others).toHaveLength(0);
  });
});

describe('a pole beside a posture', () => {
  it('keeps the swivel while the posture is minimized', () => {
    for (const { pose, pole, result } of reaches(100, [{ type: 'posture' }])) {
      if (result.status === 'converged') expect(swivelOf(pose, pole)).toBeLessThan(0.01);
    }
  });
});

describe('a pole that a lower priority would leave without a side', () => {
  const length = 0.75;
  const limb = createFigure({
    bones: [
      { name: 'upper', joint: { type: 'ball' } },
      { name: 'lower', parent: 'upper', rest: { position: [0, -0.4, 0] }, joint: { type: 'ball' } },
      { name: 'end', parent: 'lower', rest: { position: [0, -0.35, 0] }, joint: { type: 'ball' } },
    ],
  });

  it('stays met: the limb is pulled out as far as it keeps a bend', () => {
    const random = testRandom(61);
    for (let n = 0; n < 40; n++) {
      const pole: Goal = { type: 'pole', bone: 'end', target: randomTriple(random, 0.4) };
      const pull: Goal = { type: 'position', bone: 'end', target: randomTriple(random, 3), priority: 1 };
      const pose = Float64Array.from({ length: limb.dof }, () => 2 * random() - 1);
      const result = solveIk(createIk(limb, [pole, pull]), pose);
      const [swivel, , end] = result.residuals;
      expect(swivel.value, `${n}`).toBeLessThan(1e-12);
      const places = placesOf(limb, pose, ['upper', 'lower', 'end']);
      const bend = measure(places, pole.target as Point);
      expect(bend.bend, `${n}`).toBeGreaterThan(1e-3 * length);
      expect(bend.swivel, `${n}`).toBeLessThan(1e-6);
      expect(result.status, `${n}`).toMatch(/converged|out-of-reach|limit-blocked/);
      // Straight it would come half a millimetre nearer at most.
      const target = Math.hypot(...(pull.target as Point));
      if (target > length) expect(end.value).toBeLessThan(target - length + 5e-4);
    }
  });
});

describe('a hand that moves, with a pole', () => {
  /** Largest change of a coordinate from frame to frame. */
  function largestChange(withPole: boolean, tail: readonly Goal[], frames: number): number {
    const random = testRandom(72);
    let largest = 0;
    for (let path = 0; path < 6; path++) {
      const center = [0.35 + 0.05 * random(), 1.3 + 0.1 * random(), 0.3 + 0.05 * random()];
      const size = [0.12 + 0.12 * random(), 0.12 + 0.12 * random(), 0.1 + 0.1 * random()];
      const phase = randomTriple(random, 3);
      const pole = [0.6 + 0.6 * random(), 0.2 * random(), -0.8 + 0.6 * random()] as const;
      const target = new Float64Array(3);
      const goals: Goal[] = [{ type: 'position', bone: 'leftHand', target }];
      if (withPole) goals.push({ type: 'pole', bone: 'leftHand', target: pole });
      const ik = createIk(human, [...goals, ...tail], { locked: ['hips'], restarts: 0 });
      const pose = createPose(human);
      pose[elbow] = 1;
      for (let frame = -1; frame < frames; frame++) {
        const t = (2 * Math.PI * Math.max(0, frame)) / frames;
        for (let k = 0; k < 3; k++) target[k] = center[k] + size[k] * Math.sin(t * (1 + (k % 2)) + phase[k]);
        const before = pose.slice();
        expect(solveIk(ik, pose).status).toBe('converged');
        if (frame <= 0) continue;
        for (let i = 0; i < pose.length; i++) largest = Math.max(largest, Math.abs(pose[i] - before[i]));
      }
    }
    return largest;
  }

  it.each([
    ['alone', [], 360],
    ['with a posture', [{ type: 'posture' }] as const, 90],
  ] as const)('%s: no joint moves more than twice as fast as without it', (_, tail, frames) => {
    expect(largestChange(true, tail, frames)).toBeLessThan(2 * largestChange(false, tail, frames));
  });
});

describe('the closed form of two bones', () => {
  const limbs: Figure[] = (['hinge', 'ball'] as const).map((type) =>
    createFigure({
      bones: [
        { name: 'upper', joint: { type: 'ball' } },
        {
          name: 'lower',
          parent: 'upper',
          rest: { position: [0, -0.4, 0] },
          joint: type === 'ball' ? { type } : { type, axis: [1, 0, 0] },
          ...(type === 'hinge' && { limit: { type: 'interval', min: 0, max: 2.5 } as const }),
        },
        { name: 'end', parent: 'lower', rest: { position: [0, -0.35, 0] }, joint: { type: 'ball' } },
      ],
    }),
  );

  it.each(['hinge', 'ball'])('and the solver put a limb with a %s in the same place, to 1e-6', (type) => {
    const figure = limbs[type === 'hinge' ? 0 : 1];
    const random = testRandom(73);
    for (let n = 0; n < 200; n++) {
      const direction = randomTriple(random);
      const reach = (0.3 + 0.2 * (random() + 1)) / Math.hypot(...direction);
      const target = direction.map((x) => x * reach) as [number, number, number];
      const pole = randomTriple(random, 2);
      const limb = createTwoBone(figure, { type: 'position', bone: 'end', target });
      if (limb.family === undefined) throw new Error(limb.reason);
      const start = createPose(figure);
      start[3] = 0.5;
      const [closed, solved] = [start.slice(), start.slice()];
      expect(solveTwoBone(limb, closed, { pole }).status).toBe('converged');
      const { status } = solveIk(
        createIk(figure, [
          { type: 'position', bone: 'end', target, tolerance: 1e-9 },
          { type: 'pole', bone: 'end', target: pole, tolerance: 1e-9 },
        ]),
        solved,
      );
      expect(status).toBe('converged');
      const [a, b] = [closed, solved].map((pose) => placesOf(figure, pose, ['lower', 'end']).flat());
      expect(Math.hypot(...subtract(a, b)), `reach ${n}`).toBeLessThan(1e-6);
    }
  });

  it('of a straight limb without a side, or a pole at the hand, is not claimed', () => {
    const straight = createIk(limbs[1], [{ type: 'pole', bone: 'end', target: [0, -0.4, 1] }], {
      locked: ['lower'],
    });
    const resting = solveIk(straight, createPose(limbs[1]));
    expect(resting.status).toBe('out-of-reach');
    expect(resting.residuals[0].value).toBe(Math.PI);
    const target = [0.3, -0.3, 0.2] as const;
    const atHand = solveIk(
      createIk(limbs[0], [
        { type: 'position', bone: 'end', target },
        { type: 'pole', bone: 'end', target },
      ]),
      createPose(limbs[0]),
    );
    expect(atHand.status).not.toBe('converged');
    expect(atHand.status).not.toBe('stalled');
  });

  it('of a straight knee that would bend towards the pole is met, in the first frame', () => {
    const pose = createPose(human);
    const [hip, , foot] = placesOf(human, pose, ['leftUpperLeg', 'leftLowerLeg', 'leftFoot']);
    const ik = createIk(
      human,
      [
        { type: 'position', bone: 'leftFoot', target: foot as [number, number, number] },
        { type: 'pole', bone: 'leftFoot', target: [hip[0], 0.5, 3] },
      ],
      { locked: ['hips'] },
    );
    const { status, iterations } = solveIk(ik, pose);
    expect(status).toBe('converged');
    expect(iterations).toBeLessThan(10);
  });
});

describe('the derivatives of a pole', () => {
  const figure = createFigure({
    bones: [
      { name: 'base', joint: { type: 'free' } },
      { name: 'upper', parent: 'base', rest: { position: [0.1, 0.2, 0] }, joint: { type: 'ball' } },
      {
        name: 'lower',
        parent: 'upper',
        rest: { position: [0, -0.4, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        limit: { type: 'interval', min: 0, max: 2.5 },
      },
      { name: 'end', parent: 'lower', rest: { position: [0, -0.35, 0] }, joint: { type: 'ball' } },
      { name: 'carrier', parent: 'base', rest: { position: [0.1, 0.5, 0.4] }, joint: { type: 'ball' } },
    ],
  });
  const ball = createFigure({
    bones: figure.bones.map(({ name, parent, rest, joint }) => ({
      name,
      parent: parent < 0 ? null : figure.bones[parent].name,
      rest,
      joint: joint.type === 'hinge' ? { type: 'ball' } : joint,
    })),
  });
  const bends: readonly (readonly [string, Figure, number])[] = [
    ['a hinge, bent', figure, 0.9],
    ['a hinge, straight', figure, 0],
    ['a ball, bent', ball, 0.9],
    ['a ball, nearly straight', ball, 4e-3],
  ];

  it.each(bends)('equal differences: %s', (_, tree, bend) => {
    const random = testRandom(74);
    for (let n = 0; n < 20; n++) {
      const goal: Goal = {
        type: 'pole',
        bone: 'end',
        target: n % 2 === 0 ? randomTriple(random, 2) : { bone: 'carrier', point: randomTriple(random, 0.3) },
      };
      const problem = createProblem(tree, [goal], []);
      const pose = Float64Array.from({ length: tree.dof }, () => random());
      pose.fill(0, tree.bones[2].coordinate, tree.bones[2].coordinate + tree.bones[2].dof);
      pose[tree.bones[2].coordinate] = bend;
      if (n % 5 === 4) putPoleNearLine(goal, tree, pose);
      const { width, columnScale, values } = problem.jacobian;
      const at = (k: number, h: number): { r: number[]; g: Float64Array } => {
        const moved = pose.slice();
        moved[problem.coordinates[k]] += h * columnScale[k];
        evaluate(problem, moved);
        const r = Array.from(problem.residual);
        differentiate(problem, moved);
        const g = new Float64Array(width);
        writeGradient(problem, g);
        return { r, g };
      };
      evaluate(problem, pose);
      // Near the opposite side, where the sign of r jumps, differences mean nothing.
      if (problem.norms[0] > 2.6) continue;
      differentiate(problem, pose);
      const jacobian = values.slice();
      const hessian = new Float64Array(width * width);
      writeHessian(problem, pose, hessian);
      const scale = Math.max(...jacobian.map(Math.abs));
      const scale2 = Math.max(...hessian.map(Math.abs));
      const h = 1e-6;
      for (let k = 0; k < width; k++) {
        const [plus, minus] = [at(k, h), at(k, -h)];
        plus.r.forEach((x, row) => {
          expect(Math.abs((x - minus.r[row]) / (2 * h) - jacobian[row * width + k])).toBeLessThan(
            2e-5 * scale,
          );
        });
        plus.g.forEach((x, l) => {
          expect(Math.abs((x - minus.g[l]) / (2 * h) - hessian[k * width + l])).toBeLessThan(2e-5 * scale2);
        });
      }
    }
  });

  /** Moves a pole in the world to within the distance that its line is to keep. */
  function putPoleNearLine(goal: Goal, tree: Figure, pose: Float64Array): void {
    if (goal.type !== 'pole' || !Array.isArray(goal.target)) return;
    const [start, end] = placesOf(tree, pose, ['upper', 'end']);
    start.forEach((x, k) => {
      (goal.target as number[])[k] = 0.5 * (x + end[k]) + [0.004, 0.003, -0.005][k];
    });
  }
});
