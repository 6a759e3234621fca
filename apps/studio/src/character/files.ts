/** Endings of files that hold a character: last those that may hold something else. */
export const CHARACTER_FILES: readonly string[] = ['glb', 'gltf', 'vrm', 'urdf', 'bvh', 'xml'];

/** Ending of a project of the studio. */
export const PROJECT_ENDING = 'poise';

/** Ending of a file's name, in small letters. */
export function endingOf(name: string): string {
  return /[^.]*$/.exec(name.toLowerCase())?.[0] ?? '';
}

/** Whether a file is a clip for the character: a BVH is one in Animate, and a character elsewhere. */
export function isClip({ name }: File, animates: boolean): boolean {
  return (animates ? ['vrma', 'bvh'] : ['vrma']).includes(endingOf(name));
}

/** Of many files the one to open, by its kind and then its name; the first where there is none, undefined of none. */
export function chooseFile(files: readonly File[], animates: boolean): File | undefined {
  const byName = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const clip = byName.find((file) => isClip(file, animates));
  const having = (ending: string) => byName.find(({ name }) => endingOf(name) === ending);
  const others = [...CHARACTER_FILES, 'json'].map(having);
  return [having(PROJECT_ENDING), clip, ...others].find((file) => file !== undefined) ?? files[0];
}
