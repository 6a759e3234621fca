import { describe, expect, it } from 'vitest';
import { Ground } from '../foot-planting/ground.js';
import { Walker } from '../foot-planting/walker.js';
import { createCharacter } from '../shared/character.js';

/** The slide over some seconds at so many frames a second, after a warm-up. */
function slideOf(weight: number, framesPerSecond: number): number {
  const walker = new Walker(createCharacter());
  walker.solver.weight = weight;
  let max = 0;
  for (let n = 0; n < 8 * framesPerSecond; n++) {
    const { residuals } = walker.step(1 / framesPerSecond);
    if (n > 2 * framesPerSecond) max = Math.max(max, walker.slide);
    // The place of each foot is reached in every frame, whatever its ankle allows of the slope.
    if (n > 0 && weight === 1) {
      expect(residuals.filter(({ type, satisfied }) => type === 'position' && satisfied)).toHaveLength(2);
    }
  }
  return max;
}

describe('the walker on uneven ground', () => {
  it('has feet that stand where they came down, within twice the tolerance, at any rate of frames', () => {
    for (const framesPerSecond of [24, 60, 144]) expect(slideOf(1, framesPerSecond)).toBeLessThan(2.1e-4);
  });

  it('slides without the solver, so that there is something to show', () => {
    expect(slideOf(0, 60)).toBeGreaterThan(0.03);
  });

  it('meets every goal in 97 of 100 frames, and says converged exactly where it does', () => {
    const walker = new Walker(createCharacter());
    let met = 0;
    for (let n = 0; n < 900; n++) {
      const { status, residuals } = walker.step(1 / 60);
      const isMet = residuals.every(({ value, tolerance }) => value <= tolerance);
      expect(status === 'converged').toBe(isMet);
      if (isMet) met++;
    }
    expect(met).toBeGreaterThan(0.97 * 900);
  });

  it('names the ankle where the ground is steeper than it bends, and keeps the feet all the same', () => {
    const walker = new Walker(createCharacter(), new Ground(1.2));
    const blamed = new Set<string>();
    for (let n = 0; n < 300; n++) {
      const { status, activeLimits } = walker.step(1 / 60);
      if (status === 'limit-blocked') for (const { bone } of activeLimits) blamed.add(bone);
    }
    expect([...blamed].sort()).toEqual(['leftFoot', 'rightFoot']);
    expect(walker.tilt).toBeGreaterThanOrEqual(0);
    expect(walker.slide).toBeLessThan(2.1e-4);
  });
});
