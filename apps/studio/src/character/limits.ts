import { createFigure, type Figure, figureToData, type LimitData } from 'poise/figure';
import type { Character } from './character.js';

/** Limits by name of the bone. */
export type Limits = ReadonlyMap<string, LimitData>;

/** The character with these limits in place of those that it came with; joints that are not named keep theirs. */
export function withLimits(character: Character, limits: Limits): Character {
  if (limits.size === 0 && character.limits.size === 0) return character;
  const { given, contacts } = character;
  const limited = (figure: Figure): Figure => {
    const data = figureToData(figure);
    const own = new Map(figureToData(given).bones.map(({ name, limit }) => [name, limit]));
    return createFigure({
      ...data,
      bones: data.bones.map(({ limit: _before, ...bone }) => {
        const limit = limits.get(bone.name) ?? own.get(bone.name);
        return limit === undefined ? bone : { ...bone, limit };
      }),
    });
  };
  return {
    ...character,
    figure: limits.size === 0 ? given : limited(given),
    limits,
    contacts: contacts && { ...contacts, massive: contacts.massive && limited(contacts.massive) },
  };
}

/** The limits of a character with that of one bone changed; undefined for its own. */
export function changedLimits({ limits }: Character, bone: string, limit: LimitData | undefined): Limits {
  const out = new Map(limits);
  if (limit === undefined) out.delete(bone);
  else out.set(bone, limit);
  return out;
}
