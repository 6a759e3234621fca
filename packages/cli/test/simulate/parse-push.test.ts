import { PoiseError } from 'poise';
import { describe, expect, test } from 'vitest';
import { parsePush } from '../../src/simulate/parse-push.js';

function refusal(value: string): PoiseError {
  try {
    parsePush(value);
  } catch (error) {
    if (error instanceof PoiseError) return error;
  }
  throw new Error(`${value} was taken`);
}

describe('--push', () => {
  test('an impulse, a time, a point', () => {
    expect(parsePush('chest:0,-1.5,4e1')).toEqual({
      text: '--push chest:0,-1.5,4e1',
      bone: 'chest',
      impulse: [0, -1.5, 40],
      time: 0,
    });
    expect(parsePush('head:1,2,3@0.25')).toMatchObject({ impulse: [1, 2, 3], time: 0.25 });
    const whole = parsePush('head:1,2,3@0.25/0,1.7,-.1');
    expect(whole).toMatchObject({ impulse: [1, 2, 3], time: 0.25, point: [0, 1.7, -0.1] });
    expect(parsePush('head:1,2,3/0,1.7,0')).toMatchObject({ time: 0, point: [0, 1.7, 0] });
  });

  test('names with colons, dots and spaces', () => {
    expect(parsePush('mixamorig:Hips:0,0,9@1').bone).toBe('mixamorig:Hips');
    expect(parsePush('Bip01 L Foot.tip:0,0,9').bone).toBe('Bip01 L Foot.tip');
  });

  test.each([
    ['chest', 'unsupported', '--push chest', /BONE:x,y,z@t/],
    [':0,1,2', 'unsupported', '--push :0,1,2', /BONE:x,y,z/],
    ['', 'unsupported', '--push ', /BONE:x,y,z/],
    ['chest:', 'wrong-size', '--push chest: (impulse)', /3 numbers/],
    ['chest:1,2', 'wrong-size', '--push chest:1,2 (impulse)', /3 numbers/],
    ['chest:1,2,x', 'unsupported', '--push chest:1,2,x (impulse)', /1\.25/],
    ['chest:1,2,1e999', 'not-finite', '--push chest:1,2,1e999 (impulse)', /finite/],
    ['chest:1,2,3@', 'unsupported', '--push chest:1,2,3@ (time)', /1\.25/],
    ['chest:1,2,3@soon', 'unsupported', '--push chest:1,2,3@soon (time)', /1\.25/],
    ['chest:1,2,3@-1', 'out-of-range', '--push chest:1,2,3@-1 (time)', /0 or more/],
    ['chest:1,2,3/', 'wrong-size', '--push chest:1,2,3/ (point)', /3 numbers/],
    ['chest:1,2,3@1/0,1', 'wrong-size', '--push chest:1,2,3@1/0,1 (point)', /3 numbers/],
    ['chest:1,2,3@1@2', 'unsupported', '--push chest:1,2,3@1@2 (time)', /1\.25/],
    ['chest:1,2,3/0,1,2@1', 'unsupported', '--push chest:1,2,3/0,1,2@1 (point)', /1\.25/],
  ])('%j has a message with the location', (value, code, path, remedy) => {
    const error = refusal(value);
    expect([error.code, error.path]).toEqual([code, path]);
    expect(error.remedy).toMatch(remedy);
  });
});
