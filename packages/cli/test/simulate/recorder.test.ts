import { createFigure, createPose } from 'poise/figure';
import { describe, expect, test } from 'vitest';
import { createRecorder, record } from '../../src/simulate/recorder.js';

const body = createFigure({ bones: [{ name: 'body', joint: { type: 'free' } }] });

describe('recorded poses', () => {
  test('of equal consecutive poses the first and the last are kept', () => {
    const recorder = createRecorder();
    const still = Float64Array.from([1, 2, 3, 0, 0, 0]);
    record(recorder, 0, createPose(body));
    for (let n = 1; n <= 10; n++) record(recorder, n, still);
    expect(recorder.times).toEqual([0, 1, 10]);
    still[0] = 9;
    record(recorder, 11, still);
    expect(recorder.times).toEqual([0, 1, 10, 11]);
    expect(recorder.poses.map((pose) => pose[0])).toEqual([0, 1, 1, 9]);
  });
});
