import { threadTime } from '@poise/test-support/thread-time';
import { describe, expect, it } from 'vitest';
import { FigureError, nearestName, PoiseError } from '../src/errors.js';

describe('nearestName', () => {
  const knight = ['root', 'hips', 'spine', 'hand.l', 'hand.r', 'upperarm.l', 'upperarm.r', 'handslot.r'];
  it.each([
    ['leftHnad', ['leftHand', 'rightHand', 'leftFoot'], 'leftHand'],
    ['b_Haed', ['b_Hip_01', 'b_Head_05', 'b_Neck_04'], 'b_Head_05'],
    ['leftHand', knight, 'hand.l'],
    ['RightUpperArm', knight, 'upperarm.r'],
    ['LeftHand', ['mixamorig:LeftHand', 'mixamorig:RightHand'], 'mixamorig:LeftHand'],
    ['hips', ['Hips', 'spine'], 'Hips'],
    ['zebra', knight, undefined],
    ['anything', [], undefined],
    ['constructor', ['constructors'], 'constructors'],
  ])('%s', (name, candidates, expected) => {
    expect(nearestName(name, candidates)).toBe(expected);
  });

  it('compares neither names without end nor names without number: they may come from a file of a stranger', () => {
    const started = threadTime();
    expect(nearestName('x'.repeat(500_000), ['x'.repeat(499_999)])).toBeUndefined();
    const many = Array.from({ length: 500_000 }, (_, k) => `${'y'.repeat(60)}${k}`);
    expect(nearestName('x'.repeat(64), many)).toBeUndefined();
    expect(nearestName('hipz', ['y'.repeat(500_000), 'hips'])).toBe('hips');
    expect(threadTime() - started).toBeLessThan(10_000);
  });
});

describe('PoiseError', () => {
  it('says what, where and what to do, to a person and to a program', () => {
    const error = new FigureError('cycle', 'is its own ancestor.', {
      path: 'bones[3]',
      remedy: 'Cut the loop.',
    });
    expect(error).toBeInstanceOf(PoiseError);
    expect(error.message).toBe('bones[3]: is its own ancestor. Cut the loop.');
    const { name, code, path, what, remedy } = error;
    expect({ name, code, path, what, remedy }).toEqual({
      name: 'FigureError',
      code: 'cycle',
      path: 'bones[3]',
      what: 'is its own ancestor.',
      remedy: 'Cut the loop.',
    });
  });
});
