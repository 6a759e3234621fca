import type { Triple } from '../../figure/data/types.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { type Body, mergeBodies, six } from './body/mass-properties.js';
import type { Bodies } from './body/masses.js';
import { originOf, pointOf, type Rest } from './body/rest-pose.js';

/**
 * What hangs nearer to its joint is damped as if it hung so far away, heights: hands and fingers stop sooner than they fall. A forearm with its
 * hand is at this distance.
 */
const NEAREST = 0.12;

/**
 * Passive damping of each coordinate, N m s or N s/m: what a joint carries comes to rest in the time given, d = I / time, with I the inertia of
 * the bones beyond the joint against that of all others in the tree, I = I_1 I_2 / (I_1 + I_2), about the joint at rest; each the mean of its two
 * greater moments, as of a rod: half the trace, and m (0.12 height)^2 at least. None for the coordinates of free joints.
 *
 * @param height - m.
 * @param timeOf - s, by bone.
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
  const carried = bones.map(({ index }) => worldBody(rest, bodies[index], index));
  for (let b = bones.length - 1; b >= 0; b--) {
    if (parents[b] >= 0) carried[parents[b]] = mergeBodies([carried[parents[b]], carried[b]]);
  }
  for (const { index, joint, coordinate, dof: own } of bones) {
    if (own === 0 || joint.type === 'free') continue;
    const beyond = carried[index];
    const others = bones
      .filter((other) => rootOf(figure, other.index) === rootOf(figure, index))
      .filter((other) => !hangsFrom(figure, other.index, index))
      .map((other) => worldBody(rest, bodies[other.index], other.index));
    const rooted = bones[rootOf(figure, index)].joint.type === 'free';
    const place = originOf(rest, index);
    const { translations } = jointTypes[joint.type];
    const mass = against(beyond.mass, rooted ? mergeBodies(others).mass : Number.POSITIVE_INFINITY);
    const inertia = against(
      about(beyond, place, NEAREST * height),
      rooted ? about(mergeBodies(others), place, NEAREST * height) : Number.POSITIVE_INFINITY,
    );
    const time = timeOf(index);
    for (let k = 0; k < own; k++) damping[coordinate + k] = (k < translations ? mass : inertia) / time;
  }
  return damping;
}

/** a b / (a + b); b may be infinite. */
function against(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return 1 / (1 / a + 1 / b);
}

/** Half the trace of the inertia about a point, as if no nearer to it than `nearest`, m. */
function about({ mass, center, inertia }: Body, point: Triple, nearest: number): number {
  const square = center.reduce((sum, x, k) => sum + (x - point[k]) ** 2, 0);
  const half = (inertia[0] + inertia[1] + inertia[2]) / 2;
  return Math.max(half + mass * square, mass * nearest * nearest);
}

/** In world axes; only the trace of the inertia counts here, which does not turn. */
function worldBody(rest: Rest, body: Body | undefined, bone: number): Body {
  if (!body) return { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] };
  return { mass: body.mass, center: pointOf(rest, bone, body.center), inertia: six(body.inertia) };
}

function rootOf({ parents }: Figure, bone: number): number {
  let b = bone;
  while (parents[b] >= 0) b = parents[b];
  return b;
}

function hangsFrom({ parents }: Figure, bone: number, above: number): boolean {
  let b = bone;
  while (b > above) b = parents[b];
  return b === above;
}
