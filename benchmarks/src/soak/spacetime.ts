/** Small random problems of spacetime optimization: limits, goals, contacts, fixed and free durations. */
import { clampToLimits, createFigure, createPose, type Figure } from 'poise/figure';
import { createMotionSampler, samplePose, sampleQuaternions } from 'poise/motion';
import {
  createSpacetimeProblem,
  motionFromSolution,
  type SpacetimeData,
  type SpacetimeTerm,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import type { Random } from '../../../scripts/oracles/ik/random-problem.js';
import {
  checkFrames,
  checkPose,
  checkQuaternions,
  createPiece,
  digest,
  fail,
  figureLimits,
  type Piece,
  refusal,
  requireFinite,
  type Stream,
} from './piece.js';
import { bodyFigure, drawTreeMix, pieceRandom, triple, within } from './trees.js';

/** Largest excess of a limit, rad or m: a spline is in a convex set where its control points are, to the rounding of their sum. */
const EXCESS = 1e-10;
/** The clip interpolates a trajectory whose time scaling varies by quintics between half knots: near, and not the same. */
const SCALED_EXCESS = 1e-4;
const ITERATIONS = 40;
/** Moments at which a solution is looked at: none is a knot. */
const MOMENTS = 37;

/** The first bones of a drawn tree: four are enough for every joint type to meet every term. */
function treeProblem(seed: number, number: number, random: Random): { figure: Figure; data: SpacetimeData } {
  const { bones } = bodyFigure(drawTreeMix(seed, number));
  const figure = createFigure({ bones: bones.slice(0, 2 + Math.floor(3 * random())) });
  const isFree = random() < 0.3;
  const duration = isFree
    ? { min: 0.3, max: 2, start: 0.8, ...(random() < 0.5 && { pieces: 3 }) }
    : 0.4 + random();
  const end = typeof duration === 'number' ? duration : duration.start;
  const last = figure.bones[figure.bones.length - 1].name;
  const terms: SpacetimeTerm[] = [{ type: 'pose', at: 'start', pose: poseOf(figure, random) }];
  if (random() < 0.7) terms.push({ type: 'velocity', at: 'start' });
  if (random() < 0.6) terms.push({ type: 'pose', at: 'end', pose: poseOf(figure, random) });
  if (random() < 0.5) {
    const goal = { type: 'position', bone: last, target: triple(random, 0.8) } as const;
    terms.push({ type: 'goal', goal, at: random() * end, ...(random() < 0.7 && { weight: 10 }) });
  }
  if (random() < 0.3) terms.push({ type: 'speed-limit', limit: 1 + 5 * random() });
  if (random() < 0.4) terms.push({ type: 'effort', weight: 0.01 });
  if (random() < 0.2) terms.push({ type: 'torque-limit', limit: 20 + 200 * random() });
  if (isFree) terms.push({ type: 'duration', weight: random() });
  terms.push({ type: 'smoothness', order: random() < 0.5 ? 2 : 3, weight: 0.01 });
  return { figure, data: { duration, intervals: 4 + Math.floor(6 * random()), terms } };
}

/** A body over one leg that stands, and may leave the ground. */
function hopperProblem(random: Random): { figure: Figure; data: SpacetimeData } {
  const inertia = (mass: number) => [0.02 * mass, 0.02 * mass, 0.01 * mass, 0, 0, 0] as const;
  const hinge = { type: 'hinge', axis: [1, 0, 0] } as const;
  const leg = {
    rest: { position: [0, -0.3, 0] },
    joint: hinge,
    mass: 1,
    centerOfMass: [0, -0.15, 0],
  } as const;
  const figure = createFigure({
    bones: [
      {
        name: 'body',
        rest: { position: [0, 0.9, 0] },
        joint: { type: 'free' },
        mass: 5,
        inertia: inertia(5),
      },
      {
        name: 'thigh',
        parent: 'body',
        ...leg,
        inertia: inertia(1),
        limit: { type: 'interval', min: -1.6, max: 0.5 },
      },
      {
        name: 'shin',
        parent: 'thigh',
        ...leg,
        inertia: inertia(1),
        limit: { type: 'interval', min: 0, max: 2.4 },
      },
      {
        name: 'foot',
        parent: 'shin',
        rest: { position: [0, -0.3, 0] },
        joint: { type: 'ball' },
        limit: { type: 'angle', max: 0.9 },
        mass: 0.5,
        inertia: inertia(0.5),
      },
    ],
  });
  const duration = 0.5 + 0.5 * random();
  const lifts = random() < 0.4;
  const over = [0, lifts ? (0.3 + 0.4 * random()) * duration : duration] as const;
  const points = [
    [0.06, 0, 0.1],
    [-0.06, 0, 0.1],
    [0.06, 0, -0.08],
    [-0.06, 0, -0.08],
  ] as const;
  const target = [within(random, 0.05), 0.8 + 0.15 * random(), within(random, 0.05)] as const;
  const terms: SpacetimeTerm[] = [
    { type: 'contact', bone: 'foot', points, over, friction: 0.3 + random() },
    { type: 'physics' },
    { type: 'goal', goal: { type: 'position', bone: 'body', target }, at: random() * duration, weight: 50 },
    { type: 'effort', weight: 1e-4 },
    { type: 'smoothness', weight: 1e-3 },
  ];
  if (random() < 0.5) terms.push({ type: 'velocity', at: 'start' });
  return { figure, data: { duration, intervals: 5 + Math.floor(4 * random()), terms } };
}

/** A pose within the limits, or in one of ten cases anywhere: a constraint that conflicts with them. */
function poseOf(figure: Figure, random: Random): Float64Array {
  const pose = Float64Array.from(createPose(figure), () => within(random, 0.9));
  if (random() < 0.9) clampToLimits(figure, pose);
  return pose;
}

function problems(seed: number, number: number): Piece {
  const piece = createPiece();
  const random = pieceRandom(seed, number, 'spacetime');
  const isHopper = number % 4 === 3;
  const { figure, data } = isHopper ? hopperProblem(random) : treeProblem(seed, number, random);
  let solution: ReturnType<typeof solveSpacetime>;
  try {
    const problem = createSpacetimeProblem(figure, data);
    solution = solveSpacetime(problem, { maxIterations: ITERATIONS, maxRefinements: 1 });
  } catch (error) {
    return refusal(piece, error);
  }
  const { status, cost, violation, duration, report } = solution;
  piece.outcome = status;
  digest(piece, [cost, violation, duration]);
  requireFinite(piece, [cost, violation, duration], 'cost, violation and duration');
  for (const term of report.terms) requireFinite(piece, [term.cost, term.violation], term.name);
  const { min, max } = typeof data.duration === 'number' ? { min: duration, max: duration } : data.duration;
  if (!(duration >= min * (1 - 1e-9) && duration <= max * (1 + 1e-9)))
    fail(piece, `a duration of ${duration}`);
  const motion = motionFromSolution(solution);
  const sampler = createMotionSampler(figure, motion);
  const limits = figureLimits(figure, 1);
  const pose = createPose(figure);
  const rates = createPose(figure);
  const isScaled = typeof data.duration !== 'number' && data.duration.pieces !== undefined;
  const quaternions = new Float64Array(4 * figure.bones.length);
  for (let n = 0; n <= MOMENTS; n++) {
    const time = (n / MOMENTS) * duration;
    const exact = sampleTrajectory(solution.trajectory, time);
    checkPose(piece, limits, exact.pose, EXCESS, `trajectory at ${time}`);
    requireFinite(piece, exact.torques, `torques at ${time}`);
    samplePose(sampler, time, pose, rates);
    digest(piece, pose);
    requireFinite(piece, rates, `rates at ${time}`);
    checkPose(piece, limits, pose, isScaled ? SCALED_EXCESS : EXCESS, `clip at ${time}`);
    checkQuaternions(piece, sampleQuaternions(sampler, time, quaternions), `clip at ${time}`);
    if (n % 12 === 0) checkFrames(piece, figure, pose, `clip at ${time}`);
  }
  return piece;
}

const part = 'spacetime';
export const spacetimeStreams: readonly Stream[] = [
  { part, name: 'problems', share: 1, block: 10, most: 120_000, run: problems },
];
