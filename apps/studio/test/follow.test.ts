import { vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { arrive, isBehind, nextShift, useFollow, viewShift } from '../src/scene/follow.js';
import { session } from '../src/session/store.js';

const FRAME = 1 / 60;
/** The furthest that a view goes in a frame while it follows, m: 3 m in a second are seen as a move, not as a cut. */
const SMOOTH = 0.05;

/** The body that is carried away along x, m. */
function carry(x: number): void {
  const pose = Float64Array.from(session.character.pose);
  pose[0] += x;
  session.follow(pose);
}

describe('the view that follows', () => {
  it('stays while the pointer pulls the figure, and comes after it without a jump', () => {
    let shift: readonly number[] = [0, 0, 0];
    for (let frame = 1; frame <= 30; frame++) {
      carry((0.8 * frame) / 30);
      shift = nextShift(shift, FRAME, true);
      expect(shift).toEqual([0, 0, 0]);
    }
    // Let go, it is thrown on.
    for (let frame = 1; frame <= 120; frame++) {
      carry(0.8 + 0.2 * Math.min(1, frame / 30));
      const next = nextShift(shift, FRAME, false);
      expect(vec3.distance(next, shift)).toBeLessThan(SMOOTH);
      shift = next;
    }
    expect(isBehind()).toBe(false);
    expect(shift[0]).toBeCloseTo(1 - 0.1 * 1.75, 3);
  });

  it('is with a clip at once, whatever was pulled before', () => {
    carry(0.8);
    nextShift([0, 0, 0], FRAME, true);
    expect(isBehind()).toBe(true);
    expect(nextShift([0, 0, 0], Number.POSITIVE_INFINITY, false)[0]).toBeCloseTo(0.8 - 0.1 * 1.75, 9);
    carry(1.8);
    expect(nextShift([0, 0, 0], FRAME, false)[0]).toBeCloseTo(1.8 - 0.1 * 1.75, 9);
  });

  it('stays where Reset view looks, while it was still on its way', () => {
    carry(0.8);
    nextShift([0, 0, 0], FRAME, true);
    const shift = arrive();
    expect(shift).toEqual(viewShift());
    expect(nextShift(shift, FRAME, false)).toEqual(viewShift());
    expect(isBehind()).toBe(false);
  });

  it('has no way left once it does not follow', () => {
    carry(0.8);
    nextShift([0, 0, 0], FRAME, true);
    expect(isBehind()).toBe(true);
    useFollow.setState({ isOn: false });
    expect(isBehind()).toBe(false);
    useFollow.setState({ isOn: true });
  });
});
