import { createFigure, type Triple } from 'poise/figure';
import { luxo, luxoFeet, luxoStance } from '../luxo-model.js';
import type { SpacetimeExample } from './example.js';

/** Length of the jump, m. */
const FAR = 0.3;
const DURATION = 1.2;
/** Times of take-off and landing of the base, s. */
const LEAVES = 0.5;
const LANDS = 0.75;

/**
 * The lamp crouches, jumps over a distance, and comes to rest in its initial pose. The initial guess slides there in a straight line. Its motors have no
 * bounds, like the muscles of Witkin and Kass: the effort term keeps the torques low.
 *
 * @param intervals - Knot intervals.
 */
export function luxoJump(intervals = 24): SpacetimeExample {
  const figure = createFigure(luxo);
  const landed = luxoStance.map((x, i) => (i === 2 ? FAR : x));
  const there = luxoFeet.map(([x, y, z]): Triple => [x, y, z + FAR]);
  return {
    name: 'luxo-jump',
    title: 'Lamp jumps',
    figure,
    about: `A desk lamp jumps ${FAR} m from rest to rest with the least effort of its three motors.`,
    options: { tolerance: 1e-5, gain: 1e-3 },
    traced: 'head',
    view: { yaw: 90, apart: 0.66, height: 0.62, middle: 0.14 },
    data: {
      duration: DURATION,
      intervals,
      reference: luxoStance,
      terms: [
        { type: 'pose', name: 'stands', at: 0 },
        { type: 'velocity', name: 'at rest', at: 0 },
        { type: 'pose', name: 'stands there', at: DURATION, pose: landed },
        { type: 'velocity', name: 'at rest again', at: DURATION },
        {
          type: 'contact',
          name: 'stance',
          bone: 'base',
          points: luxoFeet,
          over: [0, LEAVES],
          positions: luxoFeet,
        },
        {
          type: 'contact',
          name: 'landing',
          bone: 'base',
          points: luxoFeet,
          over: [LANDS, DURATION],
          positions: there,
        },
        { type: 'physics' },
        { type: 'effort' },
        { type: 'smoothness', weight: 1e-4 },
      ],
    },
  };
}
