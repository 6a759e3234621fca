/** Light links under heavy bobs, by connections and in one figure. */
import type { Bone, Connection, Event, Figure, Joint, Triple } from '../scene.js';
import { type Draw, rotationBy } from './draw.js';
import { body, boxForm, type Draft, NONE, steps, UPRIGHT } from './parts.js';

const Z: Triple = [0, 0, 1];

/** Free links joined at points, hanging still, from the side, or struck; a bob up to a thousand times as heavy as a link. */
export function chain(draw: Draw, short: boolean): Draft {
  const links = draw.whole(1, short ? 8 : 14);
  const size = draw.between(0.08, 0.3);
  const mass = draw.log(0.02, 2);
  const ratio = draw.chance(0.15) ? 1 : draw.log(1, 1000);
  const dt = draw.pick([1 / 30, 1 / 60, 1 / 60, 1 / 60, 1 / 120, 1 / 240]);
  const start = draw.pick(['still', 'still', 'tilted', 'level', 'struck'] as const);
  const angle = start === 'level' ? 0 : start === 'tilted' ? -draw.between(0.2, 1.4) : -Math.PI / 2;
  const drag = start === 'still' || draw.chance(0.5) ? draw.between(0.3, 1.5) : 0;
  const way: Triple = [Math.cos(angle), Math.sin(angle), 0];
  const along = (distance: number): Triple => [way[0] * distance, way[1] * distance, 0];
  const thin = size / 10;
  const rotation = rotationBy(Z, angle);
  const figures = Array.from({ length: links }, (_, k) =>
    body([boxForm([size / 2, thin, thin])], mass, along(size * (k + 0.5)), { rotation, drag, bare: true }),
  );
  const bob = boxForm([size / 2, size / 2, size / 2]);
  figures.push(body([bob], mass * ratio, along(size * links), { rotation, drag, bare: true }));
  const end: Triple = [size / 2, 0, 0];
  const connections = figures.map((_, k): Connection => {
    const a = { figure: k, bone: 0, point: k < links ? ([-size / 2, 0, 0] as const) : NONE };
    return { a, b: k === 0 ? { point: NONE } : { figure: k - 1, bone: 0, point: end } };
  });
  const events: Event[] = [];
  if (start === 'struck') {
    const [x, y, z] = draw.direction();
    const figure = draw.pick([links, 0, Math.floor(links / 2)]);
    const blow = figures[figure].bones[0].mass * draw.log(0.5, 10);
    events.push({
      step: Math.round(0.5 / dt),
      type: 'impulse',
      figure,
      bone: 0,
      impulse: [blow * x, blow * y, blow * z],
    });
  }
  return {
    figures,
    connections,
    events,
    steps: steps(dt, short ? 5 : 10),
    expect: {
      rest: start === 'still',
      energy: start === 'tilted' || start === 'level' ? 'not gained' : 'any',
    },
  };
}

/** The same as one figure, from a fixed point. */
export function figureChain(draw: Draw, short: boolean): Draft {
  const links = draw.whole(1, short ? 8 : 14);
  const size = draw.between(0.08, 0.3);
  const mass = draw.log(0.02, 2);
  const ratio = draw.log(1, 1000);
  const dt = draw.pick([1 / 30, 1 / 60, 1 / 60, 1 / 120, 1 / 240]);
  const start = draw.between(0, Math.PI / 2);
  const joint: Joint = draw.chance(0.3) ? { type: 'hinge', axis: Z } : { type: 'ball' };
  const figure = hangingFigure(links, size, mass, ratio * mass, joint, start, NONE);
  return { figures: [figure], steps: steps(dt, short ? 5 : 10), expect: { energy: 'not gained' } };
}

/**
 * Links along +x from a fixed point, turned down by an angle from the level: `links` of one mass and length, and a cube at the end.
 *
 * @param spin - Of the whole at the start.
 */
export function hangingFigure(
  links: number,
  size: number,
  mass: number,
  bob: number,
  joint: Joint,
  angle: number,
  spin: Triple,
): Figure {
  const [thin, half] = [size / 10, size / 3];
  const link = body([boxForm([size / 2, thin, thin])], mass, NONE).bones[0];
  const end = body([boxForm([half, half, half])], bob, NONE).bones[0];
  const hanging = { joint, damping: { turn: 0, move: 0 } };
  const bones = Array.from({ length: links }, (_, k): Bone => {
    const at: Triple = k === 0 ? NONE : [size, 0, 0];
    return { ...link, ...hanging, name: `link ${k}`, parent: k - 1, at, center: [size / 2, 0, 0] };
  });
  bones.push({ ...end, ...hanging, name: 'bob', parent: links - 1, at: [size, 0, 0] });
  const jointRotations = bones.map((_, k): Triple => (k === 0 ? [0, 0, -angle] : NONE));
  return { bones, shapes: [], position: NONE, rotation: UPRIGHT, velocity: NONE, spin, jointRotations };
}
