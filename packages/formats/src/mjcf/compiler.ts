/** Settings of `<compiler>`. */
import { fail } from '../text/json-checks.js';
import { childrenOf, type XmlElement } from '../text/xml.js';
import { flagAt, numberAt, numbersAt, oneOfAt, type Settings, wordAt } from './attributes.js';

export interface Compiler {
  /** Radians in a unit of the file's angles. */
  readonly angle: number;
  /** Axes of Euler angles; small letters turn with the frame, capitals stay. */
  readonly eulerOrder: string;
  /** Whether a range alone makes a limit. */
  readonly autolimits: boolean;
  /** Where masses come from; `auto`: geoms where there is no `<inertial>`. */
  readonly inertiaFromGeom: 'true' | 'false' | 'auto';
  /** Groups of the geoms that have mass, both ends included. */
  readonly inertiaGroups: readonly [number, number];
  /** Principal moments of inertia that no body has are averaged. */
  readonly balanceInertia: boolean;
  /** Least mass (kg) and least principal moment of inertia (kg m^2) of a body. */
  readonly boundMass: number;
  readonly boundInertia: number;
  /** Total mass to which all masses are scaled, kg; undefined where they stay. */
  readonly totalMass: number | undefined;
}

/**
 * The settings of a model: several `<compiler>` elements count as one, later attributes win.
 * @throws FormatError `unsupported` for global coordinates, which MuJoCo has given up too.
 */
export function compilerOf(root: XmlElement): Compiler {
  const elements = childrenOf(root, 'compiler');
  const settings: Settings = {
    location: elements.at(-1)?.location ?? root.location,
    attributes: new Map(elements.flatMap(({ attributes }) => [...attributes])),
  };
  if (oneOfAt(settings, 'coordinate', ['local', 'global'], 'local') === 'global') {
    const remedy = 'Convert it with an old MuJoCo (2.3.3): load it and save it again.';
    fail('unsupported', `${settings.location}/@coordinate`, 'is global.', remedy);
  }
  const eulerOrder = wordAt(settings, 'eulerseq') ?? 'xyz';
  if (!/^[xyz]{3}$/i.test(eulerOrder)) {
    const path = `${settings.location}/@eulerseq`;
    fail('invalid-file', path, `is '${eulerOrder.slice(0, 9)}'.`, 'Give three of x, y, z, X, Y, Z.');
  }
  const [first, last] = numbersAt(settings, 'inertiagrouprange', 2) ?? [0, 5];
  const total = numberAt(settings, 'settotalmass', -1);
  return {
    angle: oneOfAt(settings, 'angle', ['degree', 'radian'], 'degree') === 'degree' ? Math.PI / 180 : 1,
    eulerOrder,
    autolimits: flagAt(settings, 'autolimits', true),
    inertiaFromGeom: oneOfAt(settings, 'inertiafromgeom', ['true', 'false', 'auto'], 'auto'),
    inertiaGroups: [first, last],
    balanceInertia: flagAt(settings, 'balanceinertia', false),
    boundMass: numberAt(settings, 'boundmass', 0),
    boundInertia: numberAt(settings, 'boundinertia', 0),
    totalMass: total > 0 ? total : undefined,
  };
}
