import { clampToLimits } from 'poise/figure';
import { describe, expect, it } from 'vitest';
import { Ground } from '../foot-planting/ground.js';
import { Walker } from '../foot-planting/walker.js';
import { createCharacter } from '../shared/character.js';

/** The slide over some seconds at so many frames a second, after a warm-up. */
function slideOf(weight: number, framesPerSecond: number): number {
  const walker = new Walker(createCharacter());
  walker.planter.weight = weight;
  let max = 0;
  for (let n = 0; n < 8 * framesPerSecond; n++) {
    walker.step(1 / framesPerSecond);
    if (n > 2 * framesPerSecond) max = Math.max(max, walker.slide);
  }
  return max;
}

describe('the walker on uneven ground', () => {
  it('has feet that stand where they came down, at any rate of frames', () => {
    for (const framesPerSecond of [24, 60, 144]) expect(slideOf(1, framesPerSecond)).toBeLessThan(1e-3);
  });

  it('slides without the planter, so that there is something to show', () => {
    expect(slideOf(0, 60)).toBeGreaterThan(0.03);
  });

  it('keeps the limits of the figure, on steeper ground too', () => {
    const character = createCharacter();
    const walker = new Walker(character, new Ground(1.2));
    const { binding } = walker.planter;
    const legs = character.figure.bones.filter(({ name }) => /Leg|Foot/.test(name));
    let stood = 0;
    for (let n = 0; n < 300; n++) {
      walker.step(1 / 60);
      stood += walker.planter.feet.filter(({ locked }) => locked).length;
      const pose = binding.readPose(new Float64Array(character.figure.dof));
      const clamped = Float64Array.from(pose);
      clampToLimits(character.figure, clamped);
      for (const { coordinate, dof } of legs) {
        for (let i = coordinate; i < coordinate + dof; i++)
          expect(Math.abs(pose[i] - clamped[i])).toBeLessThan(1e-9);
      }
    }
    expect(stood).toBeGreaterThan(200);
  });
});
