import { describe, expect, test } from 'vitest';
import { type BoneData, createFigure, findRootJoints } from '../../src/figure/index.js';
import { findFloatingBase, findFreeRoots } from '../../src/figure/model/floating-base.js';

const fixed = (name: string, parent?: string, mass?: number): BoneData => ({
  name,
  ...(parent !== undefined && { parent }),
  ...(mass !== undefined && { mass }),
});
const free = (name: string, parent?: string, mass = 1): BoneData => ({
  ...fixed(name, parent, mass),
  joint: { type: 'free' },
});
const hinge = (name: string, parent?: string): BoneData => ({
  ...fixed(name, parent, 1),
  joint: { type: 'hinge', axis: [0, 0, 1] },
});

/** Names of root joints, of free roots, and of the floating base. */
function rootsOf(...bones: BoneData[]): [string, string, string] {
  const figure = createFigure({ bones });
  const names = (indices: readonly number[]): string => indices.map((b) => figure.bones[b].name).join(' ');
  const base = findFloatingBase(figure);
  return [
    names(findRootJoints(figure)),
    names(findFreeRoots(figure)),
    base < 0 ? '' : figure.bones[base].name,
  ];
}

describe('root joints, free roots, the floating base', () => {
  test.each<[string, BoneData[], [string, string, string]]>([
    ['a free bone alone', [free('a')], ['a', 'a', 'a']],
    ['below fixed bones', [fixed('s'), fixed('r', 's'), free('a', 'r'), hinge('b', 'a')], ['a', 'a', 'a']],
    ['beside fixed bones', [fixed('r'), free('a', 'r'), fixed('mesh', 'r')], ['a', 'a', 'a']],
    ['a free joint below another', [free('a'), free('b', 'a')], ['a', 'a', 'a']],
    ['a free joint below a hinge', [hinge('h'), free('b', 'h')], ['h', '', '']],
    ['two bodies', [free('a'), free('b')], ['a b', 'a b', '']],
    ['a hinge beside', [fixed('r'), free('a', 'r'), hinge('h', 'r')], ['a h', 'a', '']],
    ['a mass on the ground', [fixed('r', undefined, 5), free('a', 'r')], ['a', 'a', '']],
    ['nothing moves', [fixed('r'), fixed('s', 'r')], ['', '', '']],
    ['a robot arm', [fixed('base'), hinge('h', 'base')], ['h', '', '']],
  ])('%s', (_, bones, found) => {
    expect(rootsOf(...bones)).toEqual(found);
  });

  test('a mimic joint moves what is below it', () => {
    const mimic: BoneData = { ...hinge('m', 'r'), mimic: { bone: 'h', polynomial: [0, 1] } };
    expect(rootsOf(fixed('r'), hinge('h', 'r'), mimic, free('a', 'm'))).toEqual(['h m', '', '']);
  });
});
