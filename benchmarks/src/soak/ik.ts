/** Random problems of inverse kinematics: goals on any figure, mixes with priorities, FABRIK, differential control, landmarks. */
import { type BoneData, clampToLimits, createFigure, createPose, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createDifferentialControl,
  createFabrik,
  createIk,
  createLandmarkFit,
  type DifferentialControl,
  type Fabrik,
  type Goal,
  type GoalResidual,
  type PositionGoal,
  solveFabrik,
  solveIk,
  solveLandmarks,
  stepDifferentialControl,
} from 'poise/ik';
import { createOracle, kinematicsOf } from '../../../scripts/oracles/ik/objective.js';
import { drawMix, startOf } from '../../../scripts/oracles/ik/random-mix.js';
import { drawProblem } from '../../../scripts/oracles/ik/random-problem.js';
import { runRandomProblems } from '../../../scripts/oracles/ik/random-run.js';
import type { Bone, Problem } from '../../../scripts/oracles/ik/types.js';
import { solveWithPoise } from '../random-figures/solve.js';
import {
  checkFrames,
  checkPose,
  createPiece,
  digest,
  fail,
  figureLimits,
  limitsOf,
  type Piece,
  refusal,
  requireFinite,
  type Stream,
} from './piece.js';
import { drawTreeMix, pieceRandom, within } from './trees.js';

/** Largest excess of a limit at an answer, rad or length scales: as the oracle of random figures. */
const EXCESS = 1e-12;

/** One problem in so many is solved with restarts and watched at every accepted iterate: costs ten times as much. */
const WATCHED = 20;

/** Any figure, size, limits and goals; kinematics, objective, status and limits are judged by the oracle. */
function problems(seed: number, number: number): Piece {
  const piece = createPiece();
  const isWatched = number % WATCHED === 0;
  const tally = runRandomProblems(seed, number, 1, (drawn, observe) => {
    const options = isWatched ? drawn.options : { ...drawn.options, restarts: 0 };
    const outcome = solveWithPoise({ ...drawn, options }, isWatched ? observe : () => {});
    if ('pose' in outcome) {
      digest(piece, outcome.pose);
      digest(piece, [outcome.claim.objective]);
    }
    return outcome;
  });
  piece.outcome = Object.keys(tally.counts)[0];
  piece.excess = tally.excess;
  for (const { texts } of tally.failures) for (const text of texts) fail(piece, text);
  return piece;
}

const human = /* @__PURE__ */ createHumanFigure();
const humanLimits = /* @__PURE__ */ figureLimits(human, 1);

/** Mixes of goals of every type with priorities, on trees and on the human. */
function mixes(seed: number, number: number): Piece {
  const piece = createPiece();
  const mix = drawMix(seed, number);
  const figure = mix.bones === undefined ? human : createFigure({ bones: mix.bones });
  const limits = mix.bones === undefined ? humanLimits : limitsOf(mix.bones, 1);
  const pose = createPose(figure);
  pose.set(startOf(mix, figure.dof));
  try {
    const restarts = number % WATCHED === 0 ? 2 : 0;
    const ik = createIk(figure, mix.goals as readonly Goal[] as Goal[], { locked: mix.locked, restarts });
    const { status, objective, residuals } = solveIk(ik, pose);
    piece.outcome = status;
    digest(piece, pose);
    digest(piece, [objective]);
    const values = residuals.map(({ value }) => value);
    requireFinite(piece, [objective, ...values], 'objective and residuals');
    requireMet(piece, status, residuals, mix.goals);
  } catch (error) {
    return refusal(piece, error);
  }
  checkPose(piece, limits, pose, EXCESS, 'answer');
  checkFrames(piece, figure, pose, 'answer');
  return piece;
}

/** What is called converged is met; goals of weight 0 are off. */
function requireMet(
  piece: Piece,
  status: string,
  residuals: readonly GoalResidual[],
  goals: readonly object[],
): void {
  const isMet = residuals.every(({ index, value, tolerance }) => {
    return value <= tolerance || (goals[index] as { readonly weight?: number }).weight === 0;
  });
  if (status === 'converged' && !isMet) fail(piece, 'converged with a goal that is not met');
}

/** Rounds of coordinate descent: what is not there by then counts as `iteration-limit`. */
const FABRIK_ROUNDS = 30;

/** Positions of any weight by FABRIK, with figures as in `problems`. */
function fabrik(seed: number, number: number): Piece {
  const piece = createPiece();
  const { problem, start } = drawProblem(seed, number);
  const { bones, locked } = problem;
  const random = pieceRandom(seed, number, 'fabrik');
  const size = createOracle({ bones, goals: [], locked: [] }).lengthScale;
  const figure = createFigure({ bones });
  const goals: PositionGoal[] = problem.goals.flatMap((goal) => {
    if (goal.type !== 'position') return [];
    const { mask: _, ...rest } = goal;
    return [rest];
  });
  while (goals.length === 0 || (goals.length < 3 && random() < 0.3)) {
    const bone = bones[Math.floor(bones.length * random())].name;
    const target = [within(random, 3 * size), within(random, 3 * size), within(random, 3 * size)] as const;
    goals.push({ type: 'position', bone, target, weight: 10 ** within(random, 2) });
  }
  let solver: Fabrik;
  const pose = Float64Array.from(start);
  try {
    const root = random() < 0.5 ? 'free' : 'fixed';
    const restarts = number % WATCHED === 0 ? 2 : 0;
    solver = createFabrik(figure, goals, { locked, root, restarts, maxIterations: FABRIK_ROUNDS });
  } catch (error) {
    return refusal(piece, error);
  }
  const { status, objective, residuals } = solveFabrik(solver, pose);
  piece.outcome = status;
  digest(piece, pose);
  digest(piece, [objective]);
  requireFinite(piece, [objective, ...residuals.map(({ value }) => value)], 'objective and residuals');
  requireMet(piece, status, residuals, goals);
  checkPose(piece, limitsOf(bones, size), pose, EXCESS, 'answer');
  checkFrames(piece, figure, pose, 'answer');
  return piece;
}

