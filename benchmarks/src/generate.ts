import { forward } from './check.js';
import { createPrng, type Prng } from './prng.js';
import type { ProblemSet, TargetPose } from './problems.js';

/**
 * Problems of the same kind as a shared set, from a seed.
 *
 * The chains without limits: target uniform in the volume between 0.2 and 1 times the reach (the shared sets'
 * distances fill that shell: least 0.2 and mean (r/reach)^3 = 0.5). All others: a reachable configuration drawn
 * uniformly within the limits, hinges in their interval and balls in the ball of rotation vectors of length up to
 * theta, and its effectors' poses taken as targets, so a solution within limits exists.
 */
export function generateProblemSet(like: ProblemSet, seed: number, count: number): ProblemSet {
  // The id goes into the seed, so that chain30 and chain100 do not get scaled copies of the same targets.
  const prng = createPrng(seed ^ hash(like.id.replace('-lim', '')));
  const targets: (readonly TargetPose[])[] = [];
  const shell = like.model.name.startsWith('chain') && !like.limited;
  for (let i = 0; i < count; i++) targets.push(shell ? inShell(like, prng) : reachable(like, prng));
  return { ...like, targets };
}

function hash(text: string): number {
  // FNV-1a
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

function direction(prng: Prng): [number, number, number] {
  const v: [number, number, number] = [prng.normal(), prng.normal(), prng.normal()];
  const n = Math.hypot(...v);
  return [v[0] / n, v[1] / n, v[2] / n];
}

function inShell(set: ProblemSet, prng: Prng): TargetPose[] {
  const { joints, effectors } = set.model;
  const tip = effectors[0];
  const reach = joints
    .slice(1)
    .reduce((sum, joint) => sum + Math.hypot(...joint.pos), Math.hypot(...tip.pos));
  const radius = reach * Math.cbrt(0.2 ** 3 + (1 - 0.2 ** 3) * prng.uniform());
  const [x, y, z] = direction(prng);
  return [{ p: [radius * x, radius * y, radius * z], q: [1, 0, 0, 0] }];
}

function reachable(set: ProblemSet, prng: Prng): TargetPose[] {
  const { joints } = set.model;
  const values = new Float64Array(4 * joints.length);
  joints.forEach((joint, j) => {
    if (joint.type === 'hinge') {
      values[4 * j] = joint.lo + (joint.hi - joint.lo) * prng.uniform();
      return;
    }
    const angle = joint.theta * Math.cbrt(prng.uniform());
    const [x, y, z] = direction(prng);
    const s = Math.sin(angle / 2);
    values.set([s * x, s * y, s * z, Math.cos(angle / 2)], 4 * j);
  });
  const pose = forward(set.model, values);
  return set.model.effectors.map((_, e) => {
    const p = pose.effectorPositions[e];
    const q = pose.effectorRotations[e];
    return { p, q: [q[3], q[0], q[1], q[2]] as const };
  });
}
