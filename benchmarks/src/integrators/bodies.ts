import type { FigureData } from 'poise/figure';

/** Chains and the flipping body, for Poise and as MJCF, with the same numbers. */

const RADIUS = 0.03;

/** Mass and inertia of a capsule along x, density 1000, `length` between the centres of its caps. */
function capsule(length: number) {
  const tube = 1000 * Math.PI * RADIUS ** 2 * length;
  const caps = (4000 * Math.PI * RADIUS ** 3) / 3;
  const along = (tube * RADIUS ** 2) / 2 + (caps * 2 * RADIUS ** 2) / 5;
  const across =
    tube * (length ** 2 / 12 + RADIUS ** 2 / 4) +
    caps * ((2 * RADIUS ** 2) / 5 + length ** 2 / 4 + (3 * length * RADIUS) / 8);
  return {
    mass: tube + caps,
    centerOfMass: [length / 2, 0, 0] as const,
    inertia: [along, across, across, 0, 0, 0] as const,
  };
}

/** One system of bodies with its start. */
export interface System {
  readonly name: string;
  readonly figure: FigureData;
  readonly mjcf: string;
  readonly gravity: readonly [number, number, number];
  readonly velocity: readonly number[];
}

const OPTION = (gravity: readonly number[]): string =>
  `<option timestep="0.001" integrator="RK4" gravity="${gravity.join(' ')}"><flag contact="disable" energy="enable"/></option>`;

/** Capsules in a row on balls, horizontal along x, all turning at 1 rad/s about the vertical at their root: out of the plane in which they fall. */
export function chain(count: number): System {
  const length = 0.1;
  const body = capsule(length);
  const gravity = [0, -9.81, 0] as const;
  const { mass, inertia } = body;
  const inertial = `<inertial pos="${length / 2} 0 0" mass="${mass}" diaginertia="${inertia.slice(0, 3).join(' ')}"/>`;
  let bodies = '';
  for (let k = 0; k < count; k++) {
    bodies += `<body name="b${k}" pos="${k > 0 ? length : 0} 0 0"><joint type="ball"/>${inertial}`;
  }
  return {
    name: `chain of ${count} balls`,
    figure: {
      bones: Array.from({ length: count }, (_, k) => ({
        name: `b${k}`,
        ...(k > 0 ? { parent: `b${k - 1}`, rest: { position: [length, 0, 0] as const } } : {}),
        joint: { type: 'ball' } as const,
        ...body,
      })),
    },
    mjcf: `<mujoco>${OPTION(gravity)}<worldbody>${bodies}${'</body>'.repeat(count)}</worldbody></mujoco>`,
    gravity,
    velocity: Array.from({ length: 3 * count }, (_, i) => (i === 1 ? 1 : 0)),
  };
}

export const INERTIA = [1.4471663e-5, 1.4044511e-5, 1.6958531e-6] as const;
export const SPIN = [0, 20, 0.1] as const;

/** A torque-free body on a ball joint. */
export function flippingBody(): System {
  const inertial = `<inertial pos="0 0 0" mass="0.1" diaginertia="${INERTIA.join(' ')}"/>`;
  const body = `<body name="body"><joint type="ball"/>${inertial}</body>`;
  return {
    name: 'flipping body',
    figure: {
      bones: [{ name: 'body', joint: { type: 'ball' }, mass: 0.1, inertia: [...INERTIA, 0, 0, 0] }],
    },
    mjcf: `<mujoco>${OPTION([0, 0, 0])}<worldbody>${body}</worldbody></mujoco>`,
    gravity: [0, 0, 0],
    velocity: SPIN,
  };
}
