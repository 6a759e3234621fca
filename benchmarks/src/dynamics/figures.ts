import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUrdf } from '@poise/formats/urdf';
import type { Figure, FigureData, Triple } from 'poise/figure';
import { dataFolder } from '../problems.js';

/*
 * The figure of 51 degrees of freedom, a free base and 15 balls, for Poise and as MJCF with the same numbers. Bodies stand in depth-first
 * order, the order of MuJoCo's compiler and of a figure's bones, so coordinates are in the same order too.
 */

interface Body {
  readonly name: string;
  readonly parent: number;
  readonly position: Triple;
  readonly mass: number;
  readonly center: Triple;
  /** About the centre of mass: xx, yy, zz, xy, xz, yz. */
  readonly inertia: readonly [number, number, number, number, number, number];
}

const BODIES: readonly Body[] = (() => {
  const bodies: Body[] = [];
  /** A body of `mass` from its origin to `end`, with a thickness and a slightly skewed inertia. */
  const add = (name: string, parent: number, position: Triple, mass: number, end: Triple): number => {
    const [x, y, z] = end;
    const thick = 0.06 ** 2;
    const m = mass / 12;
    return (
      bodies.push({
        name,
        parent,
        position,
        mass,
        center: [0.45 * x + 0.004, 0.45 * y - 0.003, 0.45 * z + 0.006],
        inertia: [
          m * (y * y + z * z + 2 * thick),
          m * (x * x + z * z + 1.5 * thick),
          m * (x * x + y * y + thick),
          m * (0.1 * thick - x * y),
          m * (0.05 * thick - x * z),
          m * (-0.08 * thick - y * z),
        ],
      }) - 1
    );
  };
  const pelvis = add('pelvis', -1, [0, 0, 0], 11, [0, 0.12, 0]);
  const spine = add('spine', pelvis, [0, 0.12, -0.01], 12, [0, 0.22, 0.01]);
  const chest = add('chest', spine, [0, 0.22, 0.01], 14, [0, 0.25, -0.01]);
  add('head', chest, [0, 0.25, -0.01], 5, [0, 0.24, 0.02]);
  for (const [side, s] of [
    ['left', 1],
    ['right', -1],
  ] as const) {
    const upper = add(`${side}-upper-arm`, chest, [0.18 * s, 0.2, 0], 2.1, [0.29 * s, 0.01, -0.01]);
    const lower = add(`${side}-forearm`, upper, [0.29 * s, 0.01, -0.01], 1.3, [0.26 * s, 0, 0.01]);
    add(`${side}-hand`, lower, [0.26 * s, 0, 0.01], 0.5, [0.18 * s, -0.01, 0]);
  }
  for (const [side, s] of [
    ['left', 1],
    ['right', -1],
  ] as const) {
    const thigh = add(`${side}-thigh`, pelvis, [0.09 * s, -0.04, 0.01], 9.5, [0.01 * s, -0.43, 0.02]);
    const shank = add(`${side}-shank`, thigh, [0.01 * s, -0.43, 0.02], 3.4, [-0.01 * s, -0.42, -0.03]);
    add(`${side}-foot`, shank, [-0.01 * s, -0.42, -0.03], 1.1, [0.01 * s, -0.06, 0.18]);
  }
  return bodies;
})();

/** A free base and 15 balls. */
export const DOF = 6 + 3 * (BODIES.length - 1);

export const GRAVITY: Triple = [0, -9.81, 0];

export const ballFigure: FigureData = {
  name: '51 DOF',
  bones: BODIES.map(({ name, parent, position, mass, center, inertia }) => ({
    name,
    parent: BODIES[parent]?.name ?? null,
    rest: { position },
    joint: { type: parent < 0 ? ('free' as const) : ('ball' as const) },
    mass,
    centerOfMass: center,
    inertia,
  })),
};

/** The same in MuJoCo's language; it has no shape, so nothing collides. */
export function ballMjcf(): string {
  const body = (b: number): string => {
    const { name, parent, position, mass, center, inertia } = BODIES[b];
    return [
      `<body name="${name}" pos="${position.join(' ')}">`,
      parent < 0 ? '<freejoint/>' : '<joint type="ball"/>',
      `<inertial pos="${center.join(' ')}" mass="${mass}" fullinertia="${inertia.join(' ')}"/>`,
      ...BODIES.map((child, c) => (child.parent === b ? body(c) : '')),
      '</body>',
    ].join('');
  };
  return `<mujoco><option timestep="0.001" gravity="${GRAVITY.join(' ')}"><flag contact="disable"/></option><worldbody>${body(0)}</worldbody></mujoco>`;
}

/** A walking robot on hinges with a free base, or undefined where the shared data are absent. */
export function robotFigure(file: string): Figure | undefined {
  const path = join(dataFolder(), 'urdf', file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  return readUrdf(text, { source: file, root: 'free' }).figure;
}
