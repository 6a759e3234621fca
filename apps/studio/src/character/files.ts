/** Endings of files that hold a character: last those that may hold something else. */
export const CHARACTER_FILES: readonly string[] = ['glb', 'gltf', 'vrm', 'urdf', 'bvh', 'xml'];

/** Ending of a project of the studio. */
export const PROJECT_ENDING = 'poise';

/** Ending of a file's name, in small letters. */
export function endingOf(name: string): string {
  return /[^.]*$/.exec(name.toLowerCase())?.[0] ?? '';
}

export function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

/** What an animation of a file is called: after the file where it has no name. @param n - Which of how many. */
export function nameOfClip(name: string | undefined, file: string, n: number, count: number): string {
  return name || (count > 1 ? `${stemOf(file)} ${n + 1}` : stemOf(file));
}

/** How to come from files of others to a glTF. */
const CONVERTED: Readonly<Record<string, string>> = {
  fbx: 'is an FBX. Import it in Blender (File, Import, FBX), then File, Export, glTF 2.0, and open that.',
  blend: 'is a file of Blender. Open it there, then File, Export, glTF 2.0, and open that.',
};

/** What is said of a file that is none of those that can be opened. @param opened - What can. */
export function unknownWords(name: string, opened: string): string {
  return `${name} ${CONVERTED[endingOf(name)] ?? `cannot be opened. ${opened}`}`;
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

/** The files with their names seen from the folder of one of them, as it names them: `../b.png` of `m/b.png` beside `m/a/x.gltf`. */
export function seenFrom({ name }: File, files: readonly File[]): File[] {
  const folder = name.split('/').slice(0, -1);
  return files.map((file) => {
    const path = file.name.split('/');
    const differs = folder.findIndex((part, k) => part !== path[k]);
    const shared = differs < 0 ? folder.length : differs;
    const seen = [...folder.slice(shared).map(() => '..'), ...path.slice(shared)].join('/');
    return seen === file.name ? file : new File([file], seen);
  });
}

/** The file that a URI names, from where they are seen: by its path, or else by its name in any folder. */
export function fileNamed<File extends { readonly name: string }>(
  uri: string,
  files: readonly File[],
): File | undefined {
  const parts: string[] = [];
  for (const part of decoded(uri).split('/')) {
    const above = parts.at(-1);
    if (part === '..' && above !== undefined && above !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const last = (path: string) => path.replace(/^.*\//, '');
  return (
    files.find(({ name }) => name === parts.join('/')) ??
    files.find(({ name }) => last(name) === parts.at(-1))
  );
}

/** A URI without percent encoding; as it is where it is no valid encoding. */
function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
