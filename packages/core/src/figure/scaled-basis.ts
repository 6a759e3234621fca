import { requireNumbers, requireRoom, requireSize, requireWhole, shown } from '../checks.js';
import { DomainError } from '../errors.js';
import * as affine from '../math/geometry/affine.js';
import * as mat3 from '../math/geometry/mat3.js';
import type { Mat3x4, MutableNumbers, Vec3 } from '../math/linear/types.js';
import { unset3 } from '../math/linear/unset.js';
import { composeChain, lowestCommonAncestorIn } from './basis.js';

/**
 * Basis conversions with scale (the lecture notes on constraints in a scene graph: "Bases can have scaling too"). The frames of
 * a figure are rigid; these are for node trees of files and scenes, whose transforms may scale, shear or mirror.
 */

/**
 * Affine transform `targetFromSource` between two nodes of a tree (-1 for the world), 12 numbers. Both chains stop at the
 * lowest common ancestor, so the transforms above it cancel exactly.
 *
 * @param parents - Parent index of each node, -1 for a root, in topological order.
 * @param parentFromNode - 12 numbers a node: 3x3 row by row, then position.
 * @throws DomainError `singular` when the chain of `target` cannot be inverted, as with a scale of zero; `wrong-size`, `not-finite`;
 *   `out-of-range` for a node that the tree has not, or a parent that does not come before its node.
 */
export function scaledBasisBetween(
  parents: ArrayLike<number>,
  parentFromNode: ArrayLike<number>,
  target: number,
  source: number,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  requireTree(parents);
  requireNumbers(parentFromNode, 12 * parents.length, 'parentFromNode', DomainError);
  requireNode(parents, target, 'target');
  requireNode(parents, source, 'source');
  requireRoom(out, 12, 'out', DomainError);
  const ancestor = lowestCommonAncestorIn(parents, target, source);
  const ancestorFromTarget = affine.identity();
  const ancestorFromSource = affine.identity();
  composeChain(parents, parentFromNode, ancestor, target, ancestorFromTarget);
  composeChain(parents, parentFromNode, ancestor, source, ancestorFromSource);
  return affine.compose(affine.inverse(ancestorFromTarget), ancestorFromSource, out);
}

/**
 * Converts a unit direction of the source basis to a unit direction of the target basis: M d / |M d|. For points and vectors
 * with length use `affine.transformPoint` and `affine.transformVector`.
 *
 * @throws DomainError `singular` where M d is zero.
 */
export function convertDirection<T extends MutableNumbers = number[]>(
  targetFromSource: Mat3x4,
  direction: Vec3,
  out: T = unset3(),
): T {
  requireBasis(targetFromSource, out);
  requireNumbers(direction, 3, 'direction', DomainError);
  return unit(affine.transformVector(targetFromSource, direction, out), 'convertDirection(direction)');
}

/**
 * Converts the unit normal of a plane from the source basis to the target basis: M^-T n / |M^-T n|. Under nonuniform scale a
 * normal does not transform like a direction.
 *
 * @throws DomainError `singular` when M has no inverse.
 */
export function convertNormal<T extends MutableNumbers = number[]>(
  targetFromSource: Mat3x4,
  normal: Vec3,
  out: T = unset3(),
): T {
  requireBasis(targetFromSource, out);
  requireNumbers(normal, 3, 'normal', DomainError);
  const m = mat3.inverse(targetFromSource);
  const [x, y, z] = [normal[0], normal[1], normal[2]];
  out[0] = m[0] * x + m[3] * y + m[6] * z;
  out[1] = m[1] * x + m[4] * y + m[7] * z;
  out[2] = m[2] * x + m[5] * y + m[8] * z;
  return unit(out, 'convertNormal(normal)');
}

function requireBasis(targetFromSource: Mat3x4, out: MutableNumbers): void {
  requireNumbers(targetFromSource, 12, 'targetFromSource', DomainError);
  requireRoom(out, 3, 'out', DomainError);
}

function unit<T extends MutableNumbers>(v: T, path: string): T {
  const length = Math.hypot(v[0], v[1], v[2]);
  if (!(length > 0 && length < Infinity)) {
    throw new DomainError('singular', `becomes (${v[0]}, ${v[1]}, ${v[2]}), which has no direction.`, {
      path,
      remedy: 'Give a nonzero direction, and a basis without a scale of zero.',
    });
  }
  for (let k = 0; k < 3; k++) v[k] /= length;
  return v;
}

/** Parents come before their nodes, so every chain ends. */
function requireTree(parents: ArrayLike<number>): void {
  requireSize(
    parents,
    (parents as ArrayLike<number> | null)?.length ?? 0,
    'parents',
    DomainError,
    'Give the parent of each node.',
  );
  for (let n = 0; n < parents.length; n++) requireWhole(parents[n], `parents[${n}]`, DomainError, -1, n - 1);
}

function requireNode(parents: ArrayLike<number>, node: number, path: string): void {
  if (Number.isInteger(node) && node >= -1 && node < parents.length) return;
  throw new DomainError('out-of-range', `is ${shown(node)}; the tree has ${parents.length} nodes.`, {
    path,
    remedy: 'Give the index of a node, or -1 for the world.',
  });
}
