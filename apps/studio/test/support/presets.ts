/** What tests of the presets of Make it physical share: the page's body, and oracles that are not the library's. */
import type { FigureState, Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { expect } from 'vitest';
import { createHuman } from '../../src/character/character.js';
import { createPhysicalBody } from '../../src/physical/body.js';

export const character = createHuman(1.75, () => {
  throw new Error('nothing is drawn');
});
export const { figure } = createPhysicalBody(character);
export const soles = [...(character.contacts?.soles ?? [])];

/** Bones that are locked besides, so that a problem takes a sixth of its time. */
export const LOCKED = [
  ...['UpperArm', 'LowerArm'].flatMap((name) => [`left${name}`, `right${name}`]),
  'upperChest',
  'head',
];

const GRAVITY = 9.81;

/** Place of a point of a bone in the world, m. */
export function placeOf(state: FigureState, bone: number, { 0: x, 1: y, 2: z }: Numbers): Triple {
  const f = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const row = (k: number) => f[3 * k] * x + f[3 * k + 1] * y + f[3 * k + 2] * z + f[9 + k];
  return [row(0), row(1), row(2)];
}

/** Centres of mass, so many a second, are on the parabola through the first and the last, m. */
export function expectParabola(centers: readonly Numbers[], rate: number, tolerance: number): void {
  const last = centers.length - 1;
  centers.forEach((center, n) => {
    const sag = (0.5 * GRAVITY * n * (last - n)) / rate ** 2;
    for (let k = 0; k < 3; k++) {
      const chord = centers[0][k] + (n / last) * (centers[last][k] - centers[0][k]);
      expect(Math.abs(center[k] - chord - (k === 1 ? sag : 0))).toBeLessThan(tolerance);
    }
  });
}
