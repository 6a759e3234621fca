import {
  createDifferentialControl,
  createHumanFigure,
  createPose,
  type DifferentialOptions,
  type Goal,
  stepDifferentialControl,
} from 'poise';
import { createArm, stepArm } from '../../../examples/parameterizations/model/arm.js';
import { figures } from '../../../examples/parameterizations/model/figures.js';
import { parameterizations } from '../../../examples/parameterizations/model/parameterizations.js';
import { createMotion, targetAt } from '../../../examples/parameterizations/model/path.js';
import type { Take } from './digest.js';
import type { Section } from './section.js';

const DT = 1 / 60;
const STEPS = 200;

const human = createHumanFigure();
const hand = new Float64Array(3);
const rotation = new Float64Array(4);

function placeHand(t: number): void {
  hand.set([0.3 + 0.35 * Math.sin(2 * t), 1.25 + 0.35 * Math.cos(1.3 * t), 0.3 + 0.25 * Math.sin(1.7 * t)]);
  rotation.set([Math.sin(0.4 * Math.sin(t)), 0, 0, Math.cos(0.4 * Math.sin(t))]);
}

const reach: Goal = { type: 'position', bone: 'leftHand', target: hand };
const feet: readonly Goal[] = [
  { type: 'position', bone: 'leftFoot', target: [0.1, 0.08, 0] },
  { type: 'position', bone: 'rightFoot', target: [-0.1, 0.08, 0] },
];
const posture = { reference: createPose(human), rate: 2 };

interface Scene {
  readonly goals: readonly Goal[];
  readonly options: DifferentialOptions;
}

const scenes: Readonly<Record<string, Scene>> = {
  'a hand': { goals: [reach], options: { locked: ['hips'] } },
  'a hand and its orientation, posture': {
    goals: [reach, { type: 'orientation', bone: 'leftHand', target: rotation }],
    options: { locked: ['hips'], posture },
  },
  'priorities, half-space, posture': {
    goals: [
      ...feet,
      { type: 'half-space', bone: 'leftHand', target: { point: [0, 0, 0.35], normal: [0, 0, -1] } },
      { ...reach, priority: 1 },
      { type: 'points-at', bone: 'head', axis: [0, 0, 1], target: hand, priority: 2 },
    ],
    options: { posture },
  },
  'slow joints and goals': {
    goals: [reach, { type: 'points-at', bone: 'head', axis: [0, 0, 1], target: hand }],
    options: {
      locked: ['hips'],
      gain: 12,
      limitGain: 8,
      singularRegion: 0.02,
      maxGoalSpeed: { linear: 0.6 },
      maxJointRate: { angular: 1.5, bones: { leftLowerArm: { angular: 0.5 } } },
    },
  },
  'soft goals that conflict': {
    goals: [
      reach,
      { type: 'position', bone: 'leftHand', target: [-0.5, 0.8, 0.2], weight: 0.4 },
      { type: 'center-of-mass', target: [0, 1, 0], mask: [1, 0, 1], priority: 1 },
    ],
    options: {},
  },
};

function follow({ goals, options }: Scene, take: Take): void {
  const control = createDifferentialControl(human, goals, options);
  control.targetVelocities[0]?.fill(0.1);
  const pose = createPose(human);
  for (let step = 0; step < STEPS; step++) {
    placeHand(step * DT);
    const result = stepDifferentialControl(control, pose, DT);
    take(pose, control.velocity, control.rates, result);
  }
}

export const differential: Section = {
  name: 'differential',
  run(entry) {
    for (const [name, scene] of Object.entries(scenes)) entry(name, (take) => follow(scene, take));
    for (const parameterization of parameterizations) {
      entry(`parameterization ${parameterization.key}`, (take) => {
        for (const [k, figure] of figures.entries()) {
          const motion = createMotion(figure, 1997 + k);
          const arm = createArm(figure, parameterization, motion(0));
          for (let step = 0; step < STEPS; step++) {
            stepArm(arm, targetAt(figure, motion, step * DT), DT);
            take(arm.pose, arm.control.result);
          }
        }
      });
    }
  },
};
