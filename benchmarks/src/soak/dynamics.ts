/** Steps of simulation over random scenes, and of the integrators over random trees. */
import {
  createDynamics,
  createDynamicsState,
  createIntegrator,
  createSimulation,
  type IntegratorMethod,
  kineticEnergy,
  potentialEnergy,
  stepIntegrator,
  stepSimulation,
} from 'poise/dynamics';
import { clampToLimits, createFigure, createPose, type Figure } from 'poise/figure';
import { poise } from '../torture/engines/poise.js';
import type { Fault } from '../torture/judge/judge.js';
import { play } from '../torture/play.js';
import type { Scene } from '../torture/scene.js';
import { KINDS, makeScene } from '../torture/scenes/index.js';
import { firstBodies, STRIDE } from '../torture/states.js';
import {
  checkFrames,
  checkPose,
  checkQuaternions,
  createPiece,
  digest,
  fail,
  limitsOf,
  type Piece,
  requireFinite,
  type Stream,
} from './piece.js';
import { drawScene, type SceneKind } from './scenes.js';
import { bodyFigure, drawTreeMix, pieceRandom, triple, within } from './trees.js';

/** Beyond a limit, rad: poses are clamped to theirs, to rounding; the angle is computed from quaternions. */
const ROUNDING = 1e-6;

/** What may be so for a moment, when a scene ends before it is at rest: counted, and judged where the torture waits for rest. */
const UNSETTLED: readonly Fault[] = ['moving', 'deep', 'lost'];

/** Plays a scene and judges each step by the torture's judge, whose kinematics, energy and limits are its own. */
function playScene(scene: Scene): Piece {
  const piece = createPiece();
  const first = firstBodies(scene);
  let last = new Float64Array(0);
  piece.count = 0;
  const { faults, worst } = play(scene, poise, (_, states) => {
    // Figures that did not move, asleep or at rest, do not count.
    for (let f = 0; f + 1 < first.length && last.length > 0; f++) {
      const [from, to] = [STRIDE * first[f], STRIDE * first[f + 1]];
      for (let i = from; i < to; i++) {
        if (states[i] === last[i]) continue;
        piece.count++;
        break;
      }
    }
    last = states.slice();
    digest(piece, states);
    for (let i = 0; i < states.length; i += STRIDE)
      checkQuaternions(piece, states.subarray(i + 3, i + 7), `body ${i / STRIDE}`);
  });
  const unsettled = UNSETTLED.filter((name) => faults.has(name));
  piece.outcome = unsettled.length > 0 ? `ends ${unsettled.join(', ')}` : 'done';
  for (const [name, text] of faults) if (!UNSETTLED.includes(name)) fail(piece, `${name}: ${text}`);
  piece.excess = worst.limit;
  if (worst.limit > ROUNDING) fail(piece, `${worst.limit} rad beyond a limit`);
  return piece;
}

const small = (kind: SceneKind) => (seed: number, number: number) => playScene(drawScene(kind, seed, number));

const KIND_NAMES = /* @__PURE__ */ Object.keys(KINDS);

/** Short scenes of every kind of mistreatment, one kind after the other. */
function mistreated(seed: number, number: number): Piece {
  return playScene(makeScene(KIND_NAMES[number % KIND_NAMES.length], seed, number, true));
}

/** Of the energy that a scene starts with: more than that appears from nowhere. */
const EXPLODED = 0.1;
const GRAVITY = 9.81;

/** Energy that the start has, and that a fall by the size of the figure gives, J. */
function energyScale(figure: Figure, kinetic: number): number {
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const size = figure.bones.reduce((sum, bone) => sum + Math.hypot(...bone.rest.position), 0.5);
  return kinetic + mass * GRAVITY * size;
}

