import { expect, test } from 'vitest';
import { KINDS, makeScene, sceneOf, sharesOf } from '../../src/torture/scenes/index.js';

const kinds = Object.keys(KINDS);

test.each(kinds)('a scene of %s is plain data, the same each time', (kind) => {
  const scene = makeScene(kind, 7, 3);
  expect(JSON.parse(JSON.stringify(scene))).toEqual(scene);
  expect(sceneOf(scene.id)).toEqual(scene);
  expect(sceneOf(`${scene.id}-short`)?.steps.length).toBeLessThanOrEqual(scene.steps.length);
  expect(makeScene(kind, 8, 3)).not.toEqual({ ...scene, id: `${kind}-8-3` });
});

test('no step is longer than the longest that a simulation takes', () => {
  for (const kind of kinds) {
    for (let number = 0; number < 2; number++) {
      for (const dt of makeScene(kind, 1, number).steps) {
        expect(dt).toBeGreaterThanOrEqual(1e-9);
        expect(dt).toBeLessThanOrEqual(0.05);
      }
    }
  }
});

test('a thousand scenes have every kind, and a hundred a tenth of each', () => {
  const [thousand, hundred] = [sharesOf(1000), sharesOf(100)];
  expect(Object.values(thousand).reduce((sum, n) => sum + n)).toBe(1000);
  expect(Object.values(hundred).reduce((sum, n) => sum + n)).toBe(100);
  for (const kind of kinds) expect(hundred[kind]).toBe(thousand[kind] / 10);
});

test('an id of none', () => {
  expect(sceneOf('stack')).toBeUndefined();
  expect(sceneOf('nothing-1-2')).toBeUndefined();
});