/** Frames that a target is dragged for. */
const FRAMES = 3;

/** Goals of a mix dragged for some frames, with rate limits and a posture. */
function differential(seed: number, number: number): Piece {
  const piece = createPiece();
  const mix = drawTreeMix(seed, number);
  const random = pieceRandom(seed, number, 'differential');
  const figure = createFigure({ bones: mix.bones });
  const pose = clamped(figure, startOf(mix, figure.dof));
  const reference = createPose(figure);
  let control: DifferentialControl;
  try {
    control = createDifferentialControl(figure, mix.goals as readonly Goal[] as Goal[], {
      locked: mix.bones.filter(() => random() < 0.05).map(({ name }) => name),
      ...(random() < 0.4 && { posture: { reference, rate: 3 * random() + 0.1 } }),
      ...(random() < 0.4 && { maxJointRate: { angular: 6 * random(), linear: 2 * random() } }),
    });
  } catch (error) {
    return refusal(piece, error);
  }
  const limits = limitsOf(mix.bones, 1);
  for (let frame = 0; frame < FRAMES; frame++) {
    const { status } = stepDifferentialControl(control, pose, [1 / 240, 1 / 60, 1 / 20][frame % 3]);
    piece.outcome = status;
    digest(piece, pose);
    digest(piece, control.velocity);
    requireFinite(piece, control.velocity, 'velocity');
    checkPose(piece, limits, pose, EXCESS, `frame ${frame}`);
  }
  checkFrames(piece, figure, pose, 'answer');
  return piece;
}

/** Points of a tree, with noise, outliers and gaps, over two frames. */
function landmarks(seed: number, number: number): Piece {
  const piece = createPiece();
  const mix = drawTreeMix(seed, number);
  const random = pieceRandom(seed, number, 'landmarks');
  const bones = mix.bones as readonly unknown[] as readonly (Bone & BoneData)[];
  const figure = createFigure({ bones });
  const points = bones.flatMap(({ name }, bone) =>
    Array.from({ length: 1 + Math.floor(3 * random()) }, (_, n) => ({
      bone,
      landmark: {
        name: `${name} ${n}`,
        bone: name,
        point: [within(random, 0.2), within(random, 0.2), within(random, 0.2)] as const,
        weight: 0.1 + random(),
      },
    })),
  );
  const problem: Problem = { bones, goals: [], locked: [] };
  const oracle = createOracle(problem);
  const limits = limitsOf(bones, 1);
  const pose = createPose(figure);
  const noise = [0, 0.001, 0.02][Math.floor(3 * random())];
  const fit = createLandmarkFit(figure, { landmarks: points.map(({ landmark }) => landmark), restarts: 1 });
  const there = clamped(
    figure,
    Float64Array.from({ length: figure.dof }, () => within(random, 1.5)),
  );
  for (let frame = 0; frame < 2; frame++) {
    for (let i = 0; i < there.length; i++) there[i] += within(random, 0.1);
    const frames = kinematicsOf(oracle, clamped(figure, there));
    const positions = points.flatMap(({ bone, landmark: { point } }) => {
      if (random() < 0.1) return [Number.NaN, Number.NaN, Number.NaN];
      const off = random() < 0.03 ? 1 : noise;
      return worldPoint(frames[bone], point).map((x) => x + within(random, off));
    });
    const { status, rms, objective, residuals } = solveLandmarks(fit, positions, pose);
    piece.outcome = status;
    digest(piece, pose);
    digest(piece, [rms, objective]);
    requireFinite(piece, [rms, objective], 'rms and objective');
    residuals.forEach((residual, n) => {
      if (Number.isNaN(residual) !== Number.isNaN(positions[3 * n]))
        fail(piece, `residual ${n} is ${residual}`);
    });
    checkPose(piece, limits, pose, EXCESS, `frame ${frame}`);
  }
  checkFrames(piece, figure, pose, 'answer');
  return piece;
}

/** A pose clamped to the limits of its figure. */
function clamped(figure: Figure, pose: Float64Array): Float64Array {
  clampToLimits(figure, pose);
  return pose;
}

/** A point of a bone in the world, by a quaternion [x, y, z, w]. */
function worldPoint(
  { rotation, position }: { readonly rotation: ArrayLike<number>; readonly position: ArrayLike<number> },
  [x, y, z]: readonly [number, number, number],
): number[] {
  const [a, b, c, w] = [rotation[0], rotation[1], rotation[2], rotation[3]];
  const [u, v, t] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
  return [
    position[0] + x + w * u + b * t - c * v,
    position[1] + y + w * v + c * u - a * t,
    position[2] + z + w * t + a * v - b * u,
  ];
}

const part = 'ik';
export const ikStreams: readonly Stream[] = [
  { part, name: 'problems', share: 0.45, block: 10_000, most: 30_000, run: problems },
  { part, name: 'mixes', share: 0.1, block: 2_000, most: 30_000, run: mixes },
  { part, name: 'fabrik', share: 0.2, block: 5_000, most: 30_000, run: fabrik },
  { part, name: 'differential', share: 0.2, block: 10_000, most: 5_000, run: differential },
  { part, name: 'landmarks', share: 0.05, block: 2_000, most: 10_000, run: landmarks },
];
