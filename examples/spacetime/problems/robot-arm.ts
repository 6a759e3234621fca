import { createFigure, type FigureData, type Triple } from 'poise/figure';
import type { SpacetimeExample } from './example.js';

/**
 * A six-axis arm about the size of a UR5: links 0.425 m and 0.392 m long, masses of 3.7, 8.4, 2.3, 1.2, 1.2 and 0.25 kg (near those of the
 * URDF of ROS's ur_description), modelled as rods. It stands on y = 0 and rotates about y.
 */
const Y: Triple = [0, 1, 0];
const X: Triple = [1, 0, 0];

/** Largest torque, N m, and rate, rad/s, about those of the same file. */
const torques = { turn: 150, raise: 150, bend: 150, tilt: 28, roll: 28, spin: 28 } as const;
const SPEED = Math.PI;

const arm: FigureData = {
  name: 'six-axis arm',
  bones: [
    link('turn', null, [0, 0.089, 0], Y, [0, 0.06, 0], 3.7, 0.06),
    link('raise', 'turn', [0.07, 0, 0], X, [0, 0.425, 0], 8.4, 0.05),
    link('bend', 'raise', [0, 0.425, 0], X, [0, 0.392, 0], 2.3, 0.04),
    link('tilt', 'bend', [0, 0.392, 0], X, [0.09, 0, 0], 1.2, 0.04),
    link('roll', 'tilt', [0.09, 0, 0], Y, [0, 0.09, 0], 1.2, 0.04),
    link('spin', 'roll', [0, 0.09, 0], X, [0.08, 0, 0], 0.25, 0.03),
  ],
};

const FROM = [-1.2, 0.6, 1.2, 0.4, 0, 0];
const TO = [1.4, 0.3, 1.6, -0.9, 0.8, 0];

/** Time-optimal motion from one pose to another within bounds on torques and rates. The duration is an unknown. */
export function robotArm(intervals = 30): SpacetimeExample {
  const figure = createFigure(arm);
  return {
    name: 'robot-arm',
    title: 'Robot arm, least time',
    figure,
    about: 'A six-axis arm moves from rest to rest in the least time that its torques and its rates allow.',
    options: { tolerance: 1e-6, gain: 1e-4 },
    traced: 'spin',
    view: { yaw: 25, apart: 1.1, height: 0.6, middle: 0 },
    data: {
      duration: { min: 0.3, max: 3, start: 1.5 },
      intervals,
      reference: FROM,
      terms: [
        { type: 'pose', name: 'start', at: 0 },
        { type: 'velocity', name: 'at rest', at: 0 },
        { type: 'pose', name: 'end', at: 1.5, pose: TO },
        { type: 'velocity', name: 'at rest again', at: 1.5 },
        { type: 'torque-limit', name: 'torques', limit: torques },
        {
          type: 'speed-limit',
          name: 'rates',
          limit: { turn: SPEED, raise: SPEED, bend: SPEED, tilt: SPEED, roll: SPEED, spin: SPEED },
        },
        { type: 'duration' },
        // Regularization: selects a smooth motion among the fastest.
        { type: 'smoothness', weight: 1e-5 },
      ],
    },
  };
}

function link(
  name: string,
  parent: string | null,
  position: Triple,
  axis: Triple,
  tip: Triple,
  mass: number,
  radius: number,
): FigureData['bones'][number] {
  const square = tip.reduce((sum, x) => sum + x * x, 0);
  const inertia = [0, 1, 2].map(
    (k) => (mass * (square - tip[k] * tip[k])) / 12 + (mass * radius * radius) / (tip[k] === 0 ? 4 : 2),
  );
  return {
    name,
    parent,
    rest: { position },
    joint: { type: 'hinge', axis },
    limit: { type: 'interval', min: -2 * Math.PI, max: 2 * Math.PI },
    tip,
    mass,
    centerOfMass: [tip[0] / 2, tip[1] / 2, tip[2] / 2],
    inertia: [inertia[0], inertia[1], inertia[2], 0, 0, 0],
  };
}
