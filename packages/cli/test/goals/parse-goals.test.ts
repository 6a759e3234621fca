import fc from 'fast-check';
import { GoalError } from 'poise';
import { describe, expect, test } from 'vitest';
import { parseAim, parseGoal, parseOrient, parsePin } from '../../src/goals/parse-goals.js';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const metres = fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((value) => value + 0);
/** Names as rigs have them: dots, colons, spaces, equals signs, anything but an empty one. */
const name = fc.oneof(
  fc.constantFrom('leftHand', 'hand.r', 'mixamorig:LeftHand', 'Bip01 L Hand', 'a=b', 'tip.tip', 'x:y'),
  fc.string({ minLength: 1 }).filter((text) => text.trim() !== '' && !text.includes('=@')),
);

describe('--goal', () => {
  test('reads every position, offset and bone, with any names', () => {
    fc.assert(
      fc.property(name, metres, metres, metres, (bone, x, y, z) => {
        const at = [x, y, z];
        expect(parseGoal(`${bone}=${x},${y},${z}`)).toMatchObject({ bone, target: { kind: 'point', at } });
        expect(parseGoal(`${bone}=+${x},${y},${z}`)).toMatchObject({
          bone,
          target: { kind: 'offset', by: at },
        });
      }),
    );
    fc.assert(
      fc.property(name, name, (bone, other) => {
        fc.pre(other === other.trim());
        expect(parseGoal(`${bone}=@${other}`)).toMatchObject({ bone, target: { kind: 'bone', name: other } });
      }),
    );
  });

  test('keeps the option as typed for messages', () => {
    expect(parseGoal('a=1,2,3').text).toBe('--goal a=1,2,3');
  });

  test.each([
    ['leftHand', 'unsupported'],
    ['leftHand 1,2,3', 'unsupported'],
    ['=1,2,3', 'unsupported'],
    ['leftHand=', 'wrong-size'],
    ['leftHand=1,2', 'wrong-size'],
    ['leftHand=1,2,3,4', 'wrong-size'],
    ['leftHand=1,2,x', 'unsupported'],
    ['leftHand=1,NaN,3', 'not-finite'],
    ['leftHand=+inf,0,0', 'not-finite'],
    ['leftHand=@', 'unknown-name'],
    ['leftHand=1e200,0,0', 'out-of-range'],
    ['leftHand=+0,0,-1.1e12', 'out-of-range'],
  ])('%j is refused as %s, with a remedy', (text, code) => {
    expect(() => parseGoal(text)).toThrow(
      expect.objectContaining({ code, path: `--goal ${text}`, remedy: expect.stringMatching(/\w/) }),
    );
  });
});

describe('--orient', () => {
  test('four numbers are a quaternion of any length', () => {
    fc.assert(
      fc.property(fc.tuple(finite, finite, finite, finite), (q) => {
        fc.pre(q.some((value) => value !== 0));
        const { rotation, relative } = parseOrient(`head=${q}`);
        expect([rotation.kind, relative]).toEqual(['quaternion', false]);
        expect(Math.hypot(...rotation.value)).toBeCloseTo(1, 14);
        const largest = Math.max(...q.map(Math.abs));
        const k = q.findIndex((value) => Math.abs(value) === largest);
        q.forEach((value, i) => {
          expect(rotation.value[i] / rotation.value[k]).toBeCloseTo(value / q[k], 14);
        });
      }),
    );
  });

  test('three numbers are a rotation vector, in rad unless they end in deg', () => {
    const value = (text: string) => parseOrient(text).rotation;
    expect(value('head=0.1,-0.2,3')).toEqual({ kind: 'rotation-vector', value: [0.1, -0.2, 3] });
    expect(value('head=0.1,-0.2,3rad')).toEqual({ kind: 'rotation-vector', value: [0.1, -0.2, 3] });
    expect(value('head=90,0,-45deg')).toEqual({
      kind: 'rotation-vector',
      value: [Math.PI / 2, 0, -Math.PI / 4],
    });
    expect(parseOrient('head=+0,30,0deg')).toMatchObject({ relative: true, bone: 'head' });
    expect(parseOrient('head=+0,0,0,1')).toMatchObject({ relative: true, rotation: { kind: 'quaternion' } });
  });

  test.each([
    ['head=0,0,0,0', 'not-unit'],
    ['head=0,0,0,1deg', 'wrong-size'],
    ['head=1,2', 'wrong-size'],
    ['head=@neck', 'wrong-size'],
    ['head=1,2,nandeg', 'not-finite'],
    ['head=1e308,1e308,0', 'out-of-range'],
    ['head', 'unsupported'],
  ])('%j is refused as %s', (text, code) => {
    expect(() => parseOrient(text)).toThrow(expect.objectContaining({ code, path: `--orient ${text}` }));
  });
});

describe('--aim', () => {
  test.each([
    ['head:z=0,1,2', 'head', [0, 0, 1]],
    ['head:+x=0,1,2', 'head', [1, 0, 0]],
    ['head:-Y=0,1,2', 'head', [0, -1, 0]],
    ['mixamorig:Head:z=0,1,2', 'mixamorig:Head', [0, 0, 1]],
    ['mixamorig:Head:0:2:1=0,1,2', 'mixamorig:Head', [0, 1, 0.5]],
    ['head:1e300:0:-1e300=0,1,2', 'head', [1, 0, -1]],
  ])('%s names bone and axis', (text, bone, axis) => {
    expect(parseAim(text)).toMatchObject({ bone, axis, target: { kind: 'point', at: [0, 1, 2] } });
  });

  test('aims at bones and offsets too', () => {
    expect(parseAim('leftLowerLeg:-y=@rightFoot').target).toEqual({ kind: 'bone', name: 'rightFoot' });
    expect(parseAim('head:z=+0,0,1').target).toEqual({ kind: 'offset', by: [0, 0, 1] });
  });

  test.each([
    ['head=0,1,2', 'unsupported'],
    ['head:w=0,1,2', 'unsupported'],
    [':z=0,1,2', 'unsupported'],
    ['head:0:0:0=0,1,2', 'not-unit'],
    ['head:0:nan:0=0,1,2', 'not-finite'],
    ['head:z', 'unsupported'],
  ])('%j is refused as %s', (text, code) => {
    expect(() => parseAim(text)).toThrow(expect.objectContaining({ code, path: `--aim ${text}` }));
  });
});

test('--pin takes the name unchanged', () => {
  expect(parsePin('hand.r:pose')).toEqual({ option: 'pin', text: '--pin hand.r:pose', bone: 'hand.r:pose' });
  expect(() => parsePin(' ')).toThrow(expect.objectContaining({ code: 'unknown-name' }));
});

describe('any text', () => {
  const fragment = fc.constantFrom(
    '=',
    '@',
    '+',
    '-',
    ',',
    ':',
    '.tip',
    'deg',
    'nan',
    '1',
    '0',
    '1e999',
    'head',
    ' ',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment, { maxLength: 14 }).map((tokens) => tokens.join('')),
  );

  test.each([
    ['--goal', parseGoal],
    ['--orient', parseOrient],
    ['--aim', parseAim],
    ['--pin', parsePin],
  ])('after %s parses to finite numbers or throws a GoalError that quotes it', (option, parse) => {
    fc.assert(
      fc.property(text, (value) => {
        try {
          for (const number of numbersIn(parse(value))) expect(Number.isFinite(number)).toBe(true);
        } catch (error) {
          if (!(error instanceof GoalError)) throw error;
          expect(error.path).toBe(`${option} ${value}`);
          expect(error.remedy).not.toBe('');
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
