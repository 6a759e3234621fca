/** Systems that nothing damps. */
import type { Joint, Triple } from '../scene.js';
import { hangingFigure } from './chains.js';
import { type Draw, rotationBy } from './draw.js';
import { body, boxForm, type Draft, NONE, steps } from './parts.js';
import { wild } from './ragdolls.js';

const Z: Triple = [0, 0, 1];

/** Pendulums of up to three links that swing for half a minute, in one figure or by a connection. */
export function pendulum(draw: Draw, short: boolean): Draft {
  const dt = draw.pick([1 / 60, 1 / 120, 1 / 120, 1 / 240]);
  const seconds = short ? 10 : 30;
  const size = draw.between(0.2, 0.8);
  const angle = Math.PI / 2 - draw.between(0.2, 1.5);
  if (draw.chance(0.3)) {
    const way: Triple = [Math.cos(angle), -Math.sin(angle), 0];
    const rod = body(
      [boxForm([size / 2, 0.02, 0.02])],
      draw.log(0.1, 20),
      [way[0] * (size / 2), way[1] * (size / 2), 0],
      {
        rotation: rotationBy(Z, -angle),
        bare: true,
      },
    );
    const a = { figure: 0, bone: 0, point: [-size / 2, 0, 0] as Triple };
    return {
      figures: [rod],
      connections: [{ a, b: { point: NONE } }],
      steps: steps(dt, seconds),
      expect: { energy: 'kept' },
    };
  }
  const joint: Joint = draw.pick<Joint>([
    { type: 'hinge', axis: Z },
    { type: 'ball' },
    { type: 'ball-and-socket', axis: [1, 0, 0], side: Z },
  ]);
  const mass = draw.log(0.1, 5);
  const figure = hangingFigure(draw.whole(1, 2), size, mass, mass * draw.log(0.2, 20), joint, angle, NONE);
  return { figures: [figure], steps: steps(dt, seconds), expect: { energy: 'kept' } };
}

/** Joints without limits that spin through half a turn and over the top. */
export function joint(draw: Draw, short: boolean): Draft {
  const kind = draw.pick<Joint>([
    { type: 'hinge', axis: Z },
    { type: 'ball' },
    { type: 'ball-and-socket', axis: [1, 0, 0], side: Z },
    { type: 'ball-and-socket', axis: [0, 1, 0], side: [1, 0, 0] },
  ]);
  const axis: Triple = kind.type === 'hinge' ? Z : draw.direction();
  const speed = draw.log(1, 30);
  const spin: Triple = [axis[0] * speed, axis[1] * speed, axis[2] * speed];
  const angle = draw.between(-Math.PI / 2, Math.PI / 2);
  const figure = hangingFigure(
    draw.whole(1, 3),
    draw.between(0.1, 0.5),
    1,
    draw.log(0.1, 10),
    kind,
    angle,
    spin,
  );
  return {
    figures: [figure],
    steps: steps(draw.pick([1 / 60, 1 / 120]), short ? 10 : 30),
    expect: { energy: 'not gained' },
    ...(draw.chance(0.3) && kind.type === 'ball'
      ? { gravity: 0, figures: [{ ...figure, spin: wild(draw, 30) }] }
      : {}),
  };
}
