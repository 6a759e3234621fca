import { GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';

/**
 * Roll of a bone about its own direction, which its points do not determine:
 * - `rest`: the smallest rotation from rest that points the bone;
 * - `previous`: the smallest rotation from the previous pose;
 * - `spread`: distributes the twist that a bone further down has relative to rest (a hand of known orientation) evenly over the joints
 *   between, which avoids the candy-wrapper artifact;
 * - `pole`: rotates `axis`, a direction of the bone, as near as possible to a world point.
 */
export type RollPolicy = 'rest' | 'previous' | 'spread' | RollPole;

export interface RollPole {
  /** World point, m; read at each call. */
  readonly pole: Vec3;
  /** In the bone frame, any length but zero. */
  readonly axis: Vec3;
}

export const REST = 0;
export const PREVIOUS = 1;
export const SPREAD = 2;
export const POLE = 3;

/** Roll policies of all bones, compiled. */
export interface RollPolicies {
  /** {@link REST}, {@link PREVIOUS}, {@link SPREAD} or {@link POLE} for each bone. */
  readonly kind: Uint8Array;
  /** Pole of each bone that has one. */
  readonly poles: readonly (Vec3 | undefined)[];
  /** Unit axis of each bone that has a pole, 3 numbers a bone. */
  readonly axes: Float64Array;
}

const POLICIES: Readonly<Record<string, number>> = { rest: REST, previous: PREVIOUS, spread: SPREAD };

/** @throws GoalError for an invalid policy, FigureError for an unknown bone. */
export function compileRolls(
  figure: Figure,
  roll: RollPolicy | Readonly<Record<string, RollPolicy>> | undefined,
): RollPolicies {
  const count = figure.bones.length;
  const policies: RollPolicy[] = new Array<RollPolicy>(count).fill('rest');
  const paths: string[] = new Array<string>(count).fill('options.roll');
  if (isPolicy(roll)) policies.fill(roll);
  else if (typeof roll === 'object' && roll !== null) {
    for (const [name, policy] of Object.entries(roll)) {
      const path = `options.roll['${name}']`;
      const bone = boneIndex(figure, name, path);
      policies[bone] = policy;
      paths[bone] = path;
    }
  } else if (roll !== undefined) throw invalidPolicy(roll, 'options.roll');
  const kind = new Uint8Array(count);
  const axes = new Float64Array(3 * count);
  const poles = policies.map((policy, bone) => {
    if (typeof policy === 'string' && Object.hasOwn(POLICIES, policy)) {
      kind[bone] = POLICIES[policy];
      return undefined;
    }
    if (!isPole(policy)) throw invalidPolicy(policy, paths[bone]);
    const axis = Array.from(policy.axis);
    if (axis.length !== 3 || !vec3.allFinite(axis) || vec3.norm(axis) === 0) {
      throw new GoalError('not-unit', `is [${axis}].`, {
        path: `${paths[bone]}.axis`,
        remedy: 'Give three finite numbers, not all zero.',
      });
    }
    kind[bone] = POLE;
    axes.set(vec3.normalize(axis), 3 * bone);
    checkPole(policy.pole, `${paths[bone]}.pole`);
    return policy.pole;
  });
  return { kind, poles, axes };
}

/** Checks the poles, which are read at each call. @throws GoalError `not-finite`. */
export function checkPoles({ poles }: RollPolicies): void {
  for (let b = 0; b < poles.length; b++) {
    const pole = poles[b];
    if (pole !== undefined) checkPole(pole, `roll pole of bone ${b}`);
  }
}

function checkPole(pole: Numbers, path: string): void {
  if (pole?.length === 3 && vec3.allFinite(pole)) return;
  throw new GoalError('not-finite', 'is not three finite numbers.', { path, remedy: 'Give [x, y, z], m.' });
}

function isPolicy(value: unknown): value is RollPolicy {
  return typeof value === 'string' || isPole(value);
}

function isPole(value: unknown): value is RollPole {
  if (typeof value !== 'object' || value === null || !('pole' in value) || !('axis' in value)) return false;
  const { pole, axis } = value;
  return isNumbers(pole) && isNumbers(axis);
}

function isNumbers(value: unknown): value is Numbers {
  return typeof value === 'object' && value !== null && 'length' in value;
}

function invalidPolicy(value: unknown, path: string): GoalError {
  return new GoalError('unsupported', `is ${typeof value === 'string' ? `'${value}'` : typeof value}.`, {
    path,
    remedy: "Give 'rest', 'previous', 'spread' or { pole, axis }.",
  });
}
