import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  createSimulation,
  stepIntegrator,
  stepSimulation,
} from '../../src/dynamics/index.js';
import type { BoneData } from '../../src/figure/data/types.js';
import {
  boneIndex,
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
} from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { sampleTrajectory, type Trajectory } from '../../src/spacetime/trajectory.js';

/** A rod of a mass along y from its joint, m and kg. */
function rod(mass: number, length: number, radius: number): Partial<BoneData> {
  const across = (mass * (3 * radius * radius + length * length)) / 12;
  return {
    mass,
    centerOfMass: [0, length / 2, 0],
    inertia: [across, (mass * radius * radius) / 2, across, 0, 0, 0],
    tip: [0, length, 0],
  };
}

const DOWN: [number, number, number, number] = [1, 0, 0, 0];

/** A small free human of 30 kg, 19 coordinates: a ball at the waist and at one shoulder, swings at hips and at the other shoulder, hinges. */
export function acrobat(): Figure {
  const side = (name: string, x: number): BoneData[] => [
    {
      name: `${name}Thigh`,
      parent: 'pelvis',
      rest: { position: [x, -0.05, 0], rotation: DOWN },
      joint: { type: 'swing', axis: [0, 1, 0] },
      ...rod(3.5, 0.36, 0.06),
    },
    {
      name: `${name}Shin`,
      parent: `${name}Thigh`,
      rest: { position: [0, 0.36, 0] },
      joint: { type: 'hinge', axis: [1, 0, 0] },
      ...rod(2, 0.4, 0.045),
    },
    {
      name: `${name}Arm`,
      parent: 'chest',
      rest: { position: [2 * x, 0.3, 0], rotation: DOWN },
      joint: x > 0 ? { type: 'ball' } : { type: 'swing', axis: [0, 1, 0] },
      ...rod(1.2, 0.5, 0.035),
    },
  ];
  return createFigure({
    name: 'acrobat',
    bones: [
      {
        name: 'pelvis',
        joint: { type: 'free' },
        mass: 5,
        centerOfMass: [0, 0.02, 0],
        inertia: [0.04, 0.05, 0.03, 0, 0, 0],
      },
      {
        name: 'chest',
        parent: 'pelvis',
        rest: { position: [0, 0.1, 0] },
        joint: { type: 'ball' },
        ...rod(11.6, 0.45, 0.13),
      },
      ...side('left', 0.1),
      ...side('right', -0.1),
    ],
  });
}

