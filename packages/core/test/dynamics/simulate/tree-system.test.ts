import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factorTreeSystem, updateTreeSystem } from '../../../src/dynamics/aba/factor.js';
import { solveTreeSystem } from '../../../src/dynamics/aba/solve.js';
import {
  biasForces,
  createDynamics,
  type Dynamics,
  forwardDynamics,
  inverseDynamics,
  massMatrix,
} from '../../../src/dynamics/index.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../../../src/dynamics/kinematics/jacobian.js';
import { updateKinematics } from '../../../src/dynamics/kinematics/update-kinematics.js';
import { allowJointHessian } from '../../../src/dynamics/model/tree-system.js';
import type { BoneData } from '../../../src/figure/data/types.js';
import {
  boneVelocitiesFromVelocity,
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  frameJacobianV,
  updateMotionSubspaceV,
} from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import * as cholesky from '../../../src/math/linear/cholesky.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import { createRandom, expectSameBits, within } from '../../figure/support.js';
import { dot, largest, randomInertia, randomTrial, stateOf, type Trial } from '../support.js';

const salts = fc.integer({ min: 0, max: 2 ** 30 });

/**
 * Forests of all joint types, without those that cannot move, and without singular ones, such as a massless link between two sliders along one axis.
 */
function check(body: (trial: Trial) => void): void {
  const property = fc.property(salts, (salt) => {
    const trial = randomTrial(salt, { armature: false });
    fc.pre(trial.figure.dof > 0 && isRegular(massMatrix(trial.dynamics, trial.pose), trial.figure.dof));
    body(trial);
  });
  fc.assert(property, { numRuns: 60 });
}

/** No K and no S. */
function noTerms({ bones }: Figure): Terms {
  return {
    bones: bones.map(() => new Float64Array(36)),
    joints: bones.map(({ dof }) => new Float64Array(dof * dof)),
  };
}

/** Whether no pivot is lost to cancellation. */
function isRegular(h: Float64Array, n: number): boolean {
  const factor = Float64Array.from(h);
  if (!cholesky.factor(factor, n)) return false;
  return factor.every((x, k) => k % (n + 1) !== 0 || x ** 2 > 1e-12 * h[k]);
}

/** A random n x n matrix G G^T, row by row: positive definite, of sizes about `size`. */
function positive(n: number, size: number, random: () => number): number[] {
  const g = Array.from({ length: n * n }, () => within(random, Math.sqrt(size)));
  const row = (r: number) => g.slice(n * r, n * (r + 1));
  return Array.from({ length: n * n }, (_, k) => dot(row(Math.floor(k / n)), row(k % n)));
}

/** Index of entry (r, c), r <= c, of a symmetric 6x6 among the 21 numbers of an articulated inertia. */
function packed(r: number, c: number): number {
  const triangle = [
    [0, 3, 4],
    [3, 1, 5],
    [4, 5, 2],
  ];
  if (c < 3) return triangle[r][c];
  return r < 3 ? 6 + 3 * r + c - 3 : 15 + triangle[r - 3][c - 3];
}

interface Terms {
  /** 6 x 6 a bone. */
  readonly bones: readonly Numbers[];
  /** dof x dof a joint. */
  readonly joints: readonly Numbers[];
}

/** K and S of sizes from 1e-3 to 1e3 at some of the bones, zero at the others. */
function randomTerms({ figure, random }: Pick<Trial, 'figure' | 'random'>): Terms {
  const some = (n: number) =>
    random() < 0.5 ? positive(n, 10 ** within(random, 3), random) : Array.from({ length: n * n }, () => 0);
  return { bones: figure.bones.map(() => some(6)), joints: figure.bones.map(({ dof }) => some(dof)) };
}

/** Sets K and S and updates the rest to the pose. */
function systemOf(dynamics: Dynamics, pose: Numbers, { bones, joints }: Terms): Dynamics {
  const system = dynamics.tree;
  allowJointHessian(system);
  bones.forEach((k, b) => {
    for (let r = 0; r < 6; r++) {
      for (let c = r; c < 6; c++) system.boneHessian[21 * b + packed(r, c)] = k[6 * r + c];
    }
  });
  joints.forEach((s, b) => {
    system.jointHessian.set(Array.from(s), 36 * b);
  });
  updateKinematics(dynamics, pose);
  updateTreeSystem(dynamics);
  return dynamics;
}

