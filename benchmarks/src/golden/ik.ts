import {
  aimBoneAt,
  createFigure,
  createHumanFigure,
  createIk,
  createPose,
  createState,
  forwardKinematics,
  type Goal,
  type IkOptions,
  solveIk,
} from 'poise';
import {
  createAnalyticArm,
  createIkWith,
  createTwoBone,
  goalHessians,
  goalTypes,
  multiStartStage,
  newtonStage,
  pointsAtInObject,
  pointsAtInWorld,
  pointsAtRotation,
  priorityStage,
  type Stages,
  solveAnalyticArm,
  solveTwoBone,
} from 'poise/ik';
import { figureData } from '../peers/poise.js';
import { loadProblemSet, type ProblemSet, SETS } from '../problems.js';
import type { Take } from './digest.js';
import { createDraw, type Draw, times } from './draw.js';
import { mixedFigure } from './figures.js';
import type { Section } from './section.js';
import { sharedFile } from './shared-data.js';

const ROBOT_SETS = ['ur5-pos', 'ur5-pose', 'panda-pos', 'panda-pose'];
const MAX_PROBLEMS = 150;

const human = createHumanFigure();

/** Draws goals on the human, one list for each kind. */
const kinds: Readonly<Record<string, (draw: Draw) => Goal[]>> = {
  position: (draw) => [{ type: 'position', bone: 'leftHand', target: place(draw) }],
  'position with a mask, carried': (draw) => [
    {
      type: 'position',
      bone: 'leftHand',
      target: { bone: 'head', point: draw.vector(0.2) },
      mask: [1, 0.5, 0],
    },
  ],
  orientation: (draw) => [
    { type: 'orientation', bone: 'rightHand', target: draw.quaternion(), offset: draw.quaternion() },
  ],
  'orientation with a mask, carried': (draw) => [
    {
      type: 'orientation',
      bone: 'leftHand',
      target: { bone: 'chest', offset: draw.quaternion() },
      mask: [0, 1, 0.7],
    },
  ],
  'points-at': (draw) => [
    { type: 'points-at', bone: 'head', axis: [0, 0, 1], origin: draw.vector(0.05), target: draw.vector(3) },
  ],
  'points-at with an up axis': (draw) => [
    {
      type: 'points-at',
      bone: 'leftLowerArm',
      axis: [1, 0, 0],
      target: { bone: 'rightFoot' },
      up: { axis: [0, 1, 0], direction: draw.direction() },
    },
  ],
  'look-at': (draw) => [
    {
      type: 'look-at',
      bone: 'head',
      axis: [0, 0, 1],
      target: draw.vector(3),
      chain: [
        { bone: 'head', share: 1 },
        { bone: 'neck', share: 0.6 },
        { bone: 'chest', share: 0.3 },
      ],
    },
  ],
  pole: (draw) => [
    { type: 'position', bone: 'leftHand', target: place(draw) },
    { type: 'pole', bone: 'leftHand', target: draw.vector(2), priority: 1 },
  ],
  distance: (draw) => [
    {
      type: 'distance',
      bone: 'leftHand',
      point: draw.vector(0.05),
      target: { bone: 'rightHand' },
      distance: draw.between(0.1, 1),
    },
  ],
  plane: (draw) => [
    { type: 'plane', bone: 'rightFoot', target: { point: draw.vector(0.5), normal: draw.direction() } },
  ],
  'half-space': (draw) => [
    {
      type: 'half-space',
      bone: 'leftHand',
      target: { point: draw.vector(0.5), normal: draw.direction() },
      clearance: 0.05,
    },
    { type: 'position', bone: 'leftHand', target: place(draw), weight: 0.5 },
  ],
  'relative-pose': (draw) => [
    {
      type: 'relative-pose',
      bone: 'leftHand',
      target: { bone: 'rightHand', point: draw.vector(0.1), offset: draw.quaternion() },
    },
  ],
  'center-of-mass': (draw) => [{ type: 'center-of-mass', target: place(draw), mask: [1, 0, 1] }],
  'center-of-mass over a support': (draw) => [
    {
      type: 'center-of-mass',
      support: [
        [0.1, 0, 0.1],
        [-0.1, 0, 0.1],
        [-0.1, 0, -0.1],
        [0.1, 0, -0.1],
      ],
    },
    { type: 'position', bone: 'leftHand', target: place(draw) },
  ],
  posture: (draw) => [
    { type: 'position', bone: 'leftHand', target: place(draw) },
    { type: 'posture', reference: draw.pose(human), bones: ['leftUpperArm', 'spine'], stiffness: [2, 0.5] },
  ],
  'joint-value': (draw) => [{ type: 'joint-value', bone: 'leftLowerArm', value: draw.normal() }],
  mirror: (draw) => [
    { type: 'position', bone: 'leftHand', target: place(draw) },
    {
      type: 'mirror',
      bone: 'rightHand',
      of: 'leftHand',
      points: [
        [0, 0, 0],
        [0.1, 0, 0],
        [0, 0.1, 0],
      ],
      priority: 1,
    },
  ],
};

