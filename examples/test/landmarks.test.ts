import fc from 'fast-check';
import { FormatError } from 'poise';
import { BODY_LANDMARKS } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { readRecording, writeRecording } from '../landmarks/read-recording.js';
import { type Frame, observe, type Recording, synthesise } from '../landmarks/recording.js';

const body = (x: number) => BODY_LANDMARKS.map((_, m) => ({ x: x + m, y: 1 - m, z: 0.5, visibility: 0.9 }));
const read = (data: unknown): Recording => readRecording(JSON.stringify(data), 'a.json');

function refusal(text: string): FormatError {
  try {
    readRecording(text, 'a.json');
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a recording of landmarks', () => {
  it('is read in every shape that MediaPipe gives, to the same frames', () => {
    const frames = [body(1), body(2)];
    for (const data of [
      frames,
      { frames },
      frames.map((points) => ({ landmarks: [[]], worldLandmarks: [points] })),
      frames.map((points) => ({ poseLandmarks: [], poseWorldLandmarks: points })),
      { framesPerSecond: 30, frames: frames.map((points) => ({ worldLandmarks: [points, body(9)] })) },
    ]) {
      expect(read(data)).toEqual({ name: 'a.json', frames, framesPerSecond: 30 });
    }
  });

  it('has gaps where nobody is in view, and points without a visibility or not there at all', () => {
    const bare = body(0).map(({ x, y, z }, m) => (m === 4 ? null : { x, y, z }));
    const { frames } = read([{ landmarks: [], worldLandmarks: [] }, {}, null, bare]);
    expect(frames).toEqual([null, null, null, bare]);
  });

  it('goes as fast as its times say', () => {
    const at = (timestampMs: number) => ({ timestampMs, worldLandmarks: [body(0)] });
    expect(read([at(100), at(140), at(180)]).framesPerSecond).toBeCloseTo(25, 12);
    expect(read({ framesPerSecond: 12, frames: [at(0), at(40)] }).framesPerSecond).toBe(12);
    expect(read([at(5), at(5)]).framesPerSecond).toBe(30);
  });

  it('comes back from what is written of it, the synthesised one too', () => {
    const made = synthesise();
    expect(readRecording(writeRecording(made), 'synthesised')).toEqual(made);
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
    const point = fc.option(fc.record({ x: number, y: number, z: number, visibility: number }));
    const frame = fc.option(fc.array(point, { minLength: 33, maxLength: 33 }));
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 4 }), (frames) => {
        fc.pre(frames.some((one) => one !== null));
        const recording = { name: 'a', frames, framesPerSecond: 24 };
        expect(readRecording(writeRecording(recording), 'a')).toEqual(recording);
      }),
      { numRuns: 30 },
    );
  });

  const spoiled = (change: object) => [
    body(0).map((point, m) => (m === 7 ? { ...point, ...change } : point)),
  ];
  it.each([
    ['no JSON', '[', 'a.json'],
    ['a text', '"x"', 'a.json'],
    ['nothing in it', '[]', 'a.json'],
    ['an object without frames', '{}', 'a.json#frames'],
    ['a number for a frame', '[3]', 'a.json[0]'],
    ['a rate of 0', JSON.stringify({ framesPerSecond: 0, frames: [body(0)] }), 'a.json#framesPerSecond'],
    ['too few landmarks', JSON.stringify([body(0).slice(1)]), 'a.json[0]'],
    ['a hand', JSON.stringify([{ worldLandmarks: [body(0).slice(0, 21)] }]), 'a.json[0].worldLandmarks[0]'],
    ['a point that is a number', JSON.stringify([[...body(0).slice(1), 1]]), 'a.json[0][32]'],
    ['a coordinate that is null', JSON.stringify(spoiled({ y: null })), 'a.json[0][7].y'],
    ['a coordinate in words', JSON.stringify(spoiled({ z: 'far' })), 'a.json[0][7].z'],
    ['a number too large', JSON.stringify(spoiled({ x: 7.5 })).replace('7.5', '1e999'), 'a.json[0][7].x'],
    ['a visibility that is none', JSON.stringify(spoiled({ visibility: true })), 'a.json[0][7].visibility'],
    ['nobody in it', '[null, {}]', 'a.json'],
  ])('is refused with its place: %s', (_, text, path) => {
    const error = refusal(text);
    expect([error.code, error.path]).toEqual(['invalid-file', path]);
    expect(error.remedy).not.toBe('');
  });

  it('says what to keep instead of places in the picture', () => {
    expect(refusal(JSON.stringify([{ landmarks: [body(0)] }])).remedy).toContain('worldLandmarks');
  });
});

describe('the camera model', () => {
  const frame = synthesise().frames[0] as NonNullable<Frame>;

  it('adds nothing without noise and gaps, and the same for the same seed', () => {
    expect(observe(frame, 0, 0, 1)).toBe(frame);
    expect(observe(frame, 0.01, 0.2, 5)).toEqual(observe(frame, 0.01, 0.2, 5));
    expect(observe(frame, 0.01, 0.2, 5)).not.toEqual(observe(frame, 0.01, 0.2, 6));
    expect(observe(null, 0.01, 0.2, 5)).toBeNull();
  });

  it('drops its share of points, and is noisier along the line of sight than across it', () => {
    let [dropped, across, along, count] = [0, 0, 0, 0];
    for (let seed = 0; seed < 400; seed++) {
      observe(frame, 0.01, 0.25, seed)?.forEach((seen, m) => {
        const true_ = frame[m];
        if (seen === null || true_ === null) {
          dropped++;
          return;
        }
        const sight = [true_.x, true_.y, true_.z + 2.6];
        const length = Math.hypot(...sight);
        const off = [seen.x - true_.x, seen.y - true_.y, seen.z - true_.z];
        const depth = off.reduce((sum, value, k) => sum + (value * sight[k]) / length, 0);
        along += depth ** 2;
        across += off.reduce((sum, value) => sum + value ** 2, 0) - depth ** 2;
        count++;
      });
    }
    expect(dropped / (400 * 33)).toBeCloseTo(0.25, 1);
    // Two directions across; standard errors are below 1 %.
    expect(Math.sqrt(across / count / 2)).toBeCloseTo(0.01, 3);
    expect(Math.sqrt(along / count) / Math.sqrt(across / count / 2)).toBeGreaterThan(1.9);
    expect(Math.sqrt(along / count) / Math.sqrt(across / count / 2)).toBeLessThan(2.1);
  });
});
