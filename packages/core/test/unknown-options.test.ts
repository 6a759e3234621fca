import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCollider, createSharedCollider } from '../src/dynamics/collide/index.js';
import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  createRagdoll,
  findFootPoints,
} from '../src/dynamics/index.js';
import { attachConnection, createSimulation } from '../src/dynamics/simulate/index.js';
import { createActiveRagdoll, createMotionTracker, createMotorGains } from '../src/dynamics/track/index.js';
import {
  applyRootMotion,
  blendMotions,
  cleanMotion,
  cleanMotionInSegments,
  createTransition,
  detectContacts,
  editMotion,
  extractRootMotion,
  findFootContacts,
  loopMotion,
  makeAdditive,
  makePhysical,
  mirrorMotion,
  mirrorPose,
  resampleMotion,
  retimeMotion,
  rootResiduals,
  simplifyMotion,
  warpMotion,
} from '../src/editing/index.js';
import {
  type BoneData,
  createFigure,
  createPose,
  createState,
  poseBoneFromLocalTransform,
  poseFromLocalTransforms,
} from '../src/figure/index.js';
import {
  createHumanFigure,
  findHumanoid,
  humanGaze,
  requireHumanoid,
  withAnatomicalLimits,
} from '../src/humanoid/index.js';
import { createDifferentialControl } from '../src/ik/differential/index.js';
import {
  aimBoneAt,
  bodyLandmarks,
  createAnalyticArm,
  createFabrik,
  createHandFigure,
  createIk,
  createIkWith,
  createLandmarkFit,
  createMarkerTracker,
  createPointFabrik,
  createPositionsToPose,
  fitLandmarks,
  type Goal,
  goalTypes,
  handLandmarks,
  holisticLandmarks,
  missedGoals,
  solveTwoBone,
} from '../src/ik/index.js';
import {
  normalizedHermiteCurve,
  sphericalBezierCurve,
  squadCurve,
} from '../src/motion/alternatives/index.js';
import * as motions from '../src/motion/index.js';
import type { Motion } from '../src/motion/motion.js';
import { createRetargeter, retargetMotion } from '../src/retarget/index.js';
import { createHumanReader, createRobotRetargeter } from '../src/robot/index.js';
import { createClearance, createSelfClearance } from '../src/spacetime/clearance/index.js';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  type SpacetimeTerm,
  solveSpacetime,
} from '../src/spacetime/index.js';
import { connectIk, connectSpacetime, solveMany } from '../src/worker/index.js';
import { config as robotConfig, robotFigure } from './robot/support.js';

const figure = createHumanFigure();
const state = createState(figure);
/** A misspelt option, as a caller without types would give it. */
const misspelt = { colour: 1 } as unknown as Record<string, never>;

/** For functions that refuse their options before they read the clip. */
const motion = {} as Motion;
const keys = { times: [0, 1], values: [0, 1] };
const line = motions.linearCurve(keys);
const rotations = { times: [0, 1], quaternions: [0, 0, 0, 1, 0, 0, 0, 1] };
const slerp = motions.slerpCurve(rotations);
const sphere = { type: 'sphere', radius: 1 } as const;
const hand = { type: 'position', bone: 'leftHand', target: [0, 1, 0] } as const;
const retargeter = createRetargeter(figure, figure);
const problem = createSpacetimeProblem(figure, { duration: 1, terms: [{ type: 'smoothness' }] });

const TERM_TYPES: readonly SpacetimeTerm['type'][] = [
  'pose',
  'velocity',
  'acceleration',
  'goal',
  'effort',
  'torque-limit',
  'speed-limit',
  'smoothness',
  'tracking',
  'duration',
  'contact',
  'physics',
  'periodic',
  'clearance',
];

