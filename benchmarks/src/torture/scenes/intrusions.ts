/** Bodies inside each other and inside the world: put there at the start, or in the middle of a run. */
import type { Event, Figure, Scene, Triple } from '../scene.js';
import type { Draw } from './draw.js';
import {
  block,
  body,
  boxForm,
  type Draft,
  floor,
  human,
  ROUGH,
  release,
  stairs,
  standing,
  steps,
} from './parts.js';

/** Boxes side by side, as wide as the place is. */
const row = (): Scene['world'] =>
  Array.from({ length: 8 }, (_, k) => block([0, 0.1 * (8 - k), 0.3 * k], [1, 0.1 * (8 - k), 0.15]));

/** Written into the floor, boxes, stairs or each other again and again; in half of the scenes into the open in the end. */
export function teleport(draw: Draw, short: boolean): Draft {
  const dt = draw.pick([1 / 60, 1 / 60, 1 / 120, 1 / 30]);
  const seconds = short ? 12 : 16;
  const kind = draw.pick(['floor', 'stairs', 'row', 'boxes'] as const);
  const world = { floor: [], stairs: stairs(6), row: row(), boxes: boxes() }[kind];
  const count = draw.whole(1, short ? 2 : 3);
  const figures: Figure[] = Array.from({ length: count }, (_, k) => human(standing(-1.5 - 2 * k, 0)));
  const crate = boxForm([0.2, 0.2, 0.2]);
  figures.push(body([crate], draw.log(1, 100), [-1.5, 0.201, 1.5]));
  const isOpen = draw.chance(0.5);
  const times = draw.whole(1, 5);
  const events = Array.from({ length: times }, (_, k): Event => {
    const position: Triple = [
      draw.between(-0.5, 1.5),
      draw.between(kind === 'floor' ? -0.6 : -0.2, 1.2),
      draw.between(-0.5, 1),
    ];
    return {
      step: Math.round((0.5 + (0.3 * seconds * k) / times) / dt),
      type: 'teleport',
      figure: draw.whole(0, count),
      position,
      rotation: draw.rotation(Math.PI),
    };
  });
  if (isOpen) {
    figures.forEach((_, figure) => {
      const position: Triple = [-3 - 2.2 * figure, 1.2, 0];
      const step = Math.round((0.35 * seconds) / dt);
      events.push({ step, type: 'teleport', figure, position, rotation: [0, 0, 0, 1] });
    });
  }
  const mass = figures.flatMap(({ bones }) => bones).reduce((sum, bone) => sum + bone.mass, 0);
  return {
    world: [floor(), ...world],
    figures,
    events,
    steps: steps(dt, seconds),
    expect: {
      rest: isOpen || kind === 'floor',
      mayStayInside: !isOpen,
      released: release(mass, 2) * events.length,
    },
  };
}

const boxes = (): Scene['world'] =>
  [0, 1, 2, 3].map((k) => block([0.5 * (k % 2), 0.25, 0.5 * Math.floor(k / 2)], [0.25, 0.25, 0.25]));

/** Several bodies at nearly the same place. */
export function overlap(draw: Draw, short: boolean): Draft {
  const kind = draw.pick(['humans', 'boxes', 'mixed', 'in the floor'] as const);
  const near = (): Triple => [draw.between(-0.15, 0.15), draw.between(-0.2, 0.2), draw.between(-0.15, 0.15)];
  const people =
    kind === 'boxes' ? 0 : kind === 'mixed' ? 1 : draw.whole(kind === 'humans' ? 2 : 1, short ? 2 : 3);
  const crates = kind === 'boxes' ? draw.whole(2, 6) : kind === 'mixed' ? draw.whole(1, 4) : 0;
  const low = kind === 'in the floor' ? 0.2 : 1.2;
  const figures = Array.from({ length: people }, (_, k) => {
    const [x, y, z] = near();
    return human([x + (kind === 'in the floor' ? 2.5 * k : 0), low + y, z], {
      rotation: draw.rotation(Math.PI),
    });
  });
  for (let k = 0; k < crates; k++) {
    const [x, y, z] = near();
    const half = draw.between(0.1, 0.3);
    figures.push(
      body([boxForm([half, half, half])], draw.log(1, 100), [x, 1 + y, z], {
        rotation: draw.rotation(Math.PI),
        surface: ROUGH,
      }),
    );
  }
  const mass = figures.flatMap(({ bones }) => bones).reduce((sum, bone) => sum + bone.mass, 0);
  // Two humans at one place hook into each other: they may stay so.
  return {
    world: [floor()],
    figures,
    steps: steps(draw.pick([1 / 60, 1 / 60, 1 / 120]), short ? 8 : 12),
    expect: {
      rest: kind !== 'humans',
      mayStayInside: kind === 'humans' || kind === 'mixed',
      released: release(mass, 1),
    },
  };
}
