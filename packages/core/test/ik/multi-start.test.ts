import { readFileSync } from 'node:fs';
import { createFigure, createPose, type Figure, limitViolation } from 'poise/figure';
import { createIk, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { describeWithData } from '../../../../scripts/test-support/shared-data.js';
import { levenbergMarquardt } from '../../src/ik/solver/levenberg-marquardt.js';
import { testRandom } from '../support/random-figure.js';
import {
  aimAt,
  armOf,
  INDUSTRIAL,
  type Link,
  missOf,
  PUMA,
  type TestArm,
  UR5,
} from './analytic/support-arms.js';

/** An arm with limits that a good part of its solutions leaves, and reachable poses of it. */
function limited(links: readonly Link[], half: number): TestArm {
  return armOf(
    links.map((link) => ({ ...link, limit: [-half, half] as const })),
    1e-5,
  );
}

const LIMITED: readonly (readonly [string, TestArm])[] = [
  ['puma', limited(PUMA, 2.4)],
  ['industrial', limited(INDUSTRIAL, 2.2)],
  ['ur5', limited(UR5, 2 * Math.PI)],
];

describe.each(LIMITED)('multi-start search on %s', (_name, arm) => {
  const [{ limit }] = arm.figure.bones.filter(({ joint }) => joint.type === 'hinge');
  const half = limit?.type === 'interval' ? (limit.max ?? 0) : 0;

  it('meets 249 of 250 reachable poses from mid-range, within the limits at every iterate, in few steps', () => {
    const random = testRandom(77);
    let missed = 0;
    let restarts = 0;
    let iterations = 0;
    let excess = 0;
    let pose = createPose(arm.figure);
    const ik = createIk(arm.figure, [arm.position, arm.orientation], {
      onIterate: (at) => {
        excess = Math.max(excess, limitViolation(arm.figure, at));
      },
    });
    for (let n = 0; n < 250; n++) {
      aimAt(
        arm,
        Array.from({ length: 6 }, () => half * (2 * random() - 1)),
      );
      pose = createPose(arm.figure);
      const result = solveIk(ik, pose);
      // Limits this tight leave some targets a single solution: 0.07 % of 3,000 were missed (decision 0014).
      if (result.status === 'converged') expect(missOf(arm, pose)).toBeLessThan(2e-5);
      else missed++;
      restarts += result.restarts;
      iterations += result.iterations;
    }
    expect(missed).toBeLessThanOrEqual(1);
    expect(excess).toBe(0);
    // Measured 0.8 to 3.4 starts, most of them left at once, and 15 to 20 steps a pose.
    expect(restarts / 250).toBeLessThan(5);
    expect(iterations / 250).toBeLessThan(28);
  });

  it('gives the same bits again, and other ones for another seed where it restarts', () => {
    const random = testRandom(5);
    let searched = 0;
    let differs = 0;
    for (let n = 0; n < 60; n++) {
      aimAt(
        arm,
        Array.from({ length: 6 }, () => half * (2 * random() - 1)),
      );
      const runs = [1, 1, 2].map((seed) => {
        const pose = createPose(arm.figure);
        const result = solveIk(createIk(arm.figure, [arm.position, arm.orientation], { seed }), pose);
        return { pose: Array.from(pose), result };
      });
      expect(runs[1]).toEqual(runs[0]);
      if (runs[0].result.restarts === 0) {
        expect(runs[2]).toEqual(runs[0]);
        continue;
      }
      searched++;
      if (runs[2].pose.some((x, k) => x !== runs[0].pose[k])) differs++;
    }
    expect(searched).toBeGreaterThan(2);
    expect(differs).toBeGreaterThan(0);
  });

  it('stops a descent with too small a predicted decrease, lower than its start and within the limits', () => {
    const ik = createIk(arm.figure, [arm.position, arm.orientation]);
    const random = testRandom(9);
    let [stopped, fewer] = [0, 0];
    for (let n = 0; n < 60; n++) {
      const draw = (): number[] => Array.from({ length: 6 }, () => half * (2 * random() - 1));
      aimAt(arm, draw());
      const start = draw();
      const [patient, impatient] = [0, 0.4].map((minPredictedDecrease) => {
        const pose = Float64Array.from(start);
        const before = levenbergMarquardt(ik.problem, ik.workspace, Float64Array.from(start), 0).objective;
        const descent = levenbergMarquardt(ik.problem, ik.workspace, pose, 300, {
          minPredictedDecrease,
        });
        expect(descent.objective).toBeLessThanOrEqual(before);
        expect(limitViolation(arm.figure, pose)).toBe(0);
        return descent;
      });
      expect(impatient.iterations).toBeLessThanOrEqual(patient.iterations);
      if (impatient.outcome === 'slow') stopped++;
      if (impatient.iterations < patient.iterations) fewer++;
      // What it does not stop it does not touch.
      if (impatient.outcome === 'converged') expect(impatient).toEqual(patient);
    }
    expect(stopped).toBeGreaterThan(10);
    expect(fewer).toBeGreaterThan(10);
  });
});

interface PoseSet {
  readonly tolerance: { readonly position: number; readonly angle: number };
  readonly model: {
    readonly joints: readonly {
      readonly name: string;
      readonly parent: number;
      readonly pos: readonly [number, number, number];
      readonly quat: readonly [number, number, number, number];
      readonly axis: readonly [number, number, number];
      readonly lo: number;
      readonly hi: number;
    }[];
    readonly effectors: readonly {
      readonly joint: number;
      readonly pos: readonly [number, number, number];
    }[];
  };
  readonly targets: readonly (readonly { readonly p: readonly number[]; readonly q: readonly number[] }[])[];
}

function figureOf({ model: { joints } }: PoseSet): Figure {
  return createFigure({
    bones: joints.map(({ name, parent, pos, quat: [w, x, y, z], axis, lo, hi }) => ({
      name,
      parent: parent < 0 ? null : joints[parent].name,
      rest: { position: pos, rotation: [x, y, z, w] },
      joint: { type: 'hinge', axis },
      limit: { type: 'interval', min: lo, max: hi },
    })),
  });
}

describe.each(['ur5-pose', 'panda-pose'])('shared problems %s', (id) => {
  describeWithData('with defaults', `problems/${id}.json`, (path) => {
    it('are all met within their limits', () => {
      const set = JSON.parse(readFileSync(path, 'utf8')) as PoseSet;
      const figure = figureOf(set);
      const [{ joint, pos }] = set.model.effectors;
      const bone = set.model.joints[joint].name;
      const arm: TestArm = {
        figure,
        position: {
          type: 'position',
          bone,
          point: pos,
          target: [0, 0, 0],
          tolerance: set.tolerance.position,
        },
        orientation: {
          type: 'orientation',
          bone,
          target: [0, 0, 0, 1] as number[],
          tolerance: set.tolerance.angle,
        },
      };
      const ik = createIk(figure, [arm.position, arm.orientation]);
      for (const [{ p, q }] of set.targets) {
        arm.position.target.splice(0, 3, ...p);
        arm.orientation.target.splice(0, 4, q[1], q[2], q[3], q[0]);
        const pose = Float64Array.from(set.model.joints, ({ lo, hi }) => (lo + hi) / 2);
        expect(solveIk(ik, pose).status).toBe('converged');
        expect(limitViolation(figure, pose)).toBe(0);
        expect(missOf(arm, pose)).toBeLessThan(set.tolerance.angle + 1e-9);
      }
    });
  });
});

describe('restarts for targets out of reach', () => {
  const arm = limited(UR5, 2 * Math.PI);

  it('end no farther off than the first descent, and as near to the start where that is equal', () => {
    const random = testRandom(78);
    for (let n = 0; n < 60; n++) {
      const direction = Array.from({ length: 3 }, () => 2 * random() - 1);
      const distance = (1 + 0.5 * random()) / Math.hypot(...direction);
      const target = direction.map((x) => x * distance) as [number, number, number];
      const solve = (restarts: number) => {
        const pose = createPose(arm.figure);
        const goal = { ...arm.position, target };
        return { pose, result: solveIk(createIk(arm.figure, [goal], { restarts }), pose) };
      };
      const alone = solve(0);
      for (const restarts of [1, 4, 16, 96]) {
        const { pose, result } = solve(restarts);
        expect(result.objective).toBeLessThanOrEqual(alone.result.objective * (1 + 1e-12));
        if (alone.result.objective <= result.objective * (1 + 1e-9)) expect(pose).toEqual(alone.pose);
      }
    }
  });

  it('leave no revolution in a hinge that its limit allows to unwind', () => {
    const random = testRandom(79);
    let unwoundCount = 0;
    for (let n = 0; n < 100; n++) {
      aimAt(
        arm,
        Array.from({ length: 6 }, () => 2 * Math.PI * (2 * random() - 1)),
      );
      const pose = createPose(arm.figure);
      const result = solveIk(createIk(arm.figure, [arm.position, arm.orientation]), pose);
      if (result.restarts === 0 || result.status !== 'converged') continue;
      unwoundCount++;
      for (const x of pose) expect(Math.abs(x)).toBeLessThanOrEqual(Math.PI + 1e-9);
      expect(missOf(arm, pose)).toBeLessThan(2e-5);
    }
    expect(unwoundCount).toBeGreaterThan(10);
  });
});
