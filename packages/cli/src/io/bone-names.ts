/** Names of bones on the command line and in scenes: those of the figure, those of a human, and the joints of a robot. */
import { GoalError } from 'poise';
import { nearestName } from 'poise/errors';
import type { Figure } from 'poise/figure';
import { humanoidOf } from './humanoid.js';
import type { Source } from './source.js';

/** Finds bones by name. */
export interface BoneNames {
  readonly figure: Figure;
  /** Index of the bone: of this exact name, else of this human bone of a VRM or a recognised character, else below this joint of a robot. */
  find(name: string): number | undefined;
  /** The names that are not the figure's own. */
  others(): Iterable<string>;
}

/** The names of a source; its human bones are recognised when a name asks for them. */
export function boneNamesOf({
  figure,
  human: given,
  robot,
}: Pick<Source, 'figure' | 'human' | 'robot'>): BoneNames {
  const own = new Map(figure.bones.map(({ name, index }) => [name, index]));
  let others: Map<string, number> | undefined;
  const allOthers = (): Map<string, number> => {
    if (others !== undefined) return others;
    const human: Readonly<Record<string, string | number | null | undefined>> =
      robot !== undefined && given === undefined
        ? {}
        : (humanoidOf({ figure, ...(given && { human: given }) })?.bones ?? given ?? {});
    others = new Map([...(robot?.joints.values() ?? [])].map(({ name, bone }) => [name, bone]));
    for (const [name, bone] of Object.entries(human)) {
      const index = typeof bone === 'string' ? own.get(bone) : bone;
      if (typeof index === 'number') others.set(name, index);
    }
    return others;
  };
  return {
    figure,
    find: (name) => own.get(name) ?? allOthers().get(name),
    others: () => allOthers().keys(),
  };
}

/** Index of the bone of a name. @throws GoalError `unknown-name` with the nearest one. */
export function findBone(names: BoneNames, name: string, path: string): number {
  const index = names.find(name);
  if (index !== undefined) return index;
  const { figure } = names;
  const all = [...figure.bones.map((bone) => bone.name), ...names.others()];
  const near = nearestName(name.replace(/\.tip$|:pose$/, ''), all);
  throw new GoalError('unknown-name', `${figure.name} has no bone '${name}'.`, {
    path,
    remedy: near === undefined ? `'poise inspect' lists the bones.` : `Did you mean '${near}'?`,
  });
}
