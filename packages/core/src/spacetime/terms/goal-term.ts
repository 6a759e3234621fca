/** Goals of inverse kinematics over a motion. */
import { jointTypes } from '../../figure/joints/joint-types.js';
import { goalTypes } from '../../ik/goals/goal-types.js';
import type { CompiledComponent, JacobianTarget } from '../../ik/goals/types/goal-type.js';
import { checkTargets, compileGoals, withRowOffsets } from '../../ik/problem/compile-goals.js';
import { applyMimicJacobian, createMimicColumns } from '../../ik/problem/mimic-joints.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { withKinematics, withMotionSubspaceQ } from '../transcription/state-sample.js';
import type { GoalTerm } from '../types/data.js';
import { samplesAt, type TermContext, type TermLocation } from './context.js';
import { withErrorPath } from './error-path.js';
import { type CompiledTerm, PLAIN } from './term.js';

const inverse = /* @__PURE__ */ new Float64Array(9);

/**
 * The residual components of a goal, and whether they are inequalities: hard one-sided goals are, since as equalities they would have a
 * kink where they become active. Components of lower priority, which distribute a rotation along a chain in single poses, are left out:
 * tracking and smoothness terms do that here.
 */
function componentsOf(
  figure: TermContext['figure'],
  { goal, weight }: GoalTerm,
  path: string,
): { readonly components: readonly CompiledComponent[]; readonly isInequality: boolean } {
  const all = withErrorPath(
    (own) => own.replace('goals[0]', `${path}.goal`),
    () => {
      const components = compileGoals(figure, [goal], goalTypes);
      checkTargets(components);
      return components;
    },
  );
  const own = all.filter(({ priorityOffset = 0 }) => priorityOffset === 0);
  const inequalities = own.flatMap((component) =>
    component.inequality === undefined ? [] : [{ ...component, ...component.inequality }],
  );
  const isInequality = weight === undefined && inequalities.length === own.length;
  return { components: withRowOffsets(isInequality ? inequalities : own), isInequality };
}

export function goalTerm(context: TermContext, term: GoalTerm, location: TermLocation): CompiledTerm {
  const { figure } = context;
  const { dof } = figure;
  const { components, isInequality } = componentsOf(figure, term, location.path);
  const rows = components.reduce((sum, component) => sum + component.rows, 0);
  // Rows are in metres and radians, scaled only by the relative weights of the components. Inside is negative.
  for (const component of components)
    component.rowScale = (isInequality ? -1 : 1) * Math.sqrt(component.weightFactor ?? 1);
  const unscaled = new Float64Array(rows);
  const jacobian: JacobianTarget = {
    values: new Float64Array(rows * dof),
    width: dof,
    columnOf: Int32Array.from({ length: dof }, (_, i) => i),
    columnScale: new Float64Array(dof).fill(1),
  };
  const mimicColumns = createMimicColumns(figure, rows, jacobian);
  const target = mimicColumns === undefined ? jacobian : mimicColumns.extended;
  const vectors = figure.bones.flatMap(({ joint, coordinate, dof: own }) => {
    const offset = jointTypes[joint.type].rotationVector;
    return own > 0 && offset >= 0 ? [coordinate + offset] : [];
  });
  return {
    ...PLAIN,
    ...location,
    ...samplesAt(term.at, term.weight, context, location.path, isInequality),
    kind: isInequality ? 'inequality' : term.weight === undefined ? 'equality' : 'cost',
    rows,
    unit: 1,
    unitName: 'm or rad',
    space: 'tangent',
    order: 0,
    value(sample, _own, out, o) {
      const state = withKinematics(sample);
      for (const component of components) {
        component.residualFunction.evaluate(state, component, unscaled, component.firstRow, sample.pose);
        for (let k = component.firstRow; k < component.firstRow + component.rows; k++)
          out[o + k] = component.rowScale * unscaled[k];
      }
    },
    derivatives(sample, _own, { orders }) {
      const state = withMotionSubspaceQ(sample);
      target.values.fill(0);
      for (const component of components)
        component.residualFunction.jacobian(state, component, unscaled, target, sample.pose);
      if (mimicColumns !== undefined) applyMimicJacobian(mimicColumns, state, rows, jacobian);
      const [out] = orders;
      for (let k = 0; k < rows * dof; k++) out[k] = jacobian.values[k];
      for (const i of vectors) {
        writeRightJacobianInverse(sample.pose[i], sample.pose[i + 1], sample.pose[i + 2], inverse, 0);
        for (let r = 0; r < rows; r++) {
          const at = r * dof + i;
          const a = out[at];
          const b = out[at + 1];
          const c = out[at + 2];
          for (let k = 0; k < 3; k++) out[at + k] = a * inverse[k] + b * inverse[3 + k] + c * inverse[6 + k];
        }
      }
    },
  };
}
