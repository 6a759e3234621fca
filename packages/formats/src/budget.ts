/**
 * Bounds on the work and the memory that a file of a stranger can cause, all in this file. What a file states only once but asks for many
 * times (keys that channels share, meshes that nodes share, pieces of wild curves) is counted and refused in time; other work
 * grows with the size of the file.
 */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields, requireNotNegative, requireOneOf } from 'poise/internal/checks';

/** Levels of arrays and objects in a JSON file at most: functions that call themselves for each level would overflow the stack. */
export const MAX_NESTING = 512;

/** Option `budget` of the readers: how much a file may ask for. Raise an entry for a file that you trust; `Infinity` lifts it. */
export interface ReadBudget {
  /** Bones of a figure. Default: 8192. */
  readonly bones?: number;
  /** Keys of animations, each counted once for every channel that uses it. Default: 10,000 and one for each byte of the glTF. */
  readonly keys?: number;
  /** Node transforms evaluated for the curves of an animation, a microsecond each. Default: 100,000 and one for each byte of the glTF, 20 million at most. */
  readonly samples?: number;
  /** Vertices of meshes, each counted once for every node that shows it. Default: 10,000 and one for each byte of the glTF. */
  readonly vertices?: number;
  /** Size of a scene: intervals times (coordinates + 3 a contact point + 4 a term). Default: 50,000. */
  readonly unknowns?: number;
}

const FIELDS: FieldsOf<ReadBudget> = {
  bones: true,
  keys: true,
  samples: true,
  vertices: true,
  unknowns: true,
};

const NOUNS: Readonly<Record<keyof ReadBudget, string>> = {
  bones: 'bones',
  keys: 'keys of animations',
  samples: 'samples of animated nodes',
  vertices: 'vertices',
  unknowns: 'unknowns',
};

/**
 * The budget of a file.
 *
 * @param bytes - Size of the file with its buffers.
 * @throws FormatError `unknown-name`, `out-of-range`, `unsupported` for an invalid option.
 */
export function budgetOf(given: ReadBudget | undefined, bytes: number): Required<ReadBudget> {
  const budget: Required<ReadBudget> = {
    bones: 8192,
    keys: 10_000 + bytes,
    samples: Math.min(100_000 + bytes, 20_000_000),
    vertices: 10_000 + bytes,
    unknowns: 50_000,
  };
  if (given === undefined) return budget;
  requireFields(given, FIELDS, 'options.budget', FormatError);
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined)
      requireNotNegative(value, `options.budget.${name}`, FormatError, undefined, true);
  }
  const raised = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...budget, ...Object.fromEntries(raised) };
}

/**
 * Holds a count of a file's to its budget, for readers of your own.
 *
 * @param given - The option `budget` of the reader; defaults are those of a file without bytes.
 * @throws FormatError `over-budget` where `count` is more than the budget, naming the option that raises it; also for an invalid option.
 */
export function requireBudget(
  given: ReadBudget | undefined,
  name: keyof ReadBudget,
  count: number,
  path: string,
): void {
  requireOneOf(name, Object.keys(FIELDS), 'name', FormatError);
  const budget = budgetOf(given, 0)[name];
  if (count <= budget) return;
  throw new FormatError(
    'over-budget',
    `asks for more ${NOUNS[name]} than a file may: ${count.toLocaleString('en')}, budget ${budget.toLocaleString('en')}.`,
    { path, remedy: `If you trust the file, raise the option budget.${name}.` },
  );
}

/** A function that counts what a file asks for and throws as {@link requireBudget} where that exceeds the budget. */
export function createMeter(
  budget: Required<ReadBudget>,
  name: keyof ReadBudget,
  path: string,
): (count: number) => void {
  let sum = 0;
  return (count) => {
    sum += count;
    if (sum > budget[name]) requireBudget(budget, name, sum, path);
  };
}
