import {
  createFabrik,
  createHumanFigure,
  createPositionsToPose,
  createState,
  forwardKinematics,
  type PositionGoal,
  solveFabrik,
  solvePositionsToPose,
} from 'poise';
import {
  createPointFabrik,
  type FabrikOptions,
  figurePoints,
  type PointFabrikOptions,
  type PositionsToPoseOptions,
  solvePointFabrik,
} from 'poise/ik';
import type { Draw } from './draw.js';
import { createDraw, times } from './draw.js';
import type { Section } from './section.js';

const human = createHumanFigure();

const pointOptions: Readonly<Record<string, PointFabrikOptions>> = {
  'fixed root': {},
  'free root': { root: 'free' },
  'a side': { bendDirection: [0, 0, 1], maxIterations: 60, tolerance: 1e-6 },
};

const figureOptions: Readonly<Record<string, FabrikOptions>> = {
  'fixed root': { root: 'fixed', restarts: 4 },
  'free root': { root: 'free', restarts: 4 },
  'locked legs, no coordinate descent': {
    coordinateDescent: false,
    locked: ['leftUpperLeg', 'hips'],
    restarts: 2,
  },
};

const readings: Readonly<Record<string, PositionsToPoseOptions>> = {
  'as it is': {},
  'in the world, previous roll': { coordinates: 'world', roll: 'previous' },
  'directions, spread roll': { follow: 'directions', roll: 'spread' },
  'no limits, poles': { limits: false, roll: { leftLowerArm: { pole: [0, 0, 2], axis: [0, 1, 0] } } },
};

const limbs = (draw: Draw): PositionGoal[] =>
  ['leftHand', 'rightHand', 'leftFoot', 'head'].map((bone) => ({
    type: 'position',
    bone,
    target: [draw.between(-0.6, 0.6), draw.between(0.2, 1.9), draw.between(-0.4, 0.6)],
  }));

export const fabrik: Section = {
  name: 'fabrik',
  run(entry) {
    for (const [k, [name, options]] of Object.entries(pointOptions).entries()) {
      entry(`chain of points, ${name}`, (take) => {
        const draw = createDraw(400 + k);
        const positions = Float64Array.from({ length: 30 }, (_, i) =>
          i % 3 === 1 ? 0.1 * ((i - 1) / 3) : 0,
        );
        const parents = Array.from({ length: 10 }, (_, i) => i - 1);
        times(40, () => {
          const at = positions.map((x) => x + 0.01 * draw.normal());
          const goals = [{ point: 9, target: draw.vector(0.6) }];
          const result = solvePointFabrik(createPointFabrik({ positions, parents }, goals, options), at);
          take(at, result);
        });
      });
      entry(`tree of points with a loop, ${name}`, (take) => {
        const draw = createDraw(410 + k);
        const parents = [-1, 0, 1, 2, 3, 1, 5, 6];
        const positions = draw.numbers(24, 0.3);
        const links = [{ a: 3, b: 6 }];
        times(30, () => {
          const at = positions.map((x) => x + 0.05 * draw.normal());
          const goals = [
            { point: 4, target: draw.vector(0.6) },
            { point: 7, target: draw.vector(0.6), weight: 0.5 },
          ];
          const result = solvePointFabrik(
            createPointFabrik({ positions, parents, links }, goals, options),
            at,
          );
          take(at, result);
        });
      });
    }
    for (const [k, [name, options]] of Object.entries(figureOptions).entries()) {
      entry(`human, ${name}`, (take) => {
        const draw = createDraw(420 + k);
        times(20, (n) => {
          const pose = draw.pose(human, 0.2);
          const goals = limbs(draw).slice(0, 1 + (n % 4));
          const result = solveFabrik(createFabrik(human, goals, options), pose);
          take(pose, result);
        });
      });
    }
    for (const [k, [name, options]] of Object.entries(readings).entries()) {
      entry(`positions to pose, ${name}`, (take) => {
        const draw = createDraw(430 + k);
        const points = figurePoints(human);
        const state = createState(human);
        const reader = createPositionsToPose(human, options);
        times(60, (n) => {
          forwardKinematics(state, draw.pose(human));
          const positions = Float64Array.from({ length: 3 * points.length });
          points.forEach(({ bone, point = [0, 0, 0] }, i) => {
            const index = human.bones.findIndex(({ name: is }) => is === bone);
            const w = state.worldFromBone.subarray(12 * index, 12 * index + 12);
            for (let r = 0; r < 3; r++) {
              const noise = n % 2 === 0 ? 0 : 0.02 * draw.normal();
              positions[3 * i + r] =
                w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2] + w[9 + r] + noise;
            }
          });
          if (n % 5 === 4) positions.fill(Number.NaN, 9, 12);
          const pose = draw.pose(human, 0.2);
          const { distances, determined, limited } = solvePositionsToPose(reader, positions, pose);
          take(pose, distances, determined, limited);
        });
      });
    }
  },
};