/** M + S + sum J^T K J, J by the library's Jacobians of frames. */
function denseOf(dynamics: Dynamics, pose: Numbers, { bones, joints }: Terms): Float64Array {
  const { figure } = dynamics;
  const { dof } = figure;
  const h = massMatrix(dynamics, pose);
  for (const { index, coordinate, dof: size } of figure.bones) {
    const j = jacobianOf(dynamics, pose, index);
    for (let r = 0; r < 36; r++) {
      const k = bones[index][r];
      if (k === 0) continue;
      const p = j.subarray(Math.floor(r / 6) * dof);
      const q = j.subarray((r % 6) * dof);
      for (let a = 0; a < dof; a++) for (let c = 0; c < dof; c++) h[a * dof + c] += p[a] * k * q[c];
    }
    for (let r = 0; r < size; r++) {
      for (let c = 0; c < size; c++)
        h[(coordinate + r) * dof + coordinate + c] += joints[index][r * size + c];
    }
  }
  return h;
}

/** Jacobian of angular velocity, then velocity of the origin: 6 x dof. */
function jacobianOf({ figure }: Dynamics, pose: Numbers, bone: number): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  updateMotionSubspaceV(state, pose);
  const j = new Float64Array(6 * figure.dof);
  frameJacobianV(state, bone, state.worldFromBone.slice(12 * bone + 9, 12 * bone + 12), j);
  return Float64Array.from([...j.subarray(3 * figure.dof), ...j.subarray(0, 3 * figure.dof)]);
}

/** |b - H x| against |H| |x|, in the norm in which the diagonal of H is one: what elimination of a positive H leaves at rounding. */
function residual(h: Float64Array, x: Numbers, b: Numbers): number {
  const n = x.length;
  const scale = Array.from({ length: n }, (_, i) => Math.sqrt(h[i * n + i]));
  const size = dot(
    scale,
    Array.from(x, (v) => Math.abs(v)),
  );
  const rows = Array.from({ length: n }, (_, i) => b[i] - dot(h.subarray(i * n, (i + 1) * n), x));
  return largest(rows.map((r, i) => r / scale[i])) / size;
}

function solved(system: Dynamics, b: Float64Array): Float64Array {
  const x = new Float64Array(b.length);
  expect(factorTreeSystem(system)).toBe(-1);
  solveTreeSystem(system, b, x);
  return x;
}

/** Residuals of the tree solve and the dense solve, and their difference. */
function expectSolves(dynamics: Dynamics, pose: Numbers, terms: Terms, b: Float64Array): void {
  const h = denseOf(dynamics, pose, terms);
  const x = solved(systemOf(dynamics, pose, terms), b);
  expect(residual(h, x, b)).toBeLessThan(1e-13);
  const n = b.length;
  const factor = Float64Array.from(h);
  expect(cholesky.factor(factor, n)).toBe(true);
  const dense = Float64Array.from(b);
  cholesky.solve(factor, n, dense);
  expect(residual(h, dense, b)).toBeLessThan(1e-13);
  // Two solutions of the same residual differ by it times the condition number; the energy norm of their difference contains that once.
  const gap = x.map((v, i) => v - dense[i]);
  const energy = (v: Float64Array) =>
    v.reduce((sum, vi, i) => sum + vi * dot(h.subarray(i * n, (i + 1) * n), v), 0);
  expect(Math.sqrt(Math.max(0, energy(gap)) / energy(dense))).toBeLessThan(1e-9);
}

