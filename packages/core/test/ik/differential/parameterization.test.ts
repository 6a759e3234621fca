import { GoalError } from 'poise';
import { createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import {
  createDifferentialControl,
  type DifferentialOptions,
  type Goal,
  type RotationParameterization,
  stepDifferentialControl,
} from 'poise/ik';
import { quat } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { eulerFromQuat, quatFromEuler } from 'poise/rotation/alternatives';
import { describe, expect, it } from 'vitest';
import { randomQuat, testRandom } from '../../support/random-figure.js';

/** Equivalent to joint velocities: q' = 1/2 q v, exactly. */
const exact: RotationParameterization = {
  parameters: 4,
  rates: 3,
  fromQuaternion: (q, p, i) => {
    for (let k = 0; k < 4; k++) p[i + k] = q[k];
  },
  writeQuaternion: (p, i, out) => {
    for (let k = 0; k < 4; k++) out[k] = p[i + k];
  },
  writeVelocityMap: (_p, _i, out) => {
    for (let k = 0; k < 9; k++) out[k] = k % 4 === 0 ? 1 : 0;
  },
  integrate: (p, i, x, j, dt) => {
    const rotation = quatFromRotationVector([dt * x[j], dt * x[j + 1], dt * x[j + 2]]);
    const q = quat.multiply([p[i], p[i + 1], p[i + 2], p[i + 3]], rotation);
    for (let k = 0; k < 4; k++) p[i + k] = q[k];
  },
};

/** Columns R_z^T R_y^T e_x, R_z^T e_y, e_z of R = R_x R_y R_z. */
const euler: RotationParameterization = {
  parameters: 3,
  rates: 3,
  fromQuaternion: (q, p, i) => {
    eulerFromQuat(q, 'XYZ').forEach((x, k) => {
      p[i + k] = x;
    });
  },
  writeQuaternion: (p, i, out) => {
    quatFromEuler([p[i], p[i + 1], p[i + 2]], 'XYZ').forEach((x, k) => {
      out[k] = x;
    });
  },
  writeVelocityMap: (p, i, out) => {
    const [cb, sb, cc, sc] = [Math.cos(p[i + 1]), Math.sin(p[i + 1]), Math.cos(p[i + 2]), Math.sin(p[i + 2])];
    [cb * cc, sc, 0, -cb * sc, cc, 0, sb, 0, 1].forEach((x, k) => {
      out[k] = x;
    });
  },
  integrate: (p, i, x, j, dt) => {
    for (let k = 0; k < 3; k++) p[i + k] += dt * x[j + k];
  },
};

/** q' itself, with the constraint q.q' = b. */
const unit: RotationParameterization = {
  ...exact,
  rates: 4,
  writeVelocityMap: (p, i, out) => {
    const [x, y, z, w] = [p[i], p[i + 1], p[i + 2], p[i + 3]];
    [w, z, -y, -x, -z, w, x, -y, y, -x, w, -z].forEach((a, k) => {
      out[k] = 2 * a;
    });
  },
  writeConstraint: (p, i, out, o) => {
    let square = 0;
    for (let k = 0; k < 4; k++) {
      out[o + k] = p[i + k];
      square += p[i + k] * p[i + k];
    }
    return 5 * (1 - square);
  },
  writeQuaternion: (p, i, out) => {
    quat.normalize([p[i], p[i + 1], p[i + 2], p[i + 3]]).forEach((x, k) => {
      out[k] = x;
    });
  },
  integrate: (p, i, x, j, dt) => {
    for (let k = 0; k < 4; k++) p[i + k] += dt * x[j + k];
  },
};

/** A slider, a ball, a hinge, a limited ball and another ball in a row: the free balls stand among other columns. */
const mixed = createFigure({
  bones: [
    { name: 'rail', joint: { type: 'slider', axis: [1, 0, 0] } },
    { name: 'shoulder', parent: 'rail', joint: { type: 'ball' } },
    {
      name: 'elbow',
      parent: 'shoulder',
      rest: { position: [1, 0, 0] },
      joint: { type: 'hinge', axis: [0, 0, 1] },
      limit: { type: 'interval', min: -1, max: 2 },
    },
    {
      name: 'wrist',
      parent: 'elbow',
      rest: { position: [0.8, 0, 0] },
      joint: { type: 'ball' },
      limit: { type: 'angle', max: 0.5 },
    },
    { name: 'hand', parent: 'wrist', rest: { position: [0.3, 0, 0] }, joint: { type: 'ball' } },
    { name: 'tip', parent: 'hand', rest: { position: [0.2, 0.1, 0] } },
  ],
});
const start = new Float64Array([0.1, 0.2, -0.3, 0.1, 0.9, 0.1, 0.2, -0.1, 0.2, 0.1, 0.3]);
const table = { point: [0, -0.2, 0], normal: [0, 1, 0] };
const goalsAt = (target: Float64Array): Goal[] => [
  { type: 'position', bone: 'tip', target },
  { type: 'orientation', bone: 'hand', target: [0, 0, 0, 1], priority: 1 },
  { type: 'half-space', bone: 'tip', target: table },
];

/** Frames of one drag through the table and past limits. */
function run(
  options: DifferentialOptions,
  frames: number,
  sample: (control: ReturnType<typeof createDifferentialControl>, pose: Float64Array) => void,
): void {
  const target = new Float64Array(3);
  const control = createDifferentialControl(mixed, goalsAt(target), options);
  const pose = start.slice();
  for (let frame = 0; frame < frames; frame++) {
    const t = frame / 60;
    target.set([1.2 + 0.8 * Math.sin(2 * t), 0.5 * Math.cos(3 * t), 0.6 * Math.sin(1.3 * t)]);
    stepDifferentialControl(control, pose, 1 / 60);
    sample(control, pose);
  }
}

describe('a rotation parameterization', () => {
  it('equivalent to the joint velocity changes nothing: limits, rates, half-spaces and priorities included', () => {
    const options: DifferentialOptions = { maxJointRate: { bones: { hand: { angular: 1.5 } } } };
    const runs = [undefined, exact].map((parameterization) => {
      const frames: { velocity: Float64Array; pose: Float64Array; limited: boolean[][] }[] = [];
      run(
        { ...options, ...(parameterization && { parameterization }) },
        240,
        ({ velocity, result: { goals, limits, rates } }, pose) => {
          const limited = [
            goals.map(({ multiplier }) => multiplier > 0),
            limits.map(({ active }) => active),
            rates.map(({ saturated }) => saturated),
          ];
          frames.push({ velocity: velocity.slice(), pose: pose.slice(), limited });
        },
      );
      return frames;
    });
    const [own, other] = runs;
    own.forEach(({ velocity, pose, limited }, frame) => {
      velocity.forEach((x, k) => {
        expect(Math.abs(x - other[frame].velocity[k])).toBeLessThan(1e-7 * (1 + Math.abs(x)));
      });
      pose.forEach((x, k) => {
        expect(Math.abs(x - other[frame].pose[k])).toBeLessThan(1e-9);
      });
      expect(other[frame].limited).toEqual(limited);
    });
    // The plane, a limit and a rate each limited it back for a while.
    for (const kind of [0, 1, 2]) {
      const frames = own.filter(({ limited }) => limited[kind].includes(true)).length;
      expect(frames).toBeGreaterThan(0);
      expect(frames).toBeLessThan(240);
    }
  });

  it('by Euler angles moves like a figure with Euler joints', () => {
    const figureOf = (joint: 'ball' | 'euler'): Figure =>
      createFigure({
        bones: [
          { name: 'a', joint: joint === 'ball' ? { type: 'ball' } : { type: 'euler', order: 'XYZ' } },
          { name: 'end', parent: 'a', rest: { position: [1, 0.2, 0.1] } },
        ],
      });
    // As far from the joint as the end is.
    const target = [0.2, 0.8, 0.7].map((x) => x * (Math.hypot(1, 0.2, 0.1) / Math.hypot(0.2, 0.8, 0.7)));
    const free = { maxJointRate: { angular: Number.POSITIVE_INFINITY } };
    const [ball, angles] = (['ball', 'euler'] as const).map((joint) => {
      const figure = figureOf(joint);
      const options = joint === 'ball' ? { ...free, parameterization: euler } : free;
      return {
        figure,
        control: createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }], options),
      };
    });
    const pose = new Float64Array(rotationVectorFromQuat(quatFromEuler([0.3, 1.2, -0.4], 'XYZ')));
    const other = new Float64Array([0.3, 1.2, -0.4]);
    for (let frame = 0; frame < 90; frame++) {
      stepDifferentialControl(ball.control, pose, 1 / 60);
      stepDifferentialControl(angles.control, other, 1 / 60);
      ball.control.workspace.unknowns.parameterized?.parameters.forEach((x, k) => {
        expect(Math.abs(x - other[k])).toBeLessThan(1e-9);
      });
    }
    expect(ball.control.result.goals[0].error).toBeLessThan(0.01);
  });

  it('is limited in v, not in its rates: v = B x to rounding, |v| within the limit', () => {
    const random = testRandom(5);
    let saturated = 0;
    for (const parameterization of [exact, euler, unit]) {
      for (let n = 0; n < 40; n++) {
        const control = createDifferentialControl(
          mixed,
          [{ type: 'orientation', bone: 'tip', target: randomQuat(random) }],
          { parameterization, maxJointRate: { angular: 0.7 } },
        );
        const pose = start.map((x) => x * (4 * random() - 2));
        for (let step = 0; step < 4; step++) {
          stepDifferentialControl(control, pose, 1 / 60);
          const { parameterized, constraints, columns } = control.workspace.unknowns;
          if (parameterized === undefined) throw new Error('no parameterization');
          expect(control.result.exact).toBe(true);
          parameterized.joints.forEach(({ map, coordinate, column }, joint) => {
            const x = parameterized.rates.subarray(
              joint * parameterization.rates,
              (joint + 1) * parameterization.rates,
            );
            const velocity = [0, 1, 2].map((e) =>
              x.reduce((sum, rate, k) => sum + map[e * parameterization.rates + k] * rate, 0),
            );
            velocity.forEach((each, e) => {
              expect(control.velocity[coordinate + e]).toBeCloseTo(each, 14);
            });
            expect(Math.hypot(...velocity)).toBeLessThanOrEqual(0.7 * (1 + 1e-10));
            if (constraints.count === 0) return;
            // q.q' satisfies the constraint, whatever the goals.
            const row = constraints.values.subarray(joint * columns + column, joint * columns + column + 4);
            const given = row.reduce((sum, a, k) => sum + a * x[k], 0);
            const square = row.reduce((sum, a) => sum + a * a, 0);
            expect(Math.abs(given - 5 * (1 - square))).toBeLessThan(1e-12);
          });
          if (control.result.rates.some((rate) => rate.saturated)) saturated++;
        }
      }
    }
    expect(saturated).toBeGreaterThan(100);
  });

  it('with a constraint satisfies it and tracks as joint velocities do', () => {
    const ends: number[][] = [];
    for (const parameterization of [undefined, unit]) {
      const state = createState(mixed);
      const poses: Float64Array[] = [];
      run(parameterization === undefined ? {} : { parameterization }, 120, ({ workspace }, pose) => {
        const { parameterized } = workspace.unknowns;
        poses.push(pose.slice());
        if (parameterized === undefined) return;
        for (let o = 0; o < parameterized.parameters.length; o += 4) {
          expect(Math.abs(Math.hypot(...parameterized.parameters.subarray(o, o + 4)) - 1)).toBeLessThan(0.02);
        }
      });
      forwardKinematics(state, poses[119]);
      ends.push(Array.from(state.worldFromBone.subarray(12 * 5 + 9, 12 * 5 + 12)));
    }
    expect(Math.hypot(...ends[0].map((x, k) => x - ends[1][k]))).toBeLessThan(0.02);
  });

  it('gives the same bits again', () => {
    const bits = (): number[] => {
      const all: number[] = [];
      run({ parameterization: unit }, 40, ({ velocity }, pose) => all.push(...velocity, ...pose));
      return all;
    };
    expect(bits()).toEqual(bits());
  });

  it('leaves the pose unchanged for dt = 0', () => {
    const control = createDifferentialControl(mixed, goalsAt(new Float64Array([1, 0.4, 0])), {
      parameterization: euler,
    });
    const pose = start.slice();
    stepDifferentialControl(control, pose, 0);
    expect(pose).toEqual(start);
    expect(Math.hypot(...control.velocity)).toBeGreaterThan(0.1);
  });

  it.each([
    [{ ...exact, rates: 2 }, 'sizes'],
    [{ ...exact, parameters: 3.5 }, 'sizes'],
    [{ parameters: 3, rates: 3 }, 'fromQuaternion()'],
    [null, 'fromQuaternion()'],
  ])('is refused when invalid: %o', (parameterization, word) => {
    const make = (): unknown =>
      createDifferentialControl(mixed, goalsAt(new Float64Array(3)), {
        parameterization: parameterization as RotationParameterization,
      });
    expect(make).toThrow(GoalError);
    expect(make).toThrow(/^options\.parameterization: /);
    expect(make).toThrow(word);
  });

  it('is refused with a posture', () => {
    expect(() =>
      createDifferentialControl(mixed, goalsAt(new Float64Array(3)), {
        parameterization: euler,
        posture: { reference: new Float64Array(11) },
      }),
    ).toThrow(expect.objectContaining({ code: 'unsupported', path: 'options.parameterization' }));
  });
});
