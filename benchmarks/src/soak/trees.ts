/** Small trees of all joint types, with masses: drawn by the oracle of mixes. */
import type { FigureData } from 'poise/figure';
import { drawMix, type Mix } from '../../../scripts/oracles/ik/random-mix.js';
import { type Random, seeded } from '../../../scripts/oracles/ik/random-problem.js';

/** A mix on a tree: those on the human are passed over. */
export type TreeMix = Mix & { readonly bones: NonNullable<Mix['bones']> };

/** Draws among which one is on a tree: each is with one in two. */
const DRAWS = 64;

/** The first mix on a tree of a number. */
export function drawTreeMix(seed: number, number: number): TreeMix {
  for (let k = 0; k < DRAWS; k++) {
    const { bones, ...mix } = drawMix(seed + 7919 * k, number);
    if (bones !== undefined) return { ...mix, bones };
  }
  throw new Error(`soak: no tree in ${DRAWS} draws`);
}

/** The tree as a figure of bodies of some extent: a tenth of a metre about their centres of mass. */
export function bodyFigure({ bones }: TreeMix): FigureData {
  const data = bones.map((bone) => ({
    ...bone,
    inertia: [0.01 * bone.mass, 0.012 * bone.mass, 0.009 * bone.mass, 0, 0, 0] as const,
  }));
  return { name: 'tree', bones: data };
}

/** Numbers of a piece beside those that draw its figure. */
export function pieceRandom(seed: number, number: number, stream: string): Random {
  let mixed = Math.imul(seed, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  for (const letter of stream) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  return seeded(mixed);
}

export const within = (random: Random, size: number): number => size * (2 * random() - 1);

export function triple(random: Random, size: number): [number, number, number] {
  return [within(random, size), within(random, size), within(random, size)];
}
