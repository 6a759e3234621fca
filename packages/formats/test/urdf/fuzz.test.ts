import { readUrdf } from '@poise/formats';
import fc from 'fast-check';
import { PoiseError } from 'poise';
import { createPose, createState, forwardKinematics } from 'poise/figure';
import { describe, expect, test } from 'vitest';
import { jointText, robotText } from './support.js';

const good = robotText(
  jointText(
    'revolute',
    '<origin xyz="0 0.1 1" rpy="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/>',
    'i',
    'base',
    'a',
  ) +
    jointText('planar', '<axis xyz="0 0 1"/>', 'p', 'a', 'b') +
    jointText('prismatic', '<limit lower="-2" upper="2"/><mimic joint="i" multiplier="2"/>', 'j', 'b', 'c') +
    jointText('floating', '', 'k', 'c', 'd'),
  ['base', 'a', 'b', 'c', 'd'],
).replace(
  '<link name="a"/>',
  '<link name="a"><inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>',
);

/** Reads it; a figure that works or a PoiseError with place and remedy. Returns whether it was read. */
function survives(input: string | Uint8Array): boolean {
  try {
    const { figure, joints } = readUrdf(input);
    const state = createState(figure);
    forwardKinematics(state, createPose(figure));
    expect(state.worldFromBone.every(Number.isFinite)).toBe(true);
    for (const { bone } of joints.values()) expect(figure.bones[bone]).toBeDefined();
    return true;
  } catch (error) {
    if (!(error instanceof PoiseError)) throw error;
    expect(error.name).toBe('FormatError');
    expect(error.path).not.toBe('');
    expect(error.remedy).not.toBe('');
    return false;
  }
}

describe('any damage gives a FormatError or a robot that works', () => {
  test('the file itself is read', () => {
    expect(survives(good)).toBe(true);
    expect(readUrdf(good).warnings).toEqual([]);
  });

  test('bytes changed, cut off or duplicated', () => {
    const bytes = Buffer.from(good);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 }),
        fc.nat(bytes.length),
        fc.boolean(),
        (changes, length, cut) => {
          const copy = Buffer.from(bytes);
          for (const [at, value] of changes) copy[at] = value;
          if (!survives(cut ? copy.subarray(0, length) : copy)) refused++;
        },
      ),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test('words replaced by others: numbers, names, tags', () => {
    const words = [
      '0',
      '-1',
      '1e308',
      '1e-320',
      'nan',
      'inf',
      '',
      'a',
      'base',
      'i',
      'p',
      'fixed',
      'world',
      '\n',
    ];
    const tags = [
      'link',
      'joint',
      'robot',
      'parent',
      'child',
      'origin',
      'axis',
      'limit',
      'mimic',
      'inertial',
      '__proto__',
      'constructor',
    ];
    const values = [...good.matchAll(/"[^"]*"/g)].map(({ index, 0: text }) => [index, text.length] as const);
    const names = [...good.matchAll(/<\/?([a-z]+)/g)].map(
      ({ index, 0: text, 1: name }) => [index + text.length - name.length, name.length] as const,
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(values.length - 1), fc.constantFrom(...words)), { maxLength: 3 }),
        fc.option(fc.tuple(fc.nat(names.length - 1), fc.constantFrom(...tags))),
        (changes, tag) => {
          const edits = [
            ...changes.map(([k, word]) => [...values[k], `"${word}"`] as const),
            ...(tag ? [[...names[tag[0]], tag[1]] as const] : []),
          ].sort((x, y) => y[0] - x[0]);
          let text = good;
          for (const [at, length, by] of edits) text = text.slice(0, at) + by + text.slice(at + length);
          survives(text);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('random trees with random types and parents', () => {
    const types = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar'];
    let read = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...types), fc.nat(), fc.nat(30)), { minLength: 1, maxLength: 12 }),
        (joints) => {
          const links = joints.map((_, k) => `l${k + 1}`);
          const text = robotText(
            joints
              .map(([type, parent, follows], k) =>
                jointText(
                  type,
                  `<limit lower="-1" upper="1"/>${follows < joints.length ? `<mimic joint="j${follows}" multiplier="0.5"/>` : ''}`,
                  `j${k}`,
                  `l${parent % (k + 1)}`,
                  `l${k + 1}`,
                ),
              )
              .join(''),
            ['l0', ...links],
          );
          if (survives(text)) read++;
        },
      ),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(50);
  });
});