/** Trees of all joint types, sliders too, over a floor: limits by the oracle's sets, as they are in the pose. */
function trees(seed: number, number: number): Piece {
  const piece = createPiece();
  const mix = drawTreeMix(seed, number);
  const random = pieceRandom(seed, number, 'trees');
  const figure = createFigure(bodyFigure(mix));
  const limits = limitsOf(mix.bones, 1);
  const pose = createPose(figure);
  for (let i = 0; i < pose.length; i++) pose[i] = within(random, 0.8);
  clampToLimits(figure, pose);
  const velocity = Float64Array.from(pose, () => within(random, 2));
  const simulation = createSimulation(
    [
      {
        figure,
        pose,
        velocity,
        damping: random() < 0.3 ? 0 : 0.2 * random(),
        ...(random() < 0.3 && { friction: random() }),
        shapes: figure.bones.map(({ index }) => ({ bone: index, type: 'sphere', radius: 0.04 })),
        exclude: figure.bones.flatMap((a) =>
          figure.bones.slice(a.index + 1).map((b) => [a.index, b.index] as const),
        ),
      },
    ],
    { world: [{ type: 'plane', offset: -4 }], sleep: false },
  );
  const [actor] = simulation.actors;
  const dt = [1 / 60, 1 / 60, 1 / 120, 1 / 240][Math.floor(4 * random())];
  const count = 120;
  piece.count = count;
  let [start, scale] = [Number.NaN, Number.NaN];
  for (let step = 0; step < count; step++) {
    const { status, kinetic, potential } = stepSimulation(simulation, dt);
    piece.outcome = status;
    if (status !== 'done') fail(piece, `step ${step}: ${status}`);
    if (step === 0) [start, scale] = [kinetic + potential, energyScale(figure, kinetic)];
    if (!(kinetic + potential - start <= EXPLODED * scale))
      fail(piece, `step ${step}: energy ${kinetic + potential} J, at the start ${start} of ${scale}`);
    digest(piece, actor.pose);
    if (!requireFinite(piece, actor.velocity, 'velocity')) break;
    checkPose(piece, limits, actor.pose, EXCESS, `step ${step}`);
    if (piece.faults.length > 0) break;
  }
  checkFrames(piece, figure, actor.pose, 'end');
  return piece;
}

/** Largest excess of a limit in a pose that is clamped to it, rad or m. */
const EXCESS = 1e-12;

interface Method {
  readonly method: IntegratorMethod;
  readonly order?: 2 | 4;
  readonly step?: number;
  readonly relativeTolerance?: number;
}

const METHODS: readonly Method[] = [
  { method: 'semi-implicit-euler' },
  { method: 'rk4' },
  { method: 'rk4', step: 0.004 },
  { method: 'midpoint' },
  { method: 'dormand-prince', relativeTolerance: 1e-7 },
];

/** Balls, hinges and free joints, without limits and forces: no coordinate has an end, and energy is kept. */
function integrators(seed: number, number: number): Piece {
  const piece = createPiece();
  const mix = drawTreeMix(seed, number);
  const random = pieceRandom(seed, number, 'integrators');
  const { bones } = bodyFigure(mix);
  const figure = createFigure({
    bones: bones.map(({ limit: _, joint, ...bone }) => {
      const isKept = joint?.type === 'free' || joint?.type === 'hinge';
      return { ...bone, joint: isKept ? joint : ({ type: 'ball' } as const) };
    }),
  });
  const dynamics = createDynamics(figure, { gravity: triple(random, 10) });
  const state = createDynamicsState(figure, {
    pose: Float64Array.from(createPose(figure), () => within(random, 0.8)),
    velocity: Float64Array.from(createPose(figure), () => within(random, 1.5)),
  });
  const method = METHODS[number % METHODS.length];
  const integrator = createIntegrator(dynamics, { absoluteTolerance: 1e-7, ...method });
  const energy = (): { readonly kinetic: number; readonly all: number } => {
    const kinetic = kineticEnergy(dynamics, state.pose, state.velocity);
    return { kinetic, all: kinetic + potentialEnergy(dynamics, state.pose) };
  };
  const before = energy();
  const scale = energyScale(figure, before.kinetic);
  piece.count = 0;
  for (let part = 0; part < 4; part++) {
    const { status, steps } = stepIntegrator(integrator, state, 0.1);
    piece.count += steps;
    piece.outcome = `${method.method}: ${status}`;
    if (status !== 'done') fail(piece, `${JSON.stringify(method)}: ${status}`);
    digest(piece, state.pose);
    digest(piece, state.velocity);
    if (!requireFinite(piece, state.pose, 'pose') || !requireFinite(piece, state.velocity, 'velocity')) break;
    const { all } = energy();
    if (!(Math.abs(all - before.all) <= EXPLODED * scale))
      fail(piece, `${JSON.stringify(method)}: energy ${all} J, at the start ${before.all} of ${scale}`);
  }
  checkFrames(piece, figure, state.pose, 'end');
  return piece;
}

const part = 'dynamics';
export const dynamicsStreams: readonly Stream[] = [
  { part, name: 'bodies', share: 0.2, block: 60, most: 60_000, run: small('bodies') },
  { part, name: 'chains', share: 0.2, block: 100, most: 60_000, run: small('chains') },
  { part, name: 'ragdolls', share: 0.15, block: 30, most: 60_000, run: small('ragdolls') },
  { part, name: 'trees', share: 0.2, block: 150, most: 60_000, run: trees },
  { part, name: 'mistreated', share: 0.05, block: 18, most: 120_000, run: mistreated },
  { part, name: 'integrators', share: 0.2, block: 600, most: 60_000, run: integrators },
];
