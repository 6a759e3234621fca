/** Endings of files that hold a character. */
export const CHARACTER_FILES: readonly string[] = ['glb', 'gltf', 'vrm', 'bvh', 'urdf', 'xml'];

/** Ending of a project of the studio. */
export const PROJECT_ENDING = 'poise';

/** Ending of a file's name, in small letters. */
export function endingOf(name: string): string {
  return /[^.]*$/.exec(name.toLowerCase())?.[0] ?? '';
}
