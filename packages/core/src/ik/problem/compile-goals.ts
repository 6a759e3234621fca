import { GoalError, nearestName } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { GoalTypes } from '../goals/goal-types.js';
import { requireNotNegative } from '../goals/types/checks.js';
import type { Goal } from '../goals/types/goal.js';
import type { CompiledPart } from '../goals/types/goal-type.js';

/** The priority of a goal that names none: a posture is a wish that comes after what must be. */
function defaultPriority(goal: Goal): number {
  return goal.type === 'posture' ? 1 : 0;
}

/**
 * Checks goals against a figure and gives each part its rows, in order of priority.
 *
 * @throws GoalError naming the goal: an unknown type or bone, a weight, priority or tolerance out of range, an axis
 * without direction, a target that is none.
 */
export function compileGoals(figure: Figure, given: readonly Goal[], types: GoalTypes): CompiledPart[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(given) ? 'is empty.' : 'is not a list.', {
      path: 'goals',
      remedy: 'Give an array of at least one goal.',
    });
  }
  const drafts = (given as readonly Goal[]).flatMap((goal, index) => {
    const path = `goals[${index}]`;
    if (typeof goal !== 'object' || goal === null || !Object.hasOwn(types, goal.type)) {
      throw unknownType(goal?.type, types, path);
    }
    requireNotNegative(goal.weight ?? 1, `${path}.weight`);
    const priority = goal.priority ?? defaultPriority(goal);
    if (!Number.isInteger(priority) || priority < 0) {
      throw new GoalError('out-of-range', `is ${priority}.`, {
        path: `${path}.priority`,
        remedy: 'Give a whole number, zero or more.',
      });
    }
    const parts = types[goal.type]?.parts(figure, goal, path) ?? [];
    return parts.map((part) => ({ ...part, goal, index, priority: priority + (part.later ?? 0) }));
  });
  // Stable: within a priority the caller's order stays.
  drafts.sort((a, b) => a.priority - b.priority);
  return placed(drafts);
}

/** The parts with their rows one after the other. */
export function placed(parts: readonly Omit<CompiledPart, 'firstRow' | 'scale'>[]): CompiledPart[] {
  let firstRow = 0;
  return parts.map((part) => {
    const compiled = { ...part, firstRow, scale: 1 };
    firstRow += part.rows;
    return compiled;
  });
}

function unknownType(type: unknown, types: GoalTypes, path: string): GoalError {
  const names = Object.keys(types);
  const near = nearestName(String(type), names);
  return new GoalError('unsupported', `is '${String(type)}'.`, {
    path: `${path}.type`,
    remedy: `Use one of ${names.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  });
}

/**
 * Reads the weights from the goals, and sets the scale of every part: sqrt(weight / largest weight), over the length scale for
 * lengths. So a common factor on all weights changes nothing.
 *
 * @throws GoalError for a weight that is negative or not finite, also times the stiffness or over the share of a joint.
 */
export function readWeights(parts: readonly CompiledPart[], lengthScale: number): void {
  let largest = 0;
  for (let n = 0; n < parts.length; n++) {
    const { goal, index, factor = 1 } = parts[n];
    const weight = goal.weight ?? 1;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY))
      requireNotNegative(weight, `goals[${index}].weight`);
    largest = Math.max(largest, weight * factor);
    if (largest < Number.POSITIVE_INFINITY) continue;
    throw new GoalError('out-of-range', `is ${weight}, too large for its product with ${factor}.`, {
      path: `goals[${index}].weight`,
      remedy: 'Give weights, shares and stiffness of ordinary size: only their ratios count.',
    });
  }
  for (let n = 0; n < parts.length; n++) {
    const part = parts[n];
    const weight = (part.goal.weight ?? 1) * (part.factor ?? 1);
    // A ratio that underflows is still a goal that is on: only weight 0 lets a solve converge without it.
    const share = weight > 0 ? Math.sqrt(Math.max(weight / largest, Number.MIN_VALUE)) : 0;
    part.scale = part.unit === 'length' ? share / lengthScale : share;
  }
}

/** Checks the targets in the world, which may change from solve to solve. @throws GoalError */
export function checkTargets(parts: readonly CompiledPart[]): void {
  for (let n = 0; n < parts.length; n++) {
    const { math, data, index } = parts[n];
    math.check?.(data, PATHS[index] ?? `goals[${index}]`);
  }
}

/** Ready-made, so that a check that passes allocates nothing. */
const PATHS = /* @__PURE__ */ Array.from({ length: 64 }, (_, n) => `goals[${n}]`);