function place(draw: Draw): [number, number, number] {
  return [draw.between(-0.8, 0.8), draw.between(0.2, 2), draw.between(-0.3, 0.8)];
}

function problemSet(id: string, take: Take): void {
  sharedFile(`problems/${id}.json`);
  const set = loadProblemSet(id);
  const figure = createFigure(figureData(set));
  const start = createPose(figure);
  for (const joint of set.model.joints) {
    const bone = figure.bones.find(({ name }) => name === joint.name);
    if (joint.type === 'hinge' && bone) start[bone.coordinate] = (joint.lo + joint.hi) / 2;
  }
  for (const targets of set.targets.slice(0, MAX_PROBLEMS)) {
    const pose = start.slice();
    const { status, iterations, restarts } = solveIk(createIk(figure, goalsOf(set, targets)), pose);
    take(status, [iterations, restarts], pose);
  }
}

function goalsOf({ model, kind, tolerance }: ProblemSet, targets: ProblemSet['targets'][number]): Goal[] {
  return model.effectors.flatMap((effector, e): Goal[] => {
    const bone = model.joints[effector.joint].name;
    const { p, q } = targets[e];
    const [w, x, y, z] = effector.quat;
    const position: Goal = {
      type: 'position',
      bone,
      point: effector.pos,
      target: p,
      tolerance: tolerance.position,
    };
    if (kind === 'position') return [position];
    const target = [q[1], q[2], q[3], q[0]] as const;
    return [
      position,
      { type: 'orientation', bone, target, offset: [x, y, z, w], tolerance: tolerance.angle },
    ];
  });
}

function solveDrawn(
  goals: (draw: Draw) => Goal[],
  seed: number,
  count: number,
  take: Take,
  options: IkOptions = { locked: ['hips'], restarts: 6 },
  create = createIk,
): void {
  const draw = createDraw(seed);
  times(count, () => {
    const pose = draw.pose(human, 0.2);
    const result = solveIk(create(human, goals(draw), options), pose);
    take(pose, result);
  });
}

const priorities = (draw: Draw): Goal[] => [
  { type: 'position', bone: 'leftFoot', target: [0.1, 0.1, 0] },
  { type: 'position', bone: 'rightFoot', target: [-0.1, 0.1, 0], weight: 0.5 },
  { type: 'position', bone: 'leftHand', target: place(draw), priority: 1 },
  { type: 'points-at', bone: 'head', axis: [0, 0, 1], target: draw.vector(3), priority: 2 },
  { type: 'posture', priority: 3 },
];

const stages: Readonly<Record<string, Stages>> = {
  none: {},
  search: { multiStart: multiStartStage },
  refine: { newton: newtonStage(goalHessians) },
  later: { priorities: priorityStage(goalHessians) },
};

