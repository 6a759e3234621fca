/**
 * Cures on the command line. A reader of the library names its own options as cures, always as `the option NAME`, in parentheses or in a sentence of its own;
 * people at a terminal have others. Warnings and errors pass through here on their way out.
 */

/** By option of the library: the cure on the command line; undefined where it has none, and the clause goes. */
export const CURES: Readonly<Record<string, string | undefined>> = {
  bones: undefined,
  budget: 'If you trust the file, raise it with --budget NAME=N',
  joints: 'samples have all that moves: -o samples.csv',
  limits: '--limits none ignores all limits; in a scene "limits": "none"',
  positions: undefined,
};

/** `the option NAME`, with the entry of an option that has some. */
const OPTION = /\bthe option (\w+)(?:\.(\w+))?/;
/** A clause in parentheses, which may have parentheses itself. */
const CLAUSE = / \(((?:[^()']|\([^()]*\)|'[^']*')*)\)/g;

/** A warning or a remedy with options of the command for those of the library. @param cures - Those that apply here. */
export function commandText(text: string, cures = CURES): string {
  if (!OPTION.test(text)) return text;
  return text
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
}

/** The cure for the option that a text names; false where it names none that is known. */
function cureIn(text: string, cures: typeof CURES): string | undefined | false {
  const [, option, entry = 'NAME'] = OPTION.exec(text) ?? [];
  if (option === undefined || !Object.hasOwn(cures, option)) return false;
  return cures[option]?.replace('NAME', entry);
}
