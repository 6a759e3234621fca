import { clampToLimits, createFigure, figureToData, limitViolation } from 'poise/figure';
import { expect, it } from 'vitest';
import { createBodies } from '../../../src/ik/fabrik/bodies/bodies.js';
import { fitJoint } from '../../../src/ik/fabrik/bodies/fit-joint.js';
import { randomFigure, randomPose, testRandom } from '../../support/random-figure.js';

it('ends at the best feasible rotation of the joint, projected gradient below 1e-10 rad, on curved limits too', () => {
  const random = testRandom(17);
  const tried = new Set<string>();
  for (let n = 0; n < 300; n++) {
    const data = figureToData(randomFigure(random, 2)).bones;
    const { parent: _parent, mimic: _coupling, ...bone } = data[1];
    const figure = createFigure({ bones: [bone] });
    const { joint, limit, dof } = figure.bones[0];
    if (dof === 0 || joint.type === 'slider') continue;
    tried.add(`${joint.type} ${limit?.type}`);
    const bodies = createBodies(figure, new Uint8Array(1));
    const b = Float64Array.from({ length: 9 }, () => 2 * random() - 1);
    const size = Math.hypot(...b);
    const pose = randomPose(figure, random, 1);
    clampToLimits(figure, pose);
    const valueAt = (q: Float64Array): number => {
      bodies.types[0].writeTransforms(bodies.batches[0], q, bodies.joints);
      return b.reduce((sum, x, k) => sum + x * bodies.joints[k], 0) / size;
    };
    const before = valueAt(pose);
    fitJoint(bodies, 0, b, pose, 60);
    expect(limitViolation(figure, pose)).toBe(0);
    expect(valueAt(pose)).toBeGreaterThanOrEqual(before - 1e-15);
    // The projected slope by differences, Richardson twice.
    const moved = pose.map((x, i) => {
      const at = (h: number): number => valueAt(pose.map((y, k) => (k === i ? y + h : y)));
      const central = (h: number): number => (at(h) - at(-h)) / (2 * h);
      const [c4, c2, c1] = [central(4e-3), central(2e-3), central(1e-3)];
      return x + (16 * ((4 * c1 - c2) / 3) - (4 * c2 - c4) / 3) / 15;
    });
    clampToLimits(figure, moved);
    expect(Math.hypot(...moved.map((x, i) => x - pose[i])), `${n} ${joint.type} ${limit?.type}`).toBeLessThan(
      1e-10,
    );
  }
  expect(tried.size).toBeGreaterThan(10);
});