export const ik: Section = {
  name: 'ik',
  run(entry) {
    for (const id of [...SETS, ...ROBOT_SETS]) entry(`problems ${id}`, (take) => problemSet(id, take));
    for (const [k, [name, goals]] of Object.entries(kinds).entries()) {
      entry(`goal ${name}`, (take) => solveDrawn(goals, 100 + k, 10, take));
    }
    entry('priorities', (take) => solveDrawn(priorities, 200, 15, take, { restarts: 4 }));
    for (const [name, chosen] of Object.entries(stages)) {
      const goals = name === 'later' ? priorities : kinds.position;
      const create: typeof createIk = (figure, goals, options) =>
        createIkWith(figure, goals, { ...options, goalTypes, stages: chosen });
      entry(`stage ${name}`, (take) => solveDrawn(goals, 300, 10, take, { restarts: 4 }, create));
    }
    entry('a figure with every joint', (take) => {
      const figure = mixedFigure();
      const draw = createDraw(310);
      times(20, () => {
        const pose = draw.pose(figure, 0.3);
        const goals: Goal[] = [
          { type: 'position', bone: 'follower', target: draw.vector(0.6) },
          { type: 'position', bone: 'fixed', target: draw.vector(0.6), weight: 0.7 },
        ];
        const result = solveIk(createIk(figure, goals, { restarts: 4 }), pose);
        take(pose, result);
      });
    });
    entry('two bone', (take) => {
      const draw = createDraw(320);
      times(60, (k) => {
        const limb = createTwoBone(human, { type: 'position', bone: 'leftFoot', target: draw.vector(0.7) });
        if (limb.family === undefined) return take(limb.reason);
        const pose = draw.pose(human, 0.2);
        const options = k % 3 === 0 ? {} : k % 3 === 1 ? { pole: draw.vector(2) } : { swivel: draw.normal() };
        const result = solveTwoBone(limb, pose, options);
        take(pose, result);
      });
    });
    for (const id of ['ur5-pose', 'panda-pose']) {
      entry(`analytic arm ${id}`, (take) => {
        sharedFile(`problems/${id}.json`);
        const set = loadProblemSet(id);
        const figure = createFigure(figureData(set));
        const draw = createDraw(330);
        for (const targets of set.targets.slice(0, 80)) {
          const [position, orientation] = goalsOf(set, targets);
          if (position.type !== 'position' || orientation.type !== 'orientation') continue;
          const arm = createAnalyticArm(figure, position, orientation);
          if (arm.family === undefined) {
            take(arm.reason);
            continue;
          }
          const pose = draw.pose(figure, 1);
          const result = solveAnalyticArm(arm, pose);
          take(pose, result, arm.family);
        }
      });
    }
    entry('points at', (take) => {
      const draw = createDraw(340);
      const state = createState(human);
      times(100, () => {
        take(pointsAtRotation(draw.direction(), draw.direction()));
        forwardKinematics(state, draw.pose(human));
        take(pointsAtInWorld(state, 'head', [0, 0, 1], draw.vector(2)));
        take(
          pointsAtInObject(state, 'leftLowerArm', [1, 0, 0], { bone: 'rightFoot', point: draw.vector(0.1) }),
        );
      });
    });
    entry('point bone', (take) => {
      const draw = createDraw(350);
      for (const figure of [human, mixedFigure({ couplings: false })]) {
        const state = createState(figure);
        const rotating = figure.bones.filter(
          ({ joint }) => joint.type !== 'fixed' && joint.type !== 'slider',
        );
        times(12, () => {
          for (const { index } of rotating) {
            const pose = draw.pose(figure, 0.3);
            forwardKinematics(state, pose);
            const up = draw.normal() > 0 ? { up: { axis: draw.direction() } } : {};
            const result = aimBoneAt(state, pose, index, draw.direction(), draw.vector(2), up);
            take(pose, result);
          }
        });
      }
    });
  },
};
