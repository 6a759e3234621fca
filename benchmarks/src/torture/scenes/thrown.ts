/** Fast, heavy, light, bouncing and spinning bodies. */
import type { Figure, Form, Surface, Triple } from '../scene.js';
import { type Draw, rotationBy } from './draw.js';
import { block, body, boxForm, type Draft, floor, human, NONE, standing, steps, triple } from './parts.js';
import { wild } from './ragdolls.js';

function missile(draw: Draw): Form {
  const size = draw.log(0.05, 0.3);
  return draw.pick<Form>([
    { type: 'sphere', center: NONE, radius: size },
    { type: 'capsule', from: [0, -size, 0], to: [0, size, 0], radius: 0.6 * size },
    boxForm([size, size, size]),
  ]);
}

/** At a thin wall, a wall of bricks, or a human, by up to 500 m/s and from a gram to a ton. */
export function throwing(draw: Draw, short: boolean): Draft {
  const aim = draw.pick(['wall', 'bricks', 'human'] as const);
  const count = draw.whole(1, short ? 3 : 6);
  const fastest = aim === 'human' ? 60 : 500;
  const figures: Figure[] = Array.from({ length: count }, (_, k) => {
    const speed = draw.log(5, fastest);
    const mass = aim === 'human' ? draw.log(0.01, 100) : draw.log(0.001, 1000);
    return body([missile(draw)], mass, [-2 - 1.2 * k, draw.between(0.6, 1.5), draw.between(-0.2, 0.2)], {
      rotation: draw.rotation(Math.PI),
      velocity: [speed, draw.between(-0.05, 0.05) * speed, 0],
      spin: wild(draw, 30),
    });
  });
  if (aim === 'human') figures.push(human(standing(0, 0)));
  if (aim === 'bricks') {
    for (let k = 0; k < 9; k++) {
      const place: Triple = [0, 0.2 + 0.402 * Math.floor(k / 3), 0.42 * ((k % 3) - 1)];
      figures.push(body([boxForm([0.1, 0.2, 0.2])], draw.log(1, 50), place));
    }
  }
  const thickness = draw.log(0.01, 0.1);
  const far = 1;
  const center: Triple = [far + thickness, 100, 0];
  const wall = block(center, [thickness, 100, 100]);
  const normal: Triple = [-1, 0, 0];
  return {
    world: [floor(), wall],
    figures,
    steps: steps(draw.pick([1 / 60, 1 / 60, 1 / 120, 1 / 240]), short ? 3 : 5),
    expect: { walls: [{ normal, offset: -(far + 2 * thickness), center, reach: 99 }] },
  };
}

/** Spinning tops: in the air without gravity about any axis, or on the floor. */
export function top(draw: Draw, short: boolean): Draft {
  const isFree = draw.chance(0.5);
  const half: Triple = [draw.between(0.05, 0.3), draw.between(0.05, 0.3), draw.between(0.05, 0.3)];
  const axis = draw.pick<Triple>([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
  const speed = draw.log(5, 200);
  const wobble = wild(draw, 0.05 * speed);
  const spin = triple(axis.map((x, k) => speed * x + wobble[k]));
  const dt = draw.pick([1 / 60, 1 / 120, 1 / 240]);
  if (isFree) {
    const figure = body([boxForm(half)], draw.log(0.1, 10), NONE, { spin });
    return {
      gravity: 0,
      figures: [figure],
      steps: steps(dt, short ? 4 : 10),
      expect: { energy: 'not gained' },
    };
  }
  const flat: Form = boxForm([0.15, 0.02, 0.15], [0, 0.12, 0]);
  const stick: Form = { type: 'capsule', from: [0, 0.03, 0], to: [0, 0.2, 0], radius: 0.02 };
  const tilt = rotationBy([1, 0, 0], draw.between(0, 0.4));
  const figure = body([stick, flat], draw.log(0.1, 5), [0, 0.02, 0], {
    rotation: tilt,
    spin: [0, speed, 0],
    surface: { friction: draw.pick([0, 0.3, 0.8]), restitution: 0 },
  });
  return {
    world: [floor()],
    figures: [figure],
    steps: steps(dt, short ? 6 : 12),
    expect: { energy: 'not gained' },
  };
}

/** Restitution and friction from none to more than there is. */
export function surface(draw: Draw, short: boolean): Draft {
  const one = (): Surface => ({
    friction: draw.pick([0, 0.05, 0.5, 1, 5, 20]),
    restitution: draw.pick([0, 0.3, 0.6, 0.9, 1]),
  });
  const figures = Array.from({ length: draw.whole(1, short ? 3 : 6) }, (_, k) =>
    body([missile(draw)], draw.log(0.1, 50), [1.2 * k, draw.between(0.8, 4), 0], {
      rotation: draw.rotation(Math.PI),
      velocity: wild(draw, 3),
      spin: wild(draw, 10),
      surface: one(),
    }),
  );
  const slope = { ...boxForm([4, 0.2, 2], [2, 0, 0], rotationBy([0, 0, 1], draw.between(0, 0.5))), ...one() };
  return {
    world: [floor(one()), ...(draw.chance(0.5) ? [slope] : [])],
    figures,
    steps: steps(draw.pick([1 / 30, 1 / 60, 1 / 120]), short ? 6 : 12),
    expect: { energy: 'not gained' },
  };
}