describe('forests of all joint types', () => {
  it('are solved with bone and joint Hessians as the dense system is', () => {
    check((trial) => expectSolves(trial.dynamics, trial.pose, randomTerms(trial), trial.tau));
  });

  it('without them are forward dynamics', () => {
    check(({ figure, dynamics, pose, velocity, tau }) => {
      const none = noTerms(figure);
      const h = massMatrix(dynamics, pose);
      const found = forwardDynamics(dynamics, pose, velocity, tau);
      const bias = biasForces(dynamics, pose, velocity);
      const b = tau.map((x, i) => x - bias[i]);
      const x = solved(systemOf(dynamics, pose, none), b);
      const off = x.map((xi, i) => xi - found[i]);
      const force = off.map((_, i) => dot(h.subarray(i * off.length, (i + 1) * off.length), off));
      expect(largest(force) / largest(tau, bias)).toBeLessThan(1e-12);
    });
  });

  it('are solved in place, repeatedly, to the same bits, whatever came between', () => {
    check((trial) => {
      const { dynamics, pose, velocity, tau, figure } = trial;
      const terms = randomTerms(trial);
      const system = systemOf(dynamics, pose, terms);
      const x = solved(system, tau);
      const position = Float64Array.from(tau);
      solveTreeSystem(system, position, position);
      expectSameBits(position, x);
      solveTreeSystem(system, velocity, new Float64Array(figure.dof));
      updateKinematics(dynamics, velocity);
      updateTreeSystem(system);
      factorTreeSystem(system);
      updateKinematics(dynamics, pose);
      updateTreeSystem(system);
      expectSameBits(solved(system, tau), x);
      expectSameBits(solved(systemOf(dynamics, pose, terms), tau), x);
    });
  });

  it('have the bone velocities of their frame Jacobians', () => {
    check(({ figure, dynamics, pose, velocity }) => {
      const out = new Float64Array(6 * figure.bones.length);
      updateKinematics(dynamics, pose);
      writeBoneVelocities(dynamics, velocity, out);
      const bones = figure.bones.flatMap(({ index }) => {
        const j = jacobianOf(dynamics, pose, index);
        return [0, 1, 2, 3, 4, 5].map((row) =>
          dot(j.subarray(row * figure.dof, (row + 1) * figure.dof), velocity),
        );
      });
      expect(largest(out.map((x, i) => x - bones[i])) / largest(velocity)).toBeLessThan(1e-13);
      const accumulated = new Float64Array(out.length);
      boneVelocitiesFromVelocity(dynamics.state, velocity, accumulated);
      expect(largest(out.map((x, i) => x - accumulated[i])) / largest(velocity)).toBeLessThan(1e-14);
    });
  });

  it('map wrenches as inverse dynamics do, by the transpose of the velocity map', () => {
    check(({ figure, dynamics, pose, velocity, acceleration, external }) => {
      const bare = inverseDynamics(dynamics, pose, velocity, acceleration);
      const loaded = inverseDynamics(dynamics, pose, velocity, acceleration, undefined, external);
      const wrenches = external.map((_, i) => external[i % 6 < 3 ? i + 3 : i - 3]);
      const out = new Float64Array(figure.dof).fill(7);
      applyJacobianTranspose(dynamics, Float64Array.from(wrenches), out);
      const scale = largest(bare, loaded);
      expect(largest(out.map((x, i) => x - (bare[i] - loaded[i]))) / scale).toBeLessThan(1e-13);
      const velocities = new Float64Array(6 * figure.bones.length);
      writeBoneVelocities(dynamics, velocity, velocities);
      const power = dot(out, velocity);
      const max = largest(out) * largest(velocity) * figure.dof + largest(wrenches) * largest(velocities);
      expect(Math.abs(power - dot(wrenches, velocities)) / max).toBeLessThan(1e-13);
    });
  });
});

describe('single figures', () => {
  const bone = (name: string, parent: string | null, random: () => number): BoneData => ({
    name,
    parent,
    rest: { position: [within(random, 0.5), within(random, 0.5), 0.3] },
    mass: 0.5 + random(),
    centerOfMass: [within(random, 0.2), 0.1, within(random, 0.2)],
    inertia: randomInertia(random),
  });
  const random = createRandom(11);
  const figures = {
    'a human': createHumanFigure(),
    'a chain of 20 balls': createFigure({
      bones: Array.from({ length: 20 }, (_, i) => ({
        ...bone(`bone${i}`, i === 0 ? null : `bone${i - 1}`, random),
        joint: { type: 'ball' } as const,
      })),
    }),
    'one free body': createFigure({ bones: [{ ...bone('body', null, random), joint: { type: 'free' } }] }),
    'two free bodies, one with a slider and a free body on it': createFigure({
      bones: [
        { ...bone('a', null, random), joint: { type: 'free' } },
        { ...bone('b', null, random), joint: { type: 'free' } },
        { ...bone('c', 'b', random), joint: { type: 'slider', axis: [0, 0.6, 0.8] } },
        { ...bone('d', 'c', random), joint: { type: 'free' } },
      ],
    }),
  };

  it.each(Object.entries(figures))('%s is solved as the dense system is', (_, figure) => {
    for (let n = 0; n < 8; n++) {
      const { dynamics, pose, tau } = stateOf(figure, random, false);
      expectSolves(dynamics, pose, randomTerms({ figure, random }), tau);
    }
  });

  it('massless links are solved where K or S makes them regular', () => {
    const figure = createFigure({
      bones: [
        { name: 'link', joint: { type: 'ball' } },
        { name: 'next', parent: 'link', joint: { type: 'ball' } },
        { ...bone('hand', 'next', random), joint: { type: 'ball' } },
        {
          name: 'tip',
          parent: 'hand',
          rest: { position: [0, 1, 0] },
          joint: { type: 'hinge', axis: [1, 0, 0] },
        },
      ],
    });
    const { dynamics, pose, tau } = stateOf(figure, random, false);
    const none = noTerms(figure);
    expect(factorTreeSystem(systemOf(dynamics, pose, none))).toBeGreaterThanOrEqual(0);
    const springs = { ...none, joints: figure.bones.map(({ dof }) => positive(dof, 1, random)) };
    expectSolves(dynamics, pose, springs, tau);
    const contacts = { ...none, bones: figure.bones.map(() => positive(6, 1, random)) };
    expectSolves(dynamics, pose, contacts, tau);
  });
});

