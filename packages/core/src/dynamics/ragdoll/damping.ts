import type { Triple } from '../../figure/data/types.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { originOf, pointOf, type Rest } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import { findRootJoints } from '../../figure/model/floating-base.js';
import { type Body, mergeBodies, sixNumbers } from './body/mass-properties.js';
import type { Bodies } from './body/masses.js';

/**
 * Minimum distance of a body from the joint in the reduced inertia, in heights of the figure: about that of a forearm with its hand. Without it hands
 * and fingers would take as long as T to stop.
 */
const MIN_DISTANCE = 0.12;

/**
 * Passive damping of each coordinate, N m s or N s/m: d = I / T with the settling time T of the joint and the reduced inertia
 * I = I_1 I_2 / (I_1 + I_2) of the joint's subtree and of the rest of the tree, about the joint at rest. Each is half the trace (for a rod the
 * mean of its two larger moments), and at least m (0.12 height)^2. Zero for the coordinates of free joints.
 *
 * @param height - Of the figure, m.
 * @param timeOf - Settling time by bone, s.
 */
export function jointDamping(
  rest: Rest,
  bodies: Bodies,
  height: number,
  timeOf: (bone: number) => number,
): Float64Array {
  const { figure } = rest;
  const { bones, parents, dof } = figure;
  const damping = new Float64Array(dof);
  const worldBodies = bones.map(({ index }) => worldBody(rest, bodies[index], index));
  const subtrees = [...worldBodies];
  for (let b = bones.length - 1; b >= 0; b--) {
    if (parents[b] >= 0) subtrees[parents[b]] = mergeBodies([subtrees[parents[b]], subtrees[b]]);
  }
  const roots = rootsOf(figure);
  const complements = complementsOf(figure, roots, worldBodies, subtrees);
  for (const { index, joint, coordinate, dof: own } of bones) {
    if (own === 0 || joint.type === 'free') continue;
    const subtree = subtrees[index];
    const isFloating = bones[roots[index]].joint.type === 'free';
    const others = isFloating ? complements[index] : undefined;
    const origin = originOf(rest, index);
    const { translations } = jointTypes[joint.type];
    const mass = reducedMass(subtree.mass, others?.mass ?? Number.POSITIVE_INFINITY);
    const inertia = reducedMass(
      inertiaAbout(subtree, origin, MIN_DISTANCE * height),
      others ? inertiaAbout(others, origin, MIN_DISTANCE * height) : Number.POSITIVE_INFINITY,
    );
    const time = timeOf(index);
    for (let k = 0; k < own; k++) damping[coordinate + k] = (k < translations ? mass : inertia) / time;
  }
  return damping;
}

/** a b / (a + b), the reduced mass; b may be infinite. */
function reducedMass(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return 1 / (1 / a + 1 / b);
}

/** Half the trace of the inertia about a point, with the centre of mass at least `nearest` from it, m. */
function inertiaAbout({ mass, center, inertia }: Body, point: Triple, nearest: number): number {
  const square = center.reduce((sum, x, k) => sum + (x - point[k]) ** 2, 0);
  const half = (inertia[0] + inertia[1] + inertia[2]) / 2;
  return Math.max(half + mass * square, mass * nearest * nearest);
}

/** The body at its world position; the inertia is not rotated, since only its trace is used. */
function worldBody(rest: Rest, body: Body | undefined, bone: number): Body {
  if (!body) return { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] };
  return { mass: body.mass, center: pointOf(rest, bone, body.center), inertia: sixNumbers(body.inertia) };
}

/** The root joint above each bone, or itself; of fixed bones above all joints the bone. Parents come first. */
function rootsOf(figure: Figure): Int32Array {
  const { parents } = figure;
  const isRoot = new Set(findRootJoints(figure));
  const roots = Int32Array.from(parents, (_, b) => b);
  for (let b = 0; b < parents.length; b++) {
    const parent = parents[b];
    if (parent >= 0 && !isRoot.has(b))
      roots[b] = figure.bones[roots[parent]].joint.type === 'fixed' ? b : roots[parent];
  }
  return roots;
}

/**
 * For each bone the rest of what is below its root joint, without its subtree: the rest of the parent's tree, the parent's own body, and the subtrees of its siblings,
 * those before it and those after it summed once for all of them. Sums only: a difference of the whole and the subtree would cancel.
 */
function complementsOf(
  { parents }: Figure,
  roots: Int32Array,
  bodies: readonly Body[],
  subtrees: readonly Body[],
): readonly Body[] {
  const children: number[][] = bodies.map(() => []);
  for (let b = 0; b < parents.length; b++) if (roots[b] !== b) children[parents[b]].push(b);
  const nothing = mergeBodies([]);
  const complements: Body[] = bodies.map(() => nothing);
  // Parents come first.
  children.forEach((siblings, parent) => {
    const after: Body[] = siblings.map(() => nothing);
    for (let k = siblings.length - 1; k > 0; k--) {
      after[k - 1] = mergeBodies([subtrees[siblings[k]], after[k]]);
    }
    let before = nothing;
    siblings.forEach((b, k) => {
      complements[b] = mergeBodies([complements[parent], bodies[parent], before, after[k]]);
      before = mergeBodies([before, subtrees[b]]);
    });
  });
  return complements;
}
