import { createFigure, type Figure } from 'poise/figure';
import { createIk, type IkOptions, type IkResult, solveIk } from 'poise/ik';
import { expect } from 'vitest';
import type { Bone, Goal, Problem, Triple } from '../../../../../scripts/oracles/ik/types.js';
import { createJudge, type Verdict } from '../../../../../scripts/oracles/ik/verdict.js';

export interface Judged {
  readonly figure: Figure;
  readonly result: IkResult;
  readonly pose: Float64Array;
  readonly verdict: Verdict;
}

/**
 * Solves and lets the oracle judge: every accepted iterate finite and within its limits, no answer above the start, the status as
 * defined. The tests that use it say what else must hold.
 */
export function solveJudged(
  problem: { readonly bones: readonly Bone[]; readonly goals: readonly Goal[]; readonly locked?: string[] },
  { start, ...options }: IkOptions & { readonly start?: ArrayLike<number> } = {},
): Judged {
  const full: Problem = { locked: [], ...problem };
  const figure = createFigure({ bones: full.bones });
  const pose = new Float64Array(figure.dof);
  if (start !== undefined) pose.set(Array.from(start));
  const judge = createJudge(full, pose);
  const ik = createIk(figure, full.goals, { ...options, locked: full.locked, onIterate: judge.observe });
  const result = solveIk(ik, pose);
  const verdict = judge.conclude(pose, result);
  expect(verdict.failures).toEqual([]);
  expect(pose.every(Number.isFinite)).toBe(true);
  return { figure, result, pose, verdict };
}

/** Bones in a row along +Y, each `length` long, named bone0, bone1, ... */
export function chainOf(
  count: number,
  joint: Bone['joint'] | ((k: number) => Bone['joint']),
  { length = 1, limit }: { readonly length?: number; readonly limit?: Bone['limit'] } = {},
): Bone[] {
  return Array.from({ length: count }, (_, k): Bone => {
    const up: Triple = [0, length, 0];
    return {
      name: `bone${k}`,
      parent: k === 0 ? null : `bone${k - 1}`,
      rest: { position: k === 0 ? [0, 0, 0] : up, rotation: [0, 0, 0, 1] },
      joint: typeof joint === 'function' ? joint(k) : joint,
      ...(limit === undefined ? {} : { limit }),
      tip: up,
    };
  });
}
