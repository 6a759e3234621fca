import { describe, expect, test } from 'vitest';
import { easeHinges, easeRoot } from '../../src/retarget/displacement/eased-hinges.js';
import { createRobotRetargeter } from '../../src/robot/index.js';
import { type Configuration, createConfiguration, writeExponential } from '../../src/robot/tree/pose.js';
import { config, random, robotFigure } from '../robot/support.js';

const { tree } = createRobotRetargeter(robotFigure(), config).state;
const STEP = 1 / 60;
const hinges = Array.from(tree.jointOf.keys()).filter((i) => tree.jointOf[i] !== tree.root);

const inSeries = new Uint8Array(tree.size).fill(1);

/** Hinges as a path has them, cut by their limits. */
function framesOf(count: number, path: (i: number, f: number) => number): Configuration[] {
  return Array.from({ length: count }, (_, f) => {
    const frame = createConfiguration(tree);
    for (const i of hinges) frame.values[i] = Math.min(Math.max(path(i, f), tree.min[i]), tree.max[i]);
    frame.rotations[4 * tree.root + 3] = 1;
    return frame;
  });
}

/** Largest change of a hinge's speed from frame to frame. */
function kinkOf(frames: readonly Configuration[], i: number): number {
  return Math.max(
    ...frames
      .slice(2)
      .map(({ values }, f) => Math.abs(values[i] - 2 * frames[f + 1].values[i] + frames[f].values[i]) / STEP),
  );
}

describe('hinges', () => {
  const limited = hinges.filter((i) => tree.min[i] > -3 && tree.max[i] < 3);

  test('come to their limits and leave them without a kink', () => {
    expect(limited.length).toBeGreaterThan(0);
    const swing = (i: number, f: number): number => (limited.includes(i) ? wideSine(i, f) : 0);
    const wideSine = (i: number, f: number): number =>
      0.5 * (tree.min[i] + tree.max[i]) + (tree.max[i] - tree.min[i]) * Math.sin(0.05 * f);
    const cut = framesOf(160, swing);
    const frames = framesOf(160, swing);
    easeHinges(tree, frames, [hinges], inSeries, STEP);
    for (const i of limited) {
      expect(kinkOf(frames, i)).toBeLessThan(0.4 * kinkOf(cut, i));
      for (const [f, { values }] of frames.entries()) {
        expect(values[i] >= tree.min[i] && values[i] <= tree.max[i]).toBe(true);
        expect(Math.abs(values[i] - cut[f].values[i])).toBeLessThan(0.1 * (tree.max[i] - tree.min[i]));
      }
    }
  });

  test('stay within them whatever their paths', () => {
    const next = random(3);
    for (let n = 0; n < 20; n++) {
      const frames = framesOf(40, () => 3 * next());
      easeHinges(tree, frames, [hinges], inSeries, STEP);
      for (const { values } of frames)
        for (const i of hinges) expect(values[i] >= tree.min[i] && values[i] <= tree.max[i]).toBe(true);
    }
  });

  test('away from kinks are as they were', () => {
    const path = (i: number, f: number): number => (f < 60 ? 0 : 0.02 * (f - 60)) + 0.001 * i;
    const cut = framesOf(200, path);
    const frames = framesOf(200, path);
    easeHinges(tree, frames, [hinges], inSeries, STEP);
    for (let f = 0; f < 40; f++) expect(frames[f].values).toEqual(cut[f].values);
  });
});

test('the root keeps its path where it has no displacement, and loses a jump beside it', () => {
  const count = 80;
  const path = { positions: new Float64Array(3 * count), rotations: new Float64Array(4 * count) };
  const frames = framesOf(count, () => 0);
  const turn = new Float64Array(4);
  frames.forEach(({ positions, rotations }, f) => {
    writeExponential(0.02 * f, 0, 0.3, turn);
    path.rotations.set(turn, 4 * f);
    path.positions.set([Math.sin(0.3 * f), 0, 0], 3 * f);
    rotations.set(turn, 4 * tree.root);
    for (let k = 0; k < 3; k++) positions[3 * tree.root + k] = path.positions[3 * f + k];
  });
  easeRoot(tree, frames, path, STEP);
  frames.forEach(({ positions, rotations }, f) => {
    expect(positions[3 * tree.root]).toBeCloseTo(path.positions[3 * f], 12);
    expect(rotations[4 * tree.root]).toBeCloseTo(path.rotations[4 * f], 12);
  });
  frames.forEach(({ positions }, f) => {
    positions[3 * tree.root + 1] = f < 40 ? 0 : 0.05;
  });
  easeRoot(tree, frames, path, STEP);
  const y = frames.map(({ positions }) => positions[3 * tree.root + 1]);
  expect(Math.max(...y.slice(1).map((x, f) => Math.abs(x - y[f])))).toBeLessThan(0.01);
  expect(y[0]).toBeCloseTo(0, 3);
  expect(y[count - 1]).toBeCloseTo(0.05, 3);
});
