/** Joints that follow another: `<equality><joint>`. */
import { nearestName } from 'poise/errors';
import { cut, fail } from '../text/json-checks.js';
import { childrenOf, type XmlElement } from '../text/xml.js';
import { flagAt, numbersAt, wordAt } from './attributes.js';
import type { PlacedJoint } from './bones.js';
import { type Defaults, settingsOf } from './defaults.js';

/** A joint's coordinate as a polynomial of another's. */
export interface MimicPolynomial {
  /** Name of the joint that is followed. */
  readonly source: string;
  /** The constant first. */
  readonly polynomial: readonly number[];
}

/** Terms of a polynomial that follows another that follows another. Figures take so many. */
const MAX_TERMS = 32;

/**
 * The joints that follow another, by name; constraints of other kinds, and those that a tree cannot keep, are warned of.
 * @throws FormatError `unknown-name` and those of malformed attributes.
 */
export function mimicsOf(
  root: XmlElement,
  defaults: Defaults,
  joints: ReadonlyMap<string, PlacedJoint>,
  warnings: string[],
): ReadonlyMap<string, MimicPolynomial> {
  const given = new Map<string, MimicPolynomial>();
  for (const section of childrenOf(root, 'equality')) {
    for (const element of section.children) {
      const settings = settingsOf(element, defaults, undefined);
      const { location } = element;
      if (!flagAt(settings, 'active', true)) continue;
      const first = wordAt(settings, 'joint1');
      const source = wordAt(settings, 'joint2');
      if (element.tag !== 'joint' || first === undefined || source === undefined) {
        warnings.push(`${location}: the constraint is left out: figures keep those of two joints only.`);
        continue;
      }
      const movable = [first, source].every((name) => {
        const joint = joints.get(name) ?? failJoint(name, location, joints);
        return joint.element.type === 'hinge' || joint.element.type === 'slide';
      });
      const reason = !movable
        ? 'its joints are not hinges or slides'
        : given.has(first)
          ? `'${cut(first)}' follows another joint already`
          : sourcesOf(source, given).includes(first)
            ? `'${cut(first)}' would follow itself`
            : undefined;
      if (reason) {
        warnings.push(`${location}: the constraint is left out: ${reason}.`);
        continue;
      }
      const polynomial = numbersAt(settings, 'polycoef', 1, 5) ?? [0, 1, 0, 0, 0];
      given.set(first, { source, polynomial });
    }
  }
  return resolved(given, warnings);
}

function failJoint(name: string, location: string, joints: ReadonlyMap<string, PlacedJoint>): never {
  const near = nearestName(name, joints.keys());
  const remedy = near === undefined ? 'Name a joint of the file.' : `Did you mean '${cut(near)}'?`;
  return fail('unknown-name', location, `there is no joint '${cut(name)}'.`, remedy);
}

/** The joint and those that it follows. */
function sourcesOf(name: string, given: ReadonlyMap<string, MimicPolynomial>): string[] {
  const chain = [name];
  for (let next = given.get(name); next; next = given.get(next.source)) chain.push(next.source);
  return chain;
}

/** Mimic joints of mimic joints get the first source of the chain. */
function resolved(
  given: ReadonlyMap<string, MimicPolynomial>,
  warnings: string[],
): Map<string, MimicPolynomial> {
  const out = new Map<string, MimicPolynomial>();
  for (const [name, mimic] of given) {
    let { source, polynomial } = mimic;
    for (let above = given.get(source); above; above = given.get(source)) {
      polynomial = composed(polynomial, above.polynomial);
      source = above.source;
      if (polynomial.length > MAX_TERMS) break;
    }
    if (polynomial.length <= MAX_TERMS) out.set(name, { source, polynomial });
    else warnings.push(`'${cut(name)}' is read as a joint of its own: it follows another through too many.`);
  }
  return out;
}

/** p(q(x)) without zeros at the end, by Horner's rule. */
function composed(p: readonly number[], q: readonly number[]): number[] {
  const inner = trimmed(q);
  let out: number[] = [];
  for (const c of trimmed(p).reverse()) {
    const product = new Array<number>(Math.max(1, out.length + inner.length - 1)).fill(0);
    out.forEach((a, i) => {
      inner.forEach((b, j) => {
        product[i + j] += a * b;
      });
    });
    product[0] += c;
    out = product;
  }
  return out;
}

function trimmed(p: readonly number[]): number[] {
  let count = p.length;
  while (count > 1 && p[count - 1] === 0) count--;
  return p.slice(0, count);
}
