import { createSimulation, type Ragdoll, stepSimulation } from 'poise/dynamics';
import { clampToLimits } from 'poise/figure';
import type { Prng } from '../prng.js';
import { conjugate, length, plus, rotate, type V } from '../rigid/vectors.js';
import { type Bodies, createBodies, placeBodies } from './bodies.js';
import { deepest } from './depth.js';

/** Largest self-penetration of a start pose, m. */
const TOUCHING = 1e-3;

/**
 * A pose in the air above the stairs: every joint within 0.4 rad of rest and within its limits, nothing inside anything else, tilted at random, the
 * lowest point 2 m above the floor (for a height of 1.75 m).
 */
export function drawPose(
  ragdoll: Ragdoll,
  random: Prng,
): { readonly pose: Float64Array; readonly bodies: Bodies } {
  for (let share = 0.8; ; share *= 0.9) {
    const drawn = drawOnce(ragdoll, random, share);
    if (overlap(ragdoll, drawn.pose) < TOUCHING || share < 0.01) return drawn;
  }
}

function drawOnce({ figure, shapes, height }: Ragdoll, random: Prng, share: number) {
  const pose = Float64Array.from({ length: figure.dof }, () => share * (random.uniform() - 0.5));
  const bodies = createBodies(figure);
  const still = new Float64Array(figure.dof);
  placeBodies(figure, still, still, bodies);
  const root = figure.bones.find(({ joint }) => joint.type === 'free');
  if (root === undefined) throw new Error('benchmarks: a ragdoll without a free bone');
  const rest = { position: bodies.position[root.index], rotation: bodies.rotation[root.index] };
  const scale = height / 1.75;
  const tilt = [random.normal(), random.normal(), random.normal()];
  const angle = Math.PI * random.uniform();
  const v = rotate(
    conjugate(rest.rotation),
    tilt.map((x) => (angle * x) / length(tilt)),
  );
  const shift = [scale * (3 * random.uniform() - 0.8), 0, scale * (2 * random.uniform() - 1)];
  const i = root.coordinate;
  const write = (by: V): void => {
    pose.set(rotate(conjugate(rest.rotation), plus(by, rest.position, -1)), i);
    pose.set(v, i + 3);
  };
  write(shift);
  clampToLimits(figure, pose);
  placeBodies(figure, pose, still, bodies);
  write([shift[0], 2 * scale + deepest(figure, shapes, bodies, []), shift[2]]);
  placeBodies(figure, pose, still, bodies);
  return { pose, bodies };
}

/** Self-penetration of the figure's shapes, m. */
function overlap({ figure, shapes, exclude }: Ragdoll, pose: Float64Array): number {
  const simulation = createSimulation([{ figure, shapes, pose }], { collide: { exclude } });
  return stepSimulation(simulation, 1e-6).depth;
}
