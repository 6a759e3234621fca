/**
 * Cures on the command line. The library names its own options and functions as cures, as `the option NAME` and `createPose(...)`, in parentheses or in a
 * sentence; people at a terminal have others. Warnings and errors pass through here on their way out.
 */

/** By option or function of the library: the cure on the command line; undefined where it has none, and the clause goes. */
export const CURES: Readonly<Record<string, string | undefined>> = {
  bones: undefined,
  createRetargeter:
    'Name its bones, --human BONE=NAME for the rig and --clip-human for the clip, or leave it out',
  createRagdoll: 'Give its bones a mass; in a scene "ragdoll": {} of the figure does',
  budget: 'If you trust the file, raise it with --budget NAME=N',
  joints: 'samples have all that moves: -o samples.csv',
  limits: '--limits none ignores all limits; in a scene "limits": "none"',
  positions: undefined,
  rest: '--rest-frame N sets another',
  scale: '--units m, cm, in, ..., or "scale" in a scene, says another',
  tPose: "'poise retarget CLIP human -o OUT.vrma' does",
  skeleton: undefined,
  fileUpAxis: '--up y, or "fileUpAxis": "y" in a scene, reads it as it is',
};

/** `the option NAME`, with the entry of an option that has some, or a call of a function; not what stands in quotes. */
const OPTION = /^(?:[^']|'[^']*')*?\b(?:the option (\w+)(?:\.(\w+))?|([a-z]+[A-Z]\w*)\((?=[a-z{.)]))/;
/** Where nothing is left of a remedy. */
const REST = 'Correct it there.';
/** A clause in parentheses, which may have parentheses itself. */
const CLAUSE = / \(((?:[^()']|\([^()]*\)|'[^']*')*)\)/g;

/** A warning with options of the command for those of the library; the name of its file, up to the colon, stays as it is. */
export function commandWarning(text: string, cures = CURES): string {
  const [location] = /^.*?: /.exec(text) ?? [''];
  return location + commandText(text.slice(location.length), cures);
}

/** A remedy with options of the command for those of the library. @param cures - Those that apply here. */
export function commandText(text: string, cures = CURES): string {
  if (!OPTION.test(text)) return text;
  const left = text
    .replace(CLAUSE, (whole, clause: string) => {
      const cure = cureIn(clause, cures);
      return cure === false ? whole : cure === undefined ? '' : ` (${cure})`;
    })
    .split(/(?<=\.) (?=[A-Z])/)
    .flatMap((sentence) => {
      const cure = cureIn(sentence, cures);
      return cure === false ? sentence : cure === undefined ? [] : `${cure}.`;
    })
    .join(' ');
  return left === '' ? REST : left;
}

/** The cure for the option or the function that a text names; false where it names none. */
function cureIn(text: string, cures: typeof CURES): string | undefined | false {
  const [, option, entry = 'NAME', call] = OPTION.exec(text) ?? [];
  const name = option ?? call;
  if (name === undefined) return false;
  return Object.hasOwn(cures, name) ? cures[name]?.replace('NAME', entry) : undefined;
}