/** A bone of each joint type, and one of each limit type. */
const BONES: readonly BoneData[] = [
  { name: 'a', joint: { type: 'fixed' } },
  { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
  { name: 'a', joint: { type: 'slider', axis: [0, 0, 1] } },
  { name: 'a', joint: { type: 'swing', axis: [0, 0, 1] } },
  { name: 'a', joint: { type: 'ball' } },
  { name: 'a', joint: { type: 'ball-and-socket', axis: [0, 0, 1] } },
  { name: 'a', joint: { type: 'euler', order: 'XYZ' } },
  { name: 'a', joint: { type: 'free' } },
  {
    name: 'a',
    joint: { type: 'hinge', axis: [0, 0, 1] },
    limit: { type: 'interval', min: -1, max: 1 },
  },
  {
    name: 'a',
    joint: { type: 'euler', order: 'XYZ' },
    limit: { type: 'box', min: [-1, -1, -1], max: [1, 1, 1] },
  },
  { name: 'a', joint: { type: 'ball' }, limit: { type: 'angle', max: 1 } },
  { name: 'a', joint: { type: 'swing', axis: [0, 0, 1] }, limit: { type: 'cone', halfAngle: 1 } },
  { name: 'a', joint: { type: 'swing', axis: [0, 0, 1] }, limit: { type: 'ellipse', halfAngles: [1, 1] } },
  {
    name: 'a',
    joint: { type: 'swing', axis: [0, 0, 1] },
    limit: { type: 'quad-ellipse', s: [-1, 1], t: [-1, 1] },
  },
  {
    name: 'a',
    joint: { type: 'ball-and-socket', axis: [0, 0, 1] },
    limit: { type: 'swing-twist', twist: { min: -1, max: 1 } },
  },
];

/** Every function with options: each must refuse a name that it does not know. */
const calls: Record<string, () => unknown> = {
  createFigure: () => createFigure({ bones: [{ name: 'a' }], ...misspelt }),
  ...Object.fromEntries(
    BONES.map((bone) => {
      const label = bone.limit === undefined ? `${bone.joint?.type} joint` : `${bone.limit.type} limit`;
      const part = bone.limit === undefined ? 'joint' : 'limit';
      return [
        `createFigure: ${label}`,
        () => createFigure({ bones: [{ ...bone, [part]: { ...bone[part], ...misspelt } }] }),
      ];
    }),
  ),
  'createFigure: bone': () => createFigure({ bones: [{ name: 'a', ...misspelt }] }),
  'createFigure: rest': () => createFigure({ bones: [{ name: 'a', rest: misspelt }] }),
  'createFigure: mimic': () =>
    createFigure({
      bones: [
        { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
        {
          name: 'b',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mimic: { bone: 'a', polynomial: [0, 1], ...misspelt },
        },
      ],
    }),
  'createFigure: swing of a swing-twist limit': () =>
    createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'ball-and-socket', axis: [0, 0, 1] },
          limit: { type: 'swing-twist', swing: { type: 'cone', halfAngle: 1, ...misspelt } },
        },
      ],
    }),
  'createFigure: twist of a swing-twist limit': () =>
    createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'ball-and-socket', axis: [0, 0, 1] },
          limit: { type: 'swing-twist', twist: { min: -1, max: 1, ...misspelt } },
        },
      ],
    }),
  createHumanFigure: () => createHumanFigure(misspelt),
  findHumanoid: () => findHumanoid(figure, misspelt),
  humanGaze: () => humanGaze(figure, misspelt),
  requireHumanoid: () => requireHumanoid(figure, misspelt, 'is no human.', 'Give one.'),
  withAnatomicalLimits: () => withAnatomicalLimits(figure, misspelt),
  poseFromLocalTransforms: () =>
    poseFromLocalTransforms(state, state.parentFromBone, createPose(figure), misspelt),
  poseBoneFromLocalTransform: () =>
    poseBoneFromLocalTransform(state, 0, state.parentFromBone.subarray(0, 12), createPose(figure), misspelt),
  createSpacetimeProblem: () =>
    createSpacetimeProblem(figure, { duration: 1, terms: [{ type: 'smoothness' }], ...misspelt }),
  'createSpacetimeProblem: duration': () =>
    createSpacetimeProblem(figure, {
      duration: { min: 1, max: 1, start: 1, ...misspelt },
      terms: [{ type: 'smoothness' }],
    }),
  ...Object.fromEntries(
    TERM_TYPES.map((type) => [
      `createSpacetimeProblem: term ${type}`,
      () => createSpacetimeProblem(figure, { duration: 1, terms: [{ type, ...misspelt } as SpacetimeTerm] }),
    ]),
  ),
  createSpacetimeSolver: () => createSpacetimeSolver(problem, misspelt),
  solveSpacetime: () => solveSpacetime(problem, misspelt),
  createClearance: () => createClearance(figure, [], misspelt),
  createSelfClearance: () => createSelfClearance(figure, misspelt),
  aimBoneAt: () => aimBoneAt(state, createPose(figure), 'head', [0, 0, 1], [1, 1, 1], misspelt),
  'aimBoneAt: up': () =>
    aimBoneAt(state, createPose(figure), 'head', [0, 0, 1], [1, 1, 1], {
      up: { axis: [0, 1, 0], ...misspelt },
    }),
  createAnalyticArm: () =>
    createAnalyticArm(
      figure,
      hand,
      { type: 'orientation', bone: 'leftHand', target: [0, 0, 0, 1] },
      misspelt,
    ),
  createDifferentialControl: () => createDifferentialControl(figure, [hand], misspelt),
  'createDifferentialControl: maxGoalSpeed': () =>
    createDifferentialControl(figure, [hand], { maxGoalSpeed: misspelt }),
  createHumanReader: () => createHumanReader(figure, [], misspelt),
  createRobotRetargeter: () => createRobotRetargeter(robotFigure(), robotConfig, misspelt),
  'createRobotRetargeter: balance': () =>
    createRobotRetargeter(robotFigure(), robotConfig, { balance: { feet: [], ...misspelt } }),
  createFabrik: () => createFabrik(figure, [hand], misspelt),
  createPointFabrik: () => createPointFabrik({ positions: [0, 0, 0], parents: [-1] }, [], misspelt),
  createPositionsToPose: () => createPositionsToPose(figure, misspelt),
  createIk: () => createIk(figure, [hand], misspelt),
  createIkWith: () => createIkWith(figure, [hand], { goalTypes: {}, ...misspelt }),
  ...Object.fromEntries(
    Object.keys(goalTypes).map((type) => [
      `createIk: goal ${type}`,
      () => createIk(figure, [{ type, ...misspelt } as unknown as Goal]),
    ]),
  ),
  'createIk: goal target': () => createIk(figure, [{ ...hand, target: { bone: 'head', ...misspelt } }]),
  'createIk: goal up': () =>
    createIk(figure, [
      {
        type: 'points-at',
        bone: 'head',
        axis: [0, 0, 1],
        target: [1, 1, 1],
        up: { axis: [0, 1, 0], ...misspelt },
      },
    ]),
  'createIk: goal chain': () =>
    createIk(figure, [
      {
        type: 'look-at',
        bone: 'head',
        axis: [0, 0, 1],
        target: [1, 1, 1],
        chain: [{ bone: 'head', share: 1, ...misspelt }],
      },
    ]),
  solveTwoBone: () => solveTwoBone({} as never, createPose(figure), misspelt),
  createMarkerTracker: () => createMarkerTracker(figure, [], misspelt),
  'createMarkerTracker: loss': () =>
    createMarkerTracker(figure, [{ name: 'head', bone: 'head' }], { loss: { type: 'squared', ...misspelt } }),
  'createMarkerTracker: markers': () =>
    createMarkerTracker(figure, [{ name: 'head', bone: 'head', ...misspelt }]),
  missedGoals: () => missedGoals({ residuals: [], lengthScale: 1 }, misspelt),
  bodyLandmarks: () => bodyLandmarks(figure, misspelt),
  handLandmarks: () => handLandmarks(figure, misspelt),
  holisticLandmarks: () => holisticLandmarks(figure, misspelt),
  createHandFigure: () => createHandFigure(misspelt),
  createLandmarkFit: () => createLandmarkFit(figure, { landmarks: [], ...misspelt }),
  fitLandmarks: () => fitLandmarks(figure, [], { landmarks: [], ...misspelt }),
  createCurve: () => motions.createCurve(line, misspelt),
  motionFromPoses: () =>
    motions.motionFromPoses(figure, [0, 1], [createPose(figure), createPose(figure)], misspelt),
  createMotion: () => motions.createMotion(figure, { tracks: [], ...misspelt }),
  'createMotion: track': () =>
    motions.createMotion(figure, { tracks: [{ coordinate: 0, curve: line, ...misspelt }] }),
  'createMotion: keys': () =>
    motions.createMotion(figure, { tracks: [{ coordinate: 0, keys: { ...keys, ...misspelt } }] }),
  bSplineCurve: () =>
    motions.bSplineCurve({ size: 1, points: [0, 1, 2, 3], knots: [0, 0, 0, 0, 1, 1, 1, 1] }, misspelt),
  uniformKnots: () => motions.uniformKnots(4, 0, 1, misspelt),
  bezierCurve: () => motions.bezierCurve({ times: [0, 1], points: [0, 1, 2, 3] }, misspelt),
  cubicSpline: () => motions.cubicSpline(keys, misspelt),
  hermiteCurve: () => motions.hermiteCurve({ ...keys, tangents: [0, 0] }, misspelt),
  cardinalCurve: () => motions.cardinalCurve(keys, misspelt),
  catmullRomCurve: () => motions.catmullRomCurve(keys, misspelt),
  kochanekBartelsCurve: () => motions.kochanekBartelsCurve(keys, misspelt),
  linearCurve: () => motions.linearCurve(keys, misspelt),
  stepCurve: () => motions.stepCurve(keys, misspelt),
  makeAdditive: () => makeAdditive(figure, motion, misspelt),
  mirrorMotion: () => mirrorMotion(figure, motion, misspelt),
  mirrorPose: () => mirrorPose(figure, [], misspelt),
  resampleMotion: () => resampleMotion(figure, motion, misspelt as never),
  applyRootMotion: () => applyRootMotion(figure, motion, line, misspelt),
  extractRootMotion: () => extractRootMotion(figure, motion, misspelt),
  simplifyMotion: () => simplifyMotion(figure, motion, misspelt),
  warpMotion: () => warpMotion(figure, motion, line, misspelt),
  minimumJerkCurve: () => motions.minimumJerkCurve(keys, misspelt),
  quinticCurve: () => motions.quinticCurve(keys, misspelt),
  fitCurve: () => motions.fitCurve(keys, { tolerance: 1, ...misspelt }),
  fitRotations: () => motions.fitRotations(rotations, { tolerance: 1, ...misspelt }),
  simplifyCurve: () => motions.simplifyCurve(line, { tolerance: 1, ...misspelt }),
  simplifyRotation: () => motions.simplifyRotation(slerp, { tolerance: 1, ...misspelt }),
  joinCurves: () => motions.joinCurves([line], misspelt),
  toBSpline: () => motions.toBSpline(line, misspelt),
  arcLength: () => motions.arcLength(line, misspelt),
  arcLengthTiming: () => motions.arcLengthTiming(line, misspelt),
  bakeTiming: () => motions.bakeTiming(line, line, misspelt),
  easeTiming: () => motions.easeTiming('linear' as never, { start: 0, end: 1, ...misspelt }),
  speedLimitTiming: () => motions.speedLimitTiming([{ motion: line, rate: 1 }], misspelt),
  'speedLimitTiming: limits': () => motions.speedLimitTiming([{ motion: line, rate: 1, ...misspelt }]),
  cumulativeBSplineCurve: () =>
    motions.cumulativeBSplineCurve(
      { quaternions: [0, 1, 2, 3].flatMap(() => [0, 0, 0, 1]), knots: [0, 0, 0, 0, 1, 1, 1, 1] },
      misspelt,
    ),
  minimumAccelerationCurve: () => motions.minimumAccelerationCurve(rotations, misspelt),
  rotationSpline: () => motions.rotationSpline(rotations, misspelt),
  rotationVectorCurve: () => motions.rotationVectorCurve(line, misspelt),
  orientationHermite: () =>
    motions.orientationHermite({ ...rotations, angularVelocities: new Float64Array(6) }, misspelt),
  rotationVectorBezier: () =>
    motions.rotationVectorBezier({ times: [0, 1], points: new Float64Array(12) }, misspelt),
  rotationVectorHermite: () =>
    motions.rotationVectorHermite(
      { times: [0, 1], values: new Float64Array(6), tangents: new Float64Array(6) },
      misspelt,
    ),
  rotationVectorTangents: () =>
    motions.rotationVectorTangents({ times: [0, 1], values: new Float64Array(6) }, misspelt),
  slerpCurve: () => motions.slerpCurve(rotations, misspelt),
  normalizedHermiteCurve: () =>
    normalizedHermiteCurve({ ...rotations, tangents: new Float64Array(8) }, misspelt),
  sphericalBezierCurve: () =>
    sphericalBezierCurve({ times: [0, 1], quaternions: [0, 1, 2, 3].flatMap(() => [0, 0, 0, 1]) }, misspelt),
  squadCurve: () => squadCurve(rotations, misspelt),
  blendMotions: () => blendMotions(figure, motion, motion, 0.5, misspelt),
  cleanMotion: () => cleanMotion(figure, motion, misspelt),
  cleanMotionInSegments: () => cleanMotionInSegments(figure, motion, misspelt),
  rootResiduals: () => rootResiduals(figure, motion, [], misspelt),
  'cleanMotion: detect': () => cleanMotion(figure, motion, { detect: misspelt }),
  createTransition: () => createTransition(figure, motion, motion, misspelt),
  detectContacts: () => detectContacts(figure, motion, [], misspelt),
  'detectContacts: contactPoints': () => detectContacts(figure, motion, [{ bone: 'leftFoot', ...misspelt }]),
  'cleanMotion: contactPoints': () =>
    cleanMotion(figure, motion, { contactPoints: [{ bone: 'leftFoot', ...misspelt }] }),
  'createTransition: contactPoints': () =>
    createTransition(figure, motion, motion, { contactPoints: [{ bone: 'leftFoot', ...misspelt }] }),
  'loopMotion: contactPoints': () =>
    loopMotion(figure, motion, { contactPoints: [{ bone: 'leftFoot', ...misspelt }] }),
  findFootContacts: () => findFootContacts(figure, motion, misspelt),
  'findFootContacts: detect': () => findFootContacts(figure, motion, { detect: misspelt }),
  editMotion: () => editMotion(figure, motion, [], misspelt),
  loopMotion: () => loopMotion(figure, motion, misspelt),
  makePhysical: () => makePhysical(figure, { times: [], poses: [] }, misspelt),
  createRetargeter: () => createRetargeter(figure, figure, misspelt),
  retargetMotion: () => retargetMotion(retargeter, motion, misspelt),
  'retargetMotion: detect': () => retargetMotion(retargeter, motion, { detect: misspelt }),
  'retargetMotion: contacts': () =>
    retargetMotion(retargeter, motion, {
      contacts: [{ foot: 'left', point: 'heel', over: [0, 1], ...misspelt }],
    }),
  'retargetMotion: contacts of hands': () =>
    retargetMotion(retargeter, motion, { contacts: [{ hand: 'left', over: [0, 1], ...misspelt }] }),
  'retargetMotion: relations': () =>
    retargetMotion(retargeter, motion, {
      relations: [{ hand: 'left', to: 'head', over: [0, 1], ...misspelt }],
    }),
  'retargetMotion: relations: to': () =>
    retargetMotion(retargeter, motion, {
      relations: [{ hand: 'left', to: { position: [0, 1, 0], ...misspelt }, over: [0, 1] }],
    }),
  retimeMotion: () => retimeMotion(figure, motion, { duration: { min: 1, max: 2 }, ...misspelt }),
  createDynamics: () => createDynamics(figure, misspelt),
  createDynamicsState: () => createDynamicsState(figure, misspelt),
  createIntegrator: () => createIntegrator(createDynamics(figure), { method: 'rk4', ...misspelt }),
  createCollider: () => createCollider(figure, [], [], misspelt),
  'createCollider: shapes': () => createCollider(figure, [{ bone: 'head', ...sphere, ...misspelt }]),
  'createCollider: world': () => createCollider(figure, [], [{ ...sphere, ...misspelt }]),
  createSharedCollider: () => createSharedCollider([], [], misspelt),
  createSimulation: () => createSimulation([{ figure }], misspelt),
  'createSimulation: actors': () => createSimulation([{ figure, ...misspelt }]),
  'createSimulation: actors, a ragdoll': () => createSimulation([{ ...createRagdoll(figure), ...misspelt }]),
  'createSimulation: motor': () => createSimulation([{ figure, motor: misspelt }]),
  'createSimulation: collide': () => createSimulation([{ figure }], { collide: misspelt }),
  'createSimulation: connections': () =>
    createSimulation([{ figure }], {
      connections: [{ type: 'point', a: { bone: 'head' }, b: {}, ...misspelt }],
    }),
  'createSimulation: connections, end a': () =>
    createSimulation([{ figure }], {
      connections: [{ type: 'point', a: { bone: 'head', ...misspelt }, b: {} }],
    }),
  'createSimulation: connections, end b': () =>
    createSimulation([{ figure }], { connections: [{ type: 'point', a: { bone: 'head' }, b: misspelt }] }),
  attachConnection: () => attachConnection({} as never, {} as never, { bone: 'head', ...misspelt }),
  createRagdoll: () => createRagdoll(figure, misspelt),
  findFootPoints: () => findFootPoints(figure, 'leftFoot', misspelt),
  createMotorGains: () => createMotorGains(figure, misspelt),
  'createMotorGains: root': () => createMotorGains(figure, { root: misspelt }),
  createMotionTracker: () => createMotionTracker(createSimulation([{ figure }]), 0, misspelt),
  'createMotionTracker: gains': () =>
    createMotionTracker(createSimulation([{ figure }]), 0, {
      gains: { ...createMotorGains(figure), ...misspelt },
    }),
  createActiveRagdoll: () => createActiveRagdoll(createSimulation([{ figure }]), 0, misspelt),
  connectIk: () => connectIk({} as never, misspelt),
  connectSpacetime: () => connectSpacetime({} as never, misspelt),
  solveMany: () => solveMany([], { figure, goals: [], starts: [], ...misspelt }),
};