/** An arm of four links on a stand, six coordinates: swing and twist at the shoulder, hinge, ball. */
export function arm(): Figure {
  return createFigure({
    name: 'arm',
    bones: [
      { name: 'stand', ...rod(8, 0.3, 0.08) },
      {
        name: 'turret',
        parent: 'stand',
        rest: { position: [0, 0.3, 0] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        ...rod(2, 0.1, 0.06),
      },
      {
        name: 'upper',
        parent: 'turret',
        rest: { position: [0, 0.1, 0] },
        joint: { type: 'swing', axis: [0, 1, 0] },
        ...rod(2.5, 0.35, 0.04),
      },
      {
        name: 'lower',
        parent: 'upper',
        rest: { position: [0, 0.35, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        ...rod(1.5, 0.3, 0.03),
      },
      {
        name: 'hand',
        parent: 'lower',
        rest: { position: [0, 0.3, 0] },
        joint: { type: 'ball' },
        ...rod(0.6, 0.16, 0.03),
      },
    ],
  });
}

/** A foot on the ground, shin, thigh and trunk, as a child draws a hopper, but in space: 6 + 1 + 1 + 2 coordinates, 15 kg. */
export function hopper(): Figure {
  return createFigure({
    name: 'hopper',
    bones: [
      {
        name: 'foot',
        joint: { type: 'free' },
        mass: 2,
        centerOfMass: [0, 0.03, 0.02],
        inertia: [0.008, 0.01, 0.006, 0, 0, 0],
        tip: [0, 0.06, 0],
      },
      {
        name: 'shin',
        parent: 'foot',
        rest: { position: [0, 0.06, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        ...rod(2, 0.35, 0.04),
      },
      {
        name: 'thigh',
        parent: 'shin',
        rest: { position: [0, 0.35, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        ...rod(3, 0.35, 0.06),
      },
      {
        name: 'trunk',
        parent: 'thigh',
        rest: { position: [0, 0.35, 0] },
        joint: { type: 'swing', axis: [0, 1, 0] },
        ...rod(8, 0.45, 0.12),
      },
    ],
  });
}

const FOOT_HEIGHT = 0.06;

/** The corners of its sole. */
export const SOLE: readonly (readonly [number, number, number])[] = [
  [0.06, 0, 0.13],
  [-0.06, 0, 0.13],
  [-0.06, 0, -0.09],
  [0.06, 0, -0.09],
];

/** The largest distance between a bone's origin or tip in one pose and in another, m. */
export function farthest(figure: Figure, pose: Numbers, other: Numbers): number {
  const ends = [pose, other].map((q) => {
    const state = createState(figure);
    forwardKinematics(state, q);
    const w = state.worldFromBone;
    return figure.bones.flatMap(({ tip = [0, 0, 0] }, b) =>
      [[0, 0, 0], Array.from(tip)].map((p) =>
        [0, 1, 2].map(
          (r) =>
            w[12 * b + 3 * r] * p[0] +
            w[12 * b + 3 * r + 1] * p[1] +
            w[12 * b + 3 * r + 2] * p[2] +
            w[12 * b + 9 + r],
        ),
      ),
    );
  });
  return Math.max(
    ...ends[0].map((p, k) => Math.hypot(p[0] - ends[1][k][0], p[1] - ends[1][k][1], p[2] - ends[1][k][2])),
  );
}

/** Largest deviation of a figure from a trajectory, m, sampled at every hundredth of it. */
export function play(trajectory: Trajectory, undriven: readonly number[]): number {
  const { figure } = trajectory.problem;
  const integrator = createIntegrator(createDynamics(figure), { method: 'rk4' });
  const first = sampleTrajectory(trajectory, 0);
  const state = createDynamicsState(figure, { pose: first.pose, velocity: first.velocity });
  const { duration } = trajectory;
  const count = 100;
  let max = 0;
  for (let k = 0; k < count; k++) {
    const { status } = stepIntegrator(
      integrator,
      state,
      duration / count,
      (time, _pose, _velocity, { tau }) => {
        tau.set(sampleTrajectory(trajectory, Math.min(time, duration)).torques);
        for (const i of undriven) tau[i] = 0;
      },
    );
    if (status !== 'done') throw new Error(status);
    const there = sampleTrajectory(trajectory, Math.min(state.time, duration));
    max = Math.max(max, farthest(figure, state.pose, there.pose));
  }
  return max;
}

/** Result of replaying on the ground. */
export interface Stood {
  /** As in {@link play}. */
  readonly maxDeviation: number;
  /** Whether the feedback ever reached its bound. */
  readonly saturated: boolean;
}

/**
 * Replays the torques of a stance in the simulator, a foot's box on a floor with contact, in steps of 1 ms. Feedback is a motor at every
 * joint: stiffness and damping towards the trajectory, bounded by `share` of the torque bounds.
 */
export function stand(trajectory: Trajectory, bounds: Numbers, share: number): Stood {
  const { figure } = trajectory.problem;
  const { dof } = figure;
  const start = sampleTrajectory(trajectory, 0);
  const driven = Array.from({ length: dof }, (_, i) => (i < 6 ? 0 : 1));
  const simulation = createSimulation(
    [
      {
        figure,
        pose: start.pose,
        velocity: start.velocity,
        shapes: [
          {
            bone: 'foot',
            type: 'box',
            halfSizes: [SOLE[0][0], FOOT_HEIGHT / 2, (SOLE[0][2] - SOLE[2][2]) / 2],
            placement: { position: [0, FOOT_HEIGHT / 2, (SOLE[0][2] + SOLE[2][2]) / 2] },
          },
        ],
        motor: {
          target: start.pose,
          stiffness: driven.map((is) => 1000 * is),
          damping: driven.map((is) => 30 * is),
          maxForce: Array.from(bounds, (bound) => share * bound),
        },
      },
    ],
    { world: [{ type: 'plane' }] },
  );
  const [actor] = simulation.actors;
  const dt = 1e-3;
  const steps = Math.round(trajectory.duration / dt);
  let max = 0;
  let saturated = false;
  for (let n = 0; n < steps; n++) {
    const there = sampleTrajectory(trajectory, Math.min((n + 1) * dt, trajectory.duration));
    const { torques } = sampleTrajectory(trajectory, (n + 0.5) * dt);
    actor.motor.target.set(there.pose);
    actor.motor.targetVelocity.set(there.velocity);
    const { status } = stepSimulation(simulation, dt, (_actor, { tau }) => {
      for (let i = 6; i < dof; i++) tau[i] = torques[i];
    });
    if (status !== 'done') throw new Error(status);
    for (let i = 6; i < dof; i++) {
      const pull = 1000 * (there.pose[i] - actor.pose[i]) + 30 * (there.velocity[i] - actor.velocity[i]);
      if (share > 0 && Math.abs(pull) >= share * bounds[i]) saturated = true;
    }
    max = Math.max(max, farthest(figure, actor.pose, there.pose));
  }
  return { maxDeviation: max, saturated };
}

/** A pose from the coordinates of some bones, zeros elsewhere. */
export function poseOf(figure: Figure, values: Readonly<Record<string, Numbers>>): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const [name, numbers] of Object.entries(values)) {
    pose.set(numbers, figure.bones[boneIndex(figure, name)].coordinate);
  }
  return pose;
}
