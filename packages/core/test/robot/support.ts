/** A robot on two legs with an arm, and humans at random. */
import { createFigure, type Figure } from '../../src/figure/index.js';
import type { HumanFrame, RobotMatch, RobotRetargetConfig } from '../../src/robot/index.js';

const tilted = [0.1, 0.2, 0.3, Math.sqrt(1 - 0.14)] as const;

/** z up; rests that are turned, fixed bones between joints, a slider, a finger that nothing follows. */
export function robotFigure(root: 'free' | 'fixed' = 'free'): Figure {
  const leg = (side: string, y: number) =>
    [
      {
        name: `${side} hip`,
        parent: 'pelvis',
        rest: { position: [0, y, -0.05] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        limit: { type: 'interval', min: -0.4, max: 0.4 },
      },
      {
        name: `${side} thigh`,
        parent: `${side} hip`,
        rest: { rotation: tilted },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        limit: { type: 'interval', min: -1, max: 1 },
      },
      {
        name: `${side} shin`,
        parent: `${side} thigh`,
        rest: { position: [0, 0, -0.3] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        limit: { type: 'interval', min: -0.1, max: 1.8 },
      },
      {
        name: `${side} foot`,
        parent: `${side} shin`,
        rest: { position: [0, 0, -0.3], rotation: tilted },
        mass: 2,
        centerOfMass: [0.05, 0, 0],
      },
    ] as const;
  return createFigure({
    name: 'robot',
    up: [0, 0, 1],
    bones: [
      {
        name: 'pelvis',
        parent: null,
        rest: { position: [0.3, -0.2, 0.7], rotation: tilted },
        joint: { type: root },
        mass: 8,
      },
      ...leg('left', 0.1),
      ...leg('right', -0.1),
      {
        name: 'waist',
        parent: 'pelvis',
        rest: { position: [0, 0, 0.1] },
        joint: { type: 'hinge', axis: [0, 0, 1] },
        limit: { type: 'interval', min: -0.5, max: 0.5 },
      },
      {
        name: 'lift',
        parent: 'waist',
        joint: { type: 'slider', axis: [0, 0, 1] },
        limit: { type: 'interval', min: 0, max: 0.1 },
      },
      {
        name: 'arm',
        parent: 'lift',
        rest: { position: [0, 0.2, 0.3] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        mass: 3,
        centerOfMass: [0, 0, 0.1],
      },
      { name: 'hand', parent: 'arm', rest: { position: [0.1, 0, -0.3] }, mass: 1 },
      {
        name: 'finger',
        parent: 'hand',
        rest: { position: [0.1, 0, 0] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
      },
    ],
  });
}

const match = (robot: string, human: string, positionWeight: number, rotationWeight: number): RobotMatch => ({
  robot,
  human,
  positionWeight,
  rotationWeight,
  position: [0.01, -0.02, 0.03],
  rotation: tilted,
});

export const config: RobotRetargetConfig = {
  humanRoot: 'Hips',
  groundHeight: 0.02,
  humanHeight: 1.8,
  scales: new Map([
    ['Hips', 0.9],
    ['LeftFoot', 0.8],
    ['RightFoot', 0.8],
    ['Hand', 0.7],
  ]),
  first: [
    match('pelvis', 'Hips', 0, 10),
    match('left foot', 'LeftFoot', 50, 10),
    match('right foot', 'RightFoot', 50, 10),
    match('hand', 'Hand', 0, 10),
  ],
  second: [
    match('pelvis', 'Hips', 100, 5),
    match('left foot', 'LeftFoot', 50, 10),
    match('right foot', 'RightFoot', 50, 0),
    match('hand', 'Hand', 10, 20),
  ],
};

/** Pseudorandom numbers from -1 to 1 (Park and Miller 1988). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}

/** A human near the robot's rest pose, off by `spread` (m, and as many rad times 2). */
export function humanAt(
  figureRest: readonly (readonly number[])[],
  spread: number,
  next: () => number,
): HumanFrame {
  const positions: number[] = [];
  const rotations: number[] = [];
  for (const [x, y, z] of figureRest) {
    positions.push(x + spread * next(), y + spread * next(), z + spread * next());
    const q = [spread * next(), spread * next(), spread * next(), 1];
    const norm = Math.hypot(...q);
    rotations.push(...q.map((c) => c / norm));
  }
  return { positions, rotations };
}

/** Hips, left and right foot, hand, about where the scaled ones meet the robot's. */
export const stance = [
  [0.3, -0.2, 0.8],
  [0.3, -0.1, 0.05],
  [0.3, -0.3, 0.05],
  [0.6, 0, 1],
] as const;
