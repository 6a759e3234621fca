/** Boxes on boxes, and cogs in a heap. */
import type { Event, Figure, Form, Triple } from '../scene.js';
import { type Draw, rotationBy } from './draw.js';
import { body, boxForm, type Draft, floor, NONE, pit, steps } from './parts.js';

const UP: Triple = [0, 1, 0];

/** A tower, tapped when it stands. */
export function stack(draw: Draw, short: boolean): Draft {
  const count = draw.whole(2, short ? 8 : 12);
  const half = draw.between(0.1, 0.4);
  const density = draw.log(100, 2000);
  const [shift, yaw] = draw.chance(0.5) ? [0, 0] : [0.1 * half, 0.3];
  const dt = draw.pick([1 / 30, 1 / 60, 1 / 60, 1 / 120, 1 / 240]);
  const mass = density * 8 * half ** 3;
  const figures = Array.from({ length: count }, (_, k): Figure => {
    const position: Triple = [
      draw.between(-shift, shift),
      half + k * 2.002 * half,
      draw.between(-shift, shift),
    ];
    return body([boxForm([half, half, half])], mass, position, {
      rotation: rotationBy(UP, draw.between(-yaw, yaw)),
    });
  });
  const taps = Array.from({ length: draw.whole(1, 3) }, (_, k): Event => {
    const [x, , z] = draw.direction();
    const size = mass * draw.log(0.01, 0.3);
    return {
      step: Math.round((1.5 + 0.7 * k) / dt),
      type: 'impulse',
      figure: draw.chance(0.7) ? count - 1 : draw.whole(0, count - 1),
      bone: 0,
      impulse: [size * x, 0, size * z],
    };
  });
  return {
    world: [floor()],
    figures,
    events: taps,
    steps: steps(dt, short ? 9 : 14),
    expect: { rest: true },
  };
}

/** A few boxes, each up to a thousand times as heavy as another. */
export function ratio(draw: Draw, short: boolean): Draft {
  const count = draw.whole(2, 4);
  const span = draw.log(10, 1000);
  const base = draw.log(0.1, 10);
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120]);
  let height = 0;
  const figures = Array.from({ length: count }, (_, k): Figure => {
    const half = draw.between(0.1, 0.3);
    height += half + 0.002;
    const share = k === 0 ? 0 : k === count - 1 ? 1 : draw.between(0, 1);
    const figure = body([boxForm([half, half, half])], base * span ** share, [0, height, 0]);
    height += half;
    return figure;
  });
  if (draw.chance(0.3)) {
    // The heaviest lowest.
    const [first, last] = [figures[0], figures[count - 1]];
    figures[0] = { ...first, bones: [{ ...first.bones[0], mass: base * span }] };
    figures[count - 1] = { ...last, bones: [{ ...last.bones[0], mass: base }] };
  }
  return { world: [floor()], figures, steps: steps(dt, short ? 6 : 10), expect: { rest: true } };
}

/** Bodies of several boxes that hook into each other, poured into a pit. */
export function cog(draw: Draw, short: boolean): Draft {
  const count = short ? draw.whole(3, 5) : draw.whole(4, 12);
  const size = draw.between(0.15, 0.3);
  const figures = Array.from({ length: count }, (_, k) =>
    body(
      draw.pick([cross, hook, ring])(size),
      draw.log(1, 20),
      [draw.between(-0.2, 0.2), 1 + 3.2 * size * k, draw.between(-0.2, 0.2)],
      { rotation: draw.rotation(Math.PI), spin: draw.direction() },
    ),
  );
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120]);
  return {
    world: [floor(), ...pit(3.5 * size, 2)],
    figures,
    steps: steps(dt, short ? 8 : 12),
    expect: { rest: true },
  };
}

/** Three bars through one middle. */
function cross(size: number): Form[] {
  const thin = size / 5;
  return [boxForm([size, thin, thin]), boxForm([thin, size, thin]), boxForm([thin, thin, size])];
}

/** A U. */
function hook(size: number): Form[] {
  const thin = size / 5;
  const arm: Triple = [thin, size / 2, thin];
  return [
    boxForm([size, thin, thin], NONE),
    boxForm(arm, [size - thin, size / 2 + thin, 0]),
    boxForm(arm, [thin - size, size / 2 + thin, 0]),
  ];
}

/** Six teeth round a hub. */
function ring(size: number): Form[] {
  const teeth = Array.from({ length: 6 }, (_, k) => {
    const angle = (k * Math.PI) / 3;
    const rotation = rotationBy([0, 0, 1], angle);
    const center: Triple = [0.7 * size * Math.cos(angle), 0.7 * size * Math.sin(angle), 0];
    return boxForm([0.3 * size, 0.12 * size, 0.15 * size], center, rotation);
  });
  return [boxForm([0.4 * size, 0.4 * size, 0.15 * size]), ...teeth];
}
