/** The bones whose motion hardly matters to that of the others: they need no place in the optimization. */
import type { Bone, Figure } from '../../figure/model/figure.js';
import { totalMass } from '../../figure/model/mass.js';
import type { PhysicalContact, PhysicalOptions } from './physical-options.js';

/** Share of the figure's mass up to which what hangs on a bone counts as light. */
const LIGHT = 0.005;

/**
 * Bones without limits that move no contact and, with physics, carry next to no mass: fingers, sockets, controls. With a prescribed motion they
 * still take part in the equations of motion, which hold as before.
 *
 * @returns None where bounds, terms or mimic joints may depend on them.
 */
export function independentBones(
  figure: Figure,
  contacts: readonly PhysicalContact[],
  { torques, speeds, terms }: PhysicalOptions,
  hasPhysics: boolean,
): Bone[] {
  const { bones, parents } = figure;
  const isBound = torques !== undefined || speeds !== undefined || terms !== undefined;
  if (isBound || bones.some(({ mimic }) => mimic !== undefined)) return [];
  const touching = new Set(contacts.map(({ bone }) => bone));
  const limited = new Set(
    figure.limitComponents.map(({ coordinate }) => figure.boneOfCoordinate[coordinate]),
  );
  const light = hasPhysics ? LIGHT * totalMass(figure) : Number.POSITIVE_INFINITY;
  const masses = new Float64Array(bones.length);
  const moves = new Uint8Array(bones.length);
  for (let b = bones.length - 1; b >= 0; b--) {
    const { name, mass = 0 } = bones[b];
    masses[b] += mass;
    if (touching.has(name)) moves[b] = 1;
    if (parents[b] < 0) continue;
    masses[parents[b]] += masses[b];
    if (moves[b] === 1) moves[parents[b]] = 1;
  }
  const independent = bones.filter(
    ({ index, dof }) => dof > 0 && moves[index] === 0 && !limited.has(index) && masses[index] < light,
  );
  // Something is to be optimized.
  return independent.length < bones.filter(({ dof }) => dof > 0).length ? independent : [];
}
