/** Goals of inverse kinematics at moments of a motion. */
import { jointTypes } from '../../figure/joints/joint-types.js';
import { goalTypes } from '../../ik/goals/goal-types.js';
import type { CompiledPart, JacobianTarget } from '../../ik/goals/types/goal-type.js';
import { checkTargets, compileGoals, placed as placeParts } from '../../ik/problem/compile-goals.js';
import { createFollowers, gatherRows } from '../../ik/problem/mimic-joints.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { placed, withColumnsQ } from '../transcription/state-at.js';
import type { GoalTerm } from '../types/data.js';
import { momentsAt, type TermContext, type TermPlace } from './context.js';
import { renameErrors } from './error-path.js';
import { type CompiledTerm, PLAIN } from './term.js';

const inverse = /* @__PURE__ */ new Float64Array(9);

/**
 * A goal's parts, and whether they are how far it is inside: what asks for one side only is an inequality where it must hold, for as an equality
 * it would have a kink where it begins to ask. Parts of a later priority, by which a solve for one pose shares a turn among joints, are left out:
 * here closeness and smoothness say that.
 */
function partsOf(
  figure: TermContext['figure'],
  { goal, weight }: GoalTerm,
  path: string,
): { readonly parts: readonly CompiledPart[]; readonly oneSided: boolean } {
  const all = renameErrors(
    (own) => own.replace('goals[0]', `${path}.goal`),
    () => {
      const parts = compileGoals(figure, [goal], goalTypes);
      checkTargets(parts);
      return parts;
    },
  );
  const own = all.filter(({ later = 0 }) => later === 0);
  const walls = own.flatMap((part) => (part.walls === undefined ? [] : [{ ...part, ...part.walls }]));
  const oneSided = weight === undefined && walls.length === own.length;
  return { parts: placeParts(oneSided ? walls : own), oneSided };
}

export function goalTerm(context: TermContext, term: GoalTerm, place: TermPlace): CompiledTerm {
  const { figure } = context;
  const { dof } = figure;
  const { parts, oneSided } = partsOf(figure, term, place.path);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  // Rows are in metres and radians: only the weights of the parts among each other count. Inside is negative.
  for (const part of parts) part.scale = (oneSided ? -1 : 1) * Math.sqrt(part.factor ?? 1);
  const natural = new Float64Array(rows);
  const jacobian: JacobianTarget = {
    values: new Float64Array(rows * dof),
    width: dof,
    columnOf: Int32Array.from({ length: dof }, (_, i) => i),
    columnScale: new Float64Array(dof).fill(1),
  };
  const followers = createFollowers(figure, rows, jacobian);
  const target = followers === undefined ? jacobian : followers.all;
  const vectors = figure.bones.flatMap(({ joint, coordinate, dof: own }) => {
    const offset = jointTypes[joint.type].rotationVector;
    return own > 0 && offset >= 0 ? [coordinate + offset] : [];
  });
  return {
    ...PLAIN,
    ...place,
    ...momentsAt(term.at, term.weight, context, place.path, oneSided),
    kind: oneSided ? 'inequality' : term.weight === undefined ? 'equality' : 'wish',
    rows,
    unit: 1,
    unitName: 'm or rad',
    space: 'tangent',
    order: 0,
    value(moment, _own, out, o) {
      const state = placed(moment);
      for (const part of parts) {
        part.math.residual(state, part, natural, part.firstRow, moment.pose);
        for (let k = part.firstRow; k < part.firstRow + part.rows; k++) out[o + k] = part.scale * natural[k];
      }
    },
    derivatives(moment, _own, { orders }) {
      const state = withColumnsQ(moment);
      target.values.fill(0);
      for (const part of parts) part.math.jacobian(state, part, natural, target, moment.pose);
      if (followers !== undefined) gatherRows(followers, state, rows, jacobian);
      const [out] = orders;
      for (let k = 0; k < rows * dof; k++) out[k] = jacobian.values[k];
      for (const i of vectors) {
        writeRightJacobianInverse(moment.pose[i], moment.pose[i + 1], moment.pose[i + 2], inverse, 0);
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
