/** Other names of bones in a scene: those of human bones, and of the joints of a robot. */
import type { Figure } from 'poise/figure';
import { refuse } from './check.js';
import type { SceneData } from './scene-data.js';

/** Finds the bone of a name that the figure does not have; undefined where there is none. */
export type FindBoneName = (name: string) => string | undefined;

/** Keys of a scene whose value is a bone's name, or a list of them. */
const NAMES = new Set(['bone', 'of', 'middle', 'start', 'bones', 'pins', 'undriven', 'locked']);
/** Keys whose value, where it is an object, has a bone's name as each of its keys. */
const BY_NAME = new Set(['bones', 'limit', 'armature']);

/** The scene with the names of the figure's bones for others. @throws FormatError `duplicate-name` for values of one bone by two names. */
export function withBoneNames(
  scene: SceneData,
  { bones }: Figure,
  find: FindBoneName,
  source: string,
): SceneData {
  const own = new Set(bones.map(({ name }) => name));
  const nameOf = (name: string): string => (own.has(name) ? name : (find(name) ?? name));
  const renamed = (value: unknown, key: string, path: string): unknown => {
    if (typeof value === 'string') return NAMES.has(key) ? nameOf(value) : value;
    if (Array.isArray(value)) return value.map((entry, k) => renamed(entry, key, `${path}[${k}]`));
    if (typeof value !== 'object' || value === null) return value;
    const isByName = BY_NAME.has(key);
    const entries = Object.entries(value).map(([name, entry]) => [
      isByName ? nameOf(name) : name,
      renamed(entry, isByName ? '' : name, `${path}.${name}`),
    ]);
    const names = new Set<unknown>();
    for (const [name] of entries) {
      if (names.has(name))
        refuse('duplicate-name', path, `names the bone '${name}' twice.`, 'Give one value for it.');
      names.add(name);
    }
    return Object.fromEntries(entries);
  };
  const { terms, reference, armature, locked } = scene;
  const given = Object.entries({ terms, reference, armature, locked }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...scene,
    ...Object.fromEntries(given.map(([key, value]) => [key, renamed(value, key, `${source}#${key}`)])),
  };
}
