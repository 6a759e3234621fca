import { requireFields, requireOneOf, requireWhole, shown } from '../../checks.js';
import { GoalError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { GoalTypes } from '../goals/goal-types.js';
import { requireMagnitude } from '../goals/types/checks.js';
import type { Goal } from '../goals/types/goal.js';
import type { CompiledComponent, FieldNames } from '../goals/types/goal-type.js';

/** Fields of every goal. */
const COMMON: FieldNames = { type: true, weight: true, priority: true };

/** The default priority: a posture is a soft goal of lower priority. */
function defaultPriority(goal: Goal): number {
  return goal.type === 'posture' ? 1 : 0;
}

/**
 * Checks goals against a figure and assigns rows to their components, in order of priority.
 *
 * @throws GoalError naming the goal: an unknown type or bone, a weight, priority or tolerance out of range, a zero axis, a missing
 * target.
 */
export function compileGoals(figure: Figure, given: readonly Goal[], types: GoalTypes): CompiledComponent[] {
  if (typeof types !== 'object' || types === null) {
    throw new GoalError('unsupported', `is ${shown(types)}.`, {
      path: 'options.goalTypes',
      remedy: 'Give the goal types by name: { position: positionGoal }.',
    });
  }
  if (!Array.isArray(given) || given.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(given) ? 'is empty.' : 'is not a list.', {
      path: 'goals',
      remedy: 'Give an array of at least one goal.',
    });
  }
  const drafts = (given as readonly Goal[]).flatMap((goal, index) => {
    const path = `goals[${index}]`;
    requireOneOf(goal?.type, Object.keys(types), `${path}.type`, GoalError);
    const { fields } = types[goal.type] ?? {};
    if (fields !== undefined) checkFields(goal, { ...COMMON, ...fields }, path);
    requireMagnitude(goal.weight ?? 1, `${path}.weight`);
    const priority = goal.priority ?? defaultPriority(goal);
    requireWhole(priority, `${path}.priority`, GoalError);
    const components = types[goal.type]?.components(figure, goal, path) ?? [];
    return components.map((component) => ({
      ...component,
      goal,
      index,
      priority: priority + (component.priorityOffset ?? 0),
    }));
  });
  // The sort is stable: within a priority the caller's order stays.
  drafts.sort((a, b) => a.priority - b.priority);
  return withRowOffsets(drafts);
}

/** Refuses unknown fields, also of objects in fields, as targets on a bone are. */
function checkFields(given: object, known: FieldNames, path: string): void {
  requireFields(given, known, path, GoalError);
  for (const [name, fields] of Object.entries(known)) {
    if (fields === true) continue;
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (!Array.isArray(value)) checkInner(value, fields, `${path}.${name}`);
    else for (let n = 0; n < value.length; n++) checkInner(value[n], fields, `${path}.${name}[${n}]`);
  }
}

/** Numbers, and objects without any of the fields, are checked by the goal type. */
function checkInner(value: unknown, fields: FieldNames, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.keys(fields).some((name) => name in value)) checkFields(value, fields, path);
}

/** The components with consecutive rows. */
export function withRowOffsets(
  components: readonly Omit<CompiledComponent, 'firstRow' | 'rowScale' | 'hessian'>[],
): CompiledComponent[] {
  let firstRow = 0;
  return components.map((component) => {
    const compiled = { ...component, firstRow, rowScale: 1, hessian: undefined };
    firstRow += component.rows;
    return compiled;
  });
}

/**
 * Reads the weights of the goals and sets the row scale of every component: sqrt(weight / largest weight), for lengths divided by
 * the length scale. A common factor on all weights has no effect.
 *
 * @throws GoalError for a weight that is negative or not finite, or whose product with `weightFactor` overflows.
 */
export function readWeights(components: readonly CompiledComponent[], lengthScale: number): void {
  let largest = 0;
  for (let n = 0; n < components.length; n++) {
    const { goal, index, weightFactor = 1 } = components[n];
    const weight = goal.weight ?? 1;
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY))
      requireMagnitude(weight, `goals[${index}].weight`);
    largest = Math.max(largest, weight * weightFactor);
    if (largest < Number.POSITIVE_INFINITY) continue;
    throw new GoalError('out-of-range', `is ${weight}, too large for its product with ${weightFactor}.`, {
      path: `goals[${index}].weight`,
      remedy: 'Give weights, shares and stiffness of ordinary size: only their ratios count.',
    });
  }
  for (let n = 0; n < components.length; n++) {
    const component = components[n];
    const weight = (component.goal.weight ?? 1) * (component.weightFactor ?? 1);
    // A ratio that underflows does not switch the goal off: only weight 0 lets a solve converge without it.
    const relative = weight > 0 ? Math.sqrt(Math.max(weight / largest, Number.MIN_VALUE)) : 0;
    component.rowScale = component.unit === 'length' ? relative / lengthScale : relative;
  }
}

/** Checks the world targets, which may change from solve to solve. @throws GoalError */
export function checkTargets(components: readonly CompiledComponent[]): void {
  for (let n = 0; n < components.length; n++) {
    const { residualFunction, data, index } = components[n];
    residualFunction.check?.(data, PATHS[index] ?? `goals[${index}]`);
  }
}

/** Precomputed, so that a check allocates nothing. */
const PATHS = /* @__PURE__ */ Array.from({ length: 64 }, (_, n) => `goals[${n}]`);
