import { describe, expect, test } from 'vitest';
import type { WorldShape } from '../../../src/dynamics/collide/index.js';
import { createRagdoll } from '../../../src/dynamics/index.js';
import { clampToLimits, createFigure, type Figure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import {
  type Clearance,
  createClearance,
  createSelfClearance,
} from '../../../src/spacetime/clearance/index.js';
import { randomSolid, type Solid } from '../../dynamics/collide/support.js';
import { createRandom, randomFigureData, randomPose, within } from '../../figure/support.js';
import { randomMimicPair } from '../../figure/support-mimic.js';
import { probe, shapesOf } from './support.js';

const TYPES: readonly Solid['type'][] = ['sphere', 'capsule', 'box'];
/** Entrywise against 1 m/rad, or 1. */
const TOLERANCE = 1e-8;

interface Tally {
  compared: number;
  skipped: number;
}

/**
 * Compares all rows at one pose with differences of order 6. A row whose differences with two steps disagree has a kink, or bends as sharply as one,
 * within reach of them: there the two are no oracle, and it is skipped and counted.
 */
function compare(clearance: Clearance, pose: Numbers, tally: Tally): void {
  const { dof } = clearance.figure;
  const { gradients, differences } = probe(clearance);
  const ours = gradients(pose);
  const coarse = differences(pose, 2e-3);
  const fine = differences(pose, 1e-3);
  for (let row = 0; row < clearance.rows.length; row++) {
    const at = (of: Numbers, i: number): number => of[row * dof + i];
    let doubt = 0;
    let off = 0;
    for (let i = 0; i < dof; i++) {
      doubt = Math.max(doubt, Math.abs(at(coarse, i) - at(fine, i)));
      off = Math.max(off, Math.abs(at(ours, i) - at(fine, i)));
    }
    if (doubt > TOLERANCE / 4) {
      tally.skipped++;
      continue;
    }
    tally.compared++;
    expect(off).toBeLessThan(TOLERANCE);
  }
}

/** Shapes within arm's reach, of all types. */
function worldOf(random: () => number): WorldShape[] {
  return [
    ...TYPES.map((type) => randomSolid(random, type)),
    {
      type: 'box',
      halfSizes: [0.3, 0.1, 0.2],
      placement: { position: [0.5, within(random, 1), -0.3], rotation: [0.48, 0.6, 0, 0.64] },
    },
    { type: 'plane', normal: [within(random, 1), 1, within(random, 1)], offset: -0.3 },
  ];
}

function withShapes(figure: Figure, random: () => number): Clearance {
  return createClearance(
    figure,
    shapesOf(figure, (bone) => randomSolid(random, TYPES[bone % 3])),
    { world: worldOf(random), neighbours: 0, minAtRest: 0 },
  );
}

describe('gradients', () => {
  test('of figures of all joint types, rotations up to 3 rad, shapes apart and overlapping', () => {
    const random = createRandom(760);
    const tally = { compared: 0, skipped: 0 };
    for (let n = 0; n < 40; n++) {
      const figure = createFigure(randomFigureData(random, 8));
      compare(withShapes(figure, random), randomPose(figure, random), tally);
    }
    expect(tally.compared).toBeGreaterThan(1500);
    expect(tally.skipped / tally.compared).toBeLessThan(0.1);
  });

  test('of figures with mimic joints', () => {
    const random = createRandom(761);
    const tally = { compared: 0, skipped: 0 };
    for (let n = 0; n < 20; n++) {
      const { figure } = randomMimicPair(random, 8);
      compare(withShapes(figure, random), randomPose(figure, random, 1.5), tally);
    }
    expect(tally.compared).toBeGreaterThan(700);
    expect(tally.skipped / tally.compared).toBeLessThan(0.1);
  });

  test('of the human, from itself and the ground, within limits and at them', () => {
    const figure = createHumanFigure();
    const random = createRandom(762);
    const tally = { compared: 0, skipped: 0 };
    const self = createSelfClearance(figure);
    const ground = createClearance(figure, createRagdoll(figure).shapes, {
      world: [{ type: 'plane' }, { type: 'box', halfSizes: [0.5, 0.3, 0.1] }],
      pairs: 'world',
    });
    for (let n = 0; n < 6; n++) {
      // Beyond the limits before they are clamped to: most of them hold.
      const pose = randomPose(figure, random, n < 3 ? 2.5 : 0.8);
      clampToLimits(figure, pose);
      for (const clearance of [self, ground]) compare(clearance, pose, tally);
    }
    expect(tally.compared).toBeGreaterThan(800);
    expect(tally.skipped / tally.compared).toBeLessThan(0.1);
  });

  test('are written to the columns of each row only', () => {
    const random = createRandom(763);
    for (let n = 0; n < 20; n++) {
      const figure = createFigure(randomFigureData(random, 10));
      const clearance = withShapes(figure, random);
      const { gradients, state } = probe(clearance);
      const pose = randomPose(figure, random);
      const first = gradients(pose);
      expect(gradients(pose)).toEqual(first);
      clearance.rows.forEach(({ columns }, row) => {
        const named = new Set(columns);
        for (let i = 0; i < figure.dof; i++) {
          if (!named.has(i)) expect(first[row * figure.dof + i]).toBe(0);
        }
      });
      expect(state.figure).toBe(figure);
    }
  });

  test('are zero beyond the cutoff, and unchanged within', () => {
    const random = createRandom(764);
    let [cut, kept] = [0, 0];
    for (let n = 0; n < 20; n++) {
      const figure = createFigure(randomFigureData(random, 8));
      const shapes = shapesOf(figure, (bone) => randomSolid(random, TYPES[bone % 3]));
      const options = { world: worldOf(random), minAtRest: 0 };
      const pose = randomPose(figure, random);
      const all = probe(createClearance(figure, shapes, options)).gradients(pose);
      const near = createClearance(figure, shapes, { ...options, cutoff: 0.4 });
      const found = probe(near).gradients(pose);
      near.within.forEach((isWithin, row) => {
        const chunk = (of: Float64Array) => [...of.subarray(row * figure.dof, (row + 1) * figure.dof)];
        expect(chunk(found)).toEqual(isWithin ? chunk(all) : chunk(all).map(() => 0));
        if (isWithin) kept++;
        else cut++;
      });
    }
    expect(Math.min(cut, kept)).toBeGreaterThan(100);
  });
});
