import { BVH_UNITS, type ReadBvhOptions, readBvh } from '@poise/formats';
import { createHumanFigure } from 'poise';
import { expect, test } from 'vitest';

/** The human of the library as a BVH, in units of so many metres. */
function humanBvh(metres: number, up: 'y' | 'z' = 'y'): string {
  const { bones } = createHumanFigure({ height: 1.7 });
  const offset = ([x, y, z]: readonly number[]): string => {
    const rotated = up === 'y' ? [x, y, z] : [x, -z, y];
    return `OFFSET ${rotated.map((value) => value / metres).join(' ')}`;
  };
  const channels = 'CHANNELS 3 Zrotation Xrotation Yrotation';
  const joint = (index: number): string => {
    const { name, parent, tip, rest } = bones[index];
    const children = bones.filter((bone) => bone.parent === index).map((bone) => joint(bone.index));
    const end = tip && children.length === 0 ? `End Site { ${offset(tip)} }` : '';
    return `${parent < 0 ? 'ROOT' : 'JOINT'} ${name} {\n${offset(rest.position)}\n${channels}\n${children.join('\n')}${end}\n}`;
  };
  const zeros = new Array(3 * bones.length).fill(0).join(' ');
  return `HIERARCHY\n${joint(0)}\nMOTION\nFrames: 2\nFrame Time: 0.1\n${zeros}\n${zeros}\n`;
}

const read = (text: string, options: ReadBvhOptions = {}) =>
  readBvh(text, { source: 'human.bvh', ...options });

test.each(Object.entries(BVH_UNITS))("'auto' finds a person in %s, whichever axis is up", (unit, metres) => {
  for (const up of ['y', 'z'] as const) {
    const text = humanBvh(metres, up);
    const found = read(text, { scale: 'auto', fileUpAxis: 'auto' });
    expect(found).toMatchObject({ scale: metres, fileUpAxis: up });
    const given = read(text, { scale: metres, fileUpAxis: up });
    expect({ figure: found.figure, motion: found.motion }).toEqual({
      figure: given.figure,
      motion: given.motion,
    });
    const told = (part: string): boolean => found.warnings.some((warning) => warning.includes(part));
    expect(told(`its unit is ${unit}, by the height of 1.`)).toBe(unit !== 'm');
    expect(told('+Z is up, by the way from feet to head (the option fileUpAxis')).toBe(up === 'z');
    // One found, the other given.
    expect(read(text, { scale: metres, fileUpAxis: 'auto' }).figure).toEqual(given.figure);
    expect(read(text, { scale: 'auto', fileUpAxis: up }).figure).toEqual(given.figure);
  }
});

test('a figure of more than 10 m without a scale is told', () => {
  const centimetres = humanBvh(0.01);
  const high = /^human\.bvh: is 1[5-8]\d(\.\d)? m high, read in metres \(the option scale says the unit/;
  expect(read(centimetres).warnings).toEqual([expect.stringMatching(high)]);
  expect(read(centimetres).scale).toBe(1);
  expect(read(centimetres, { scale: 1 }).warnings).toEqual([]);
  expect(read(humanBvh(1)).warnings).toEqual([]);
  // Not a person's height in any unit.
  expect(read(humanBvh(0.0374), { scale: 'auto' })).toMatchObject({
    scale: 1,
    warnings: [expect.stringMatching(/m high, read in metres \(the option scale says the unit\)\.$/)],
  });
});

test('other skeletons are not guessed, and other words are refused', () => {
  const box =
    'HIERARCHY\nROOT box { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 1.7 0 } }\n';
  expect(read(box, { scale: 'auto', fileUpAxis: 'auto' })).toMatchObject({ scale: 1, fileUpAxis: 'y' });
  for (const [option, value] of [
    ['scale', 'cm'],
    ['scale', 0],
    ['fileUpAxis', 'x'],
  ] as const) {
    expect(() => read(box, { [option]: value } as ReadBvhOptions)).toThrow(`${option}: is ${value}.`);
  }
});
