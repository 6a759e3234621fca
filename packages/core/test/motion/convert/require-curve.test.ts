import { describe, expect, it } from 'vitest';
import * as convert from '../../../src/motion/convert/index.js';
import { linearCurve } from '../../../src/motion/curves/index.js';
import { simplifyCurve, simplifyRotation } from '../../../src/motion/fit/index.js';
import type { Curve } from '../../../src/motion/representation/curve.js';
import type { RotationCurve } from '../../../src/motion/representation/rotation-curve.js';
import {
  arcLength,
  arcLengthTiming,
  retimeCurve,
  retimeRotation,
  speedLimitTiming,
} from '../../../src/motion/retime/index.js';
import { slerpCurve } from '../../../src/motion/rotations/index.js';

const line = linearCurve({ times: [0, 1], values: [0, 1] });
const rotation = slerpCurve({ times: [0, 1], quaternions: [0, 0, 0, 1, 0.6, 0, 0, 0.8] });
const played = retimeCurve(line, line);
const refused = (path: string, remedy: string) =>
  expect.objectContaining({
    name: 'MotionError',
    code: 'unsupported',
    path,
    remedy: expect.stringContaining(remedy),
  });

const takers: Readonly<Record<string, (curve: Curve) => unknown>> = {
  simplifyCurve: (curve) => simplifyCurve(curve, { tolerance: 1 }),
  retimeCurve: (curve) => retimeCurve(curve, line),
  toHermite: convert.toHermite,
  toBezier: convert.toBezier,
  toBSpline: (curve) => convert.toBSpline(curve),
  raiseDegree: (curve) => convert.raiseDegree(curve, 3),
  reverseCurve: convert.reverseCurve,
  sliceCurve: (curve) => convert.sliceCurve(curve, 0, 1),
};
const movers: Readonly<Record<string, (motion: Curve | RotationCurve) => unknown>> = {
  arcLength: (motion) => arcLength(motion),
  arcLengthTiming: (motion) => arcLengthTiming(motion),
  speedLimitTiming: (motion) => speedLimitTiming([{ motion }]),
};

describe('anything but a curve is refused with a remedy', () => {
  for (const [name, take] of Object.entries(takers)) {
    it(`by ${name}`, () => {
      expect(() => take(played as unknown as Curve)).toThrow(refused('curve', 'bakeTiming'));
      expect(() => take(rotation as unknown as Curve)).toThrow(refused('curve', 'simplifyRotation'));
      for (const nothing of [undefined, null, 3, 'curve', {}]) {
        expect(() => take(nothing as unknown as Curve)).toThrow(refused('curve', 'createCurve'));
      }
    });
  }

  it('by joinCurves, with its index', () => {
    expect(() => convert.joinCurves([line, undefined as unknown as Curve])).toThrow(
      refused('curves[1]', 'createCurve'),
    );
  });

  for (const [name, move] of Object.entries(movers)) {
    it(`by ${name}, which takes rotation curves too`, () => {
      expect(() => move(played as unknown as Curve)).toThrow(refused('motion', 'bakeTiming'));
      for (const nothing of [undefined, null, 3, {}]) {
        expect(() => move(nothing as unknown as Curve)).toThrow(refused('motion', 'slerpCurve'));
      }
    });
  }

  it('by functions of rotation curves or timings', () => {
    for (const nothing of [undefined, null, 3, {}, line]) {
      if (nothing !== line) {
        expect(() => retimeCurve(line, nothing as unknown as Curve)).toThrow(refused('timing', 'easeTiming'));
      }
      const none = nothing as unknown as RotationCurve;
      expect(() => simplifyRotation(none, { tolerance: 1 })).toThrow(refused('curve', 'slerpCurve'));
      expect(() => retimeRotation(none, line)).toThrow(refused('curve', 'slerpCurve'));
    }
    expect(() => retimeCurve(line, played as unknown as Curve)).toThrow(refused('timing', 'easeTiming'));
  });
});