test("a bone's misspelt limit names the right field", () => {
  const bone = {
    name: 'a',
    joint: { type: 'hinge', axis: [0, 0, 1] },
    limits: { type: 'interval', min: -1, max: 1 },
  } as const;
  expect(() => createFigure({ bones: [bone as BoneData] })).toThrow(
    "bones[0].limits: is not a known field. Did you mean 'limit'?",
  );
});

describe('an unknown option is refused, with its path and the options there are', () => {
  test.each(Object.keys(calls))('%s', async (name) => {
    await expect(async () => calls[name]()).rejects.toThrow(
      expect.objectContaining({
        code: 'unknown-name',
        path: expect.stringMatching(/\.colour$/),
        remedy: expect.stringMatching(/^The fields are|^Did you mean/),
      }),
    );
  });
});

/** A stage, called by the solver with the options that it has checked. */
const INTERNAL = ['multiStartStage'];

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: object;
};

test('every exported function with options is in this list', async () => {
  const names = new Set<string>();
  for (const subpath of Object.values(manifest.exports)) {
    const source = (subpath as { readonly 'poise-source'?: string })['poise-source'];
    if (source === undefined) continue;
    const exported: object = await import(new URL(source, root).href);
    for (const [name, member] of Object.entries(exported)) {
      if (typeof member === 'function' && hasOptions(member)) names.add(name);
    }
  }
  const missing = [...names].filter((name) => !(name in calls) && !INTERNAL.includes(name));
  expect(missing).toEqual([]);
});

/** Whether a function has a parameter `options`, or a record of defaults as its last parameter. */
function hasOptions(member: object): boolean {
  const source = String(member);
  if (source.startsWith('class')) return false;
  const first = source.indexOf('(');
  let depth = 0;
  let end = first;
  do {
    if ('([{'.includes(source[end])) depth++;
    if (')]}'.includes(source[end])) depth--;
    end++;
  } while (depth > 0);
  const parameters = source.slice(first + 1, end - 1);
  return /\boptions\b/.test(parameters) || /= \{\}\s*,?\s*$/.test(parameters);
}