describe('systems without positive pivots', () => {
  const figure = createHumanFigure();
  const spine = figure.bones.findIndex(({ dof }) => dof === 3);

  it.each([
    ['a negative joint term', -1e6],
    ['one that is infinite', Number.POSITIVE_INFINITY],
    ['one that is no number', Number.NaN],
  ])('%s is refused, and leaves nothing behind', (_, entry) => {
    const random = createRandom(3);
    const { dynamics, pose, tau } = stateOf(figure, random, false);
    const terms = randomTerms({ figure, random });
    const system = systemOf(dynamics, pose, terms);
    const x = solved(system, tau);
    for (const { index, dof } of figure.bones) {
      for (let k = 0; k < dof; k++) {
        const at = 36 * index + k * (dof + 1);
        const kept = system.tree.jointHessian[at];
        system.tree.jointHessian[at] = entry;
        expect(factorTreeSystem(system)).toBeGreaterThanOrEqual(0);
        system.tree.jointHessian[at] = kept;
      }
    }
    expectSameBits(solved(system, tau), x);
  });

  it('an indefinite bone Hessian is refused', () => {
    const { dynamics, pose } = stateOf(figure, createRandom(4), false);
    const none = noTerms(figure);
    const system = systemOf(dynamics, pose, none);
    expect(factorTreeSystem(system)).toBe(-1);
    for (let k = 0; k < 3; k++) system.tree.boneHessian[21 * spine + k] = -1e3;
    expect(factorTreeSystem(system)).toBeGreaterThanOrEqual(0);
  });

  it("a massless link with its parent's axis is refused, and solved with a Hessian of its own", () => {
    const random = createRandom(5);
    const mass = { mass: 1.3, centerOfMass: [0.2, 0.1, 0.3], inertia: randomInertia(random) } as const;
    for (const type of ['hinge', 'slider'] as const) {
      const joint = { type, axis: [0.48, 0.6, 0.64] } as const;
      const chain = createFigure({
        bones: [
          { name: 'base', joint: { type: 'free' }, ...mass },
          { name: 'link', parent: 'base', rest: { position: [0.1, 0.7, -0.2] }, joint },
          { name: 'hand', parent: 'link', joint, ...mass },
          { name: 'tip', parent: 'hand', rest: { position: [1, 0, 0.4] }, joint: { type: 'ball' }, ...mass },
        ],
      });
      for (let n = 0; n < 20; n++) {
        const { dynamics, pose, tau } = stateOf(chain, random, false);
        const none = noTerms(chain);
        expect(factorTreeSystem(systemOf(dynamics, pose, none))).toBeGreaterThanOrEqual(0);
        const damped: Terms = { ...none, joints: none.joints.map((s) => (s.length === 1 ? [1e-3] : s)) };
        expectSolves(dynamics, pose, damped, tau);
      }
    }
  });

  it('a chart at its pole is refused, and solved with a joint Hessian', () => {
    const arm = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'euler', order: 'XYZ' },
          mass: 1,
          centerOfMass: [0.2, 0.1, 0],
          inertia: [0.1, 0.1, 0.1, 0, 0, 0],
        },
      ],
    });
    const dynamics = createDynamics(arm);
    const pose = [0.3, Math.PI / 2, 0.4];
    const none = noTerms(arm);
    expect(factorTreeSystem(systemOf(dynamics, pose, none))).toBeGreaterThanOrEqual(0);
    const damped: Terms = { ...none, joints: [[0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1]] };
    expectSolves(dynamics, pose, damped, Float64Array.of(1, -2, 3));
  });
});
