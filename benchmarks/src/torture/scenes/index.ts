/** The kinds of mistreatment, and how many scenes of a thousand each has. */
import type { Scene } from '../scene.js';
import { chain, figureChain } from './chains.js';
import { createDraw, type Draw } from './draw.js';
import { overlap, teleport } from './intrusions.js';
import type { Draft } from './parts.js';
import { drag, drop, hang, pile, pull } from './ragdolls.js';
import { rate } from './rates.js';
import { cog, ratio, stack } from './stacks.js';
import { surface, throwing, top } from './thrown.js';
import { joint, pendulum } from './undamped.js';

interface Kind {
  readonly share: number;
  readonly draw: (draw: Draw, short: boolean) => Draft;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  stack: { share: 70, draw: stack },
  ratio: { share: 50, draw: ratio },
  cog: { share: 50, draw: cog },
  pile: { share: 20, draw: pile },
  chain: { share: 90, draw: chain },
  'figure-chain': { share: 60, draw: figureChain },
  hang: { share: 80, draw: hang },
  pull: { share: 50, draw: pull },
  drag: { share: 90, draw: drag },
  drop: { share: 50, draw: drop },
  teleport: { share: 80, draw: teleport },
  overlap: { share: 60, draw: overlap },
  throw: { share: 80, draw: throwing },
  top: { share: 40, draw: top },
  rate: { share: 50, draw: rate },
  surface: { share: 30, draw: surface },
  pendulum: { share: 30, draw: pendulum },
  joint: { share: 20, draw: joint },
};

/** Scene `number` of a kind. The short form has fewer things in it and is over sooner. */
export function makeScene(kind: string, seed: number, number: number, short = false): Scene {
  const draft = KINDS[kind].draw(createDraw(kind, seed, number), short);
  const scene: Scene = {
    id: `${kind}-${seed}-${number}${short ? '-short' : ''}`,
    kind,
    gravity: 9.81,
    world: [],
    connections: [],
    events: [],
    drags: [],
    ...draft,
    expect: { rest: false, energy: 'any', released: 0, walls: [], mayStayInside: false, ...draft.expect },
  };
  // What JSON does not hold, as -0, is in no scene.
  return JSON.parse(JSON.stringify(scene));
}

/** The scene of an id; undefined for what is none. */
export function sceneOf(id: string): Scene | undefined {
  const found = /^(.+)-(\d+)-(\d+)(-short)?$/.exec(id);
  if (found === null || !(found[1] in KINDS)) return undefined;
  return makeScene(found[1], Number(found[2]), Number(found[3]), found[4] !== undefined);
}

/** How many scenes of each kind there are among a number: in proportion, the largest remainders rounded up. */
export function sharesOf(count: number): Record<string, number> {
  const all = Object.values(KINDS).reduce((sum, { share }) => sum + share, 0);
  const exact = Object.entries(KINDS).map(([kind, { share }]) => ({ kind, wanted: (count * share) / all }));
  const shares = Object.fromEntries(exact.map(({ kind, wanted }) => [kind, Math.floor(wanted)]));
  let left = count - Object.values(shares).reduce((sum, n) => sum + n, 0);
  for (const { kind } of [...exact].sort((a, b) => (b.wanted % 1) - (a.wanted % 1))) {
    if (left-- > 0) shares[kind]++;
  }
  return shares;
}
