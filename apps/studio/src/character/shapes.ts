import { FigureSimulation } from '@poise/three';
import { createRagdoll, type Ragdoll, type RagdollOptions } from 'poise/dynamics';
import { type Figure, findRootJoints } from 'poise/figure';
import type { Character } from './character.js';
import type { CharacterModel } from './model.js';

/** How a body gets its ragdoll. */
export type MakeRagdoll = (figure: Figure, options: RagdollOptions) => Ragdoll;

/** Ragdolls with shapes fitted to what is drawn. */
export function ragdollMaker({ given }: Character, body: CharacterModel | undefined): MakeRagdoll {
  const hasMasses = given.bones.some(({ mass = 0 }) => mass > 0);
  const floats = findRootJoints(given).every((bone) => given.bones[bone].joint.type === 'free');
  // What has masses has shapes of its own size, and what hangs on something has none of its meshes read.
  if (body === undefined || hasMasses || !floats) return createRagdoll;
  return (figure, options) => {
    const simulation = new FigureSimulation();
    const objects = Object.fromEntries(
      figure.bones.map(({ name, index }) => [name, body.binding.objects[index] ?? null]),
    );
    const { ragdoll } = simulation.add(body.root, { figure, objects, ragdoll: options });
    simulation.dispose();
    return ragdoll;
  };
}
