/** Steps of every length in one run. */
import type { Triple } from '../scene.js';
import type { Draw } from './draw.js';
import { body, boxForm, type Draft, floor, human, stairs, steps } from './parts.js';
import { mouse } from './ragdolls.js';

const MAX_STEP = 0.05;

/** A human and crates fall on stairs while frames come as they like: jitter, tiny steps, a sleeping tab; then three seconds of ordinary ones. */
export function rate(draw: Draw, short: boolean): Draft {
  const all: number[] = [];
  for (let k = 0; k < (short ? 4 : 8); k++) all.push(...segment(draw));
  const play = all.length;
  all.push(...steps(1 / 60, short ? 7 : 9));
  const crates = Array.from({ length: draw.whole(1, short ? 2 : 4) }, (_, k) =>
    body([boxForm([0.2, 0.2, 0.2])], draw.log(1, 60), [0.3 * k, 3.5 + 0.6 * k, 0.1 * k], {
      rotation: draw.rotation(1),
    }),
  );
  const people = Array.from({ length: draw.whole(1, 2) }, (_, k) =>
    human([0.2 * k, 1.6 + 1.8 * k, 0.3 * k], { rotation: draw.rotation(0.7) }),
  );
  const path = [0, 1, 2].map((): Triple => [draw.between(-1, 2), draw.between(0.5, 2), draw.between(-1, 1)]);
  const hand = { ...mouse(draw, 0, 'leftHand', path, 0, 1, 1, draw.log(100, 600)) };
  // A page's spring that stays stable in its longest step.
  const spring = { stiffness: 0.2 / MAX_STEP ** 2, damping: 0.1 / MAX_STEP };
  const dragged = { ...hand, ...spring, from: Math.floor(0.3 * play), until: Math.floor(0.8 * play) };
  return {
    world: [floor(), ...stairs(5)],
    figures: [...people, ...crates],
    drags: draw.chance(0.5) ? [dragged] : [],
    steps: all,
    expect: { rest: true },
  };
}

function segment(draw: Draw): number[] {
  switch (draw.pick(['even', 'jitter', 'tiny', 'asleep', 'any'] as const)) {
    case 'even': {
      const dt = Math.min(MAX_STEP, 1 / draw.log(10, 240));
      return steps(dt, draw.between(0.5, 1));
    }
    case 'jitter':
      return Array.from({ length: 60 }, () => Math.min(MAX_STEP, Math.max(0.002, draw.between(0, 2 / 60))));
    case 'tiny':
      return Array.from({ length: 60 }, () => (draw.chance(0.15) ? draw.log(1e-9, 1e-3) : 1 / 60));
    case 'asleep':
      return steps(MAX_STEP, draw.between(1, 4));
    case 'any':
      return Array.from({ length: 60 }, () => draw.log(1e-4, MAX_STEP));
  }
}
