import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../../src/math/geometry/quat.js';
import {
  advance,
  COLUMNS,
  createSeries,
  expandState,
  ORDER,
  ROWS,
  STATE,
  stepLength,
  writeSensitivity,
} from '../../../../src/motion/rotations/minimum-acceleration/taylor-series.js';
import { quatFromRotationVector } from '../../../../src/rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../../../src/rotation/rotation-vector/log.js';

const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 9, maxLength: 9 });
const stateOf = (values: readonly number[]) => Float64Array.of(0, 0, 0, 1, ...values);
/** The state `h` on, by one step. */
function after(state: Float64Array, h: number): Float64Array {
  const out = new Float64Array(STATE.size);
  advance(expandState(state, createSeries()), h, out);
  return out;
}

describe("the Taylor series of w''' = w'' x w", () => {
  it('of a constant angular velocity rotates by h w', () => {
    const end = after(stateOf([0.3, -1.2, 0.8, 0, 0, 0, 0, 0, 0]), 0.9);
    const rotation = quatFromRotationVector([0.27, -1.08, 0.72]);
    for (let k = 0; k < 4; k++) expect(Math.abs(end[k] - rotation[k])).toBeLessThan(3e-16);
    expect(Array.from(end.slice(STATE.w))).toEqual([0.3, -1.2, 0.8, 0, 0, 0, 0, 0, 0]);
  });

  it('agrees with half steps, and is reversible', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const state = stateOf(values);
        const h = stepLength(expandState(state, createSeries()), 1);
        expect(h).toBeGreaterThan(0.02);
        const end = after(state, h);
        const halves = after(after(state, h / 2), h / 2);
        const back = after(end, -h);
        for (let k = 0; k < STATE.size; k++) {
          expect(Math.abs(end[k] - halves[k])).toBeLessThan(1e-13 * (1 + Math.max(...end.map(Math.abs))));
          expect(Math.abs(back[k] - state[k])).toBeLessThan(1e-12 * (1 + Math.max(...end.map(Math.abs))));
        }
      }),
    );
  });

  it("conserves |w''| and w.w'' - |w'|^2/2", () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const state = stateOf(values);
        const end = after(state, stepLength(expandState(state, createSeries()), 1));
        const dot = (s: Float64Array, a: number, b: number) =>
          s[a] * s[b] + s[a + 1] * s[b + 1] + s[a + 2] * s[b + 2];
        const kept = (s: Float64Array) => [
          Math.sqrt(dot(s, STATE.j, STATE.j)),
          dot(s, STATE.w, STATE.j) - dot(s, STATE.a, STATE.a) / 2,
          // R w'' in the world.
          ...quat.rotate(s.subarray(0, 4), s.subarray(STATE.j)),
        ];
        const [before, now] = [kept(state), kept(end)];
        for (const [k, x] of before.entries()) expect(Math.abs(now[k] - x)).toBeLessThan(1e-12);
      }),
    );
  });

  it('has the sensitivities of finite differences', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const state = stateOf(values);
        const series = expandState(state, createSeries());
        const h = stepLength(series, 1);
        const matrix = new Float64Array(ROWS * COLUMNS);
        writeSensitivity(series, h, matrix);
        const middle = quat.conjugate(after(state, h).subarray(0, 4));
        const d = 1e-4;
        for (let c = 0; c < COLUMNS; c++) {
          const moved = [1, -1, 2, -2].map((k) => {
            const other = state.slice();
            other[STATE.w + c] += k * d;
            const end = after(other, h);
            const rotation = rotationVectorFromQuat(quat.multiply(middle, end.subarray(0, 4)));
            return [...rotation, ...end.slice(STATE.w)];
          });
          for (let r = 0; r < ROWS; r++) {
            const slope = (8 * (moved[0][r] - moved[1][r]) - (moved[2][r] - moved[3][r])) / (12 * d);
            expect(Math.abs(slope - matrix[COLUMNS * r + c])).toBeLessThan(1e-9);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('has last terms below rounding at the end of a step', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const series = expandState(stateOf(values), createSeries());
        const h = stepLength(series, 1);
        for (let i = 0; i < 4; i++)
          expect(Math.abs(series.q[4 * ORDER + i] * h ** ORDER)).toBeLessThan(2e-17);
        const size = Math.max(...values.map(Math.abs));
        for (let i = 0; i < 3; i++) {
          expect(Math.abs(series.w[3 * ORDER + i] * h ** ORDER)).toBeLessThan(1e-17 * size + 1e-300);
        }
      }),
    );
  });
});
