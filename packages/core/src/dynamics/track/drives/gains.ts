import { jointTypes } from '../../../figure/joints/joint-types.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { findHumanoid, type Humanoid } from '../../../humanoid/find-humanoid.js';
import { createDynamics } from '../../model/dynamics.js';
import { INERTIA } from '../../model/inertia.js';
import { requirePositive } from '../pose/checks.js';
import { loadsAtRest, lockedInertia } from './locked-inertia.js';
import { type ActuatedBone, torqueLimitOf } from './torque-limits.js';

/** What {@link createMotorGains} may be told. */
export interface MotorGainsOptions {
  /** Natural frequency of each joint, Hz: how fast it answers. Default 4. */
  readonly frequency?: number;
  /** The same for single bones, by name. */
  readonly frequencies?: Readonly<Record<string, number>>;
  /** 1 is critical: no overshoot. Default 1. */
  readonly dampingRatio?: number;
  /** Times the usual greatest force; Infinity for no bound. Default 1. */
  readonly strength?: number;
  /** m/s^2. Default 9.81. */
  readonly gravity?: number;
  /** Bones that the figure may stand on. Default: toes, else feet, of a humanoid. */
  readonly supports?: readonly (string | number)[];
  /** Which bones are those of a human. Default: found by `findHumanoid`; false for another figure. */
  readonly humanoid?: Humanoid | false;
  /** What holds free joints in the world. Default 'none': muscles only. */
  readonly root?: 'none' | 'assisted' | RootAssist;
}

/** A spring between the world and the root, which no body has: it keeps a figure up that would need balance. */
export interface RootAssist {
  /** Hz. Default 2. */
  readonly frequency?: number;
  /** Default 1. */
  readonly dampingRatio?: number;
  /** Greatest force, N. Default twice the weight. */
  readonly maxForce?: number;
  /** Greatest couple, N m. Default the weight times the radius of gyration about the root. */
  readonly maxCouple?: number;
}

/** Gains of the drives of a figure, one for each coordinate; a `MotorOptions`. */
export interface MotorGains {
  /** N m/rad, N/m */
  readonly stiffness: Float64Array;
  /** N m s/rad, N s/m */
  readonly damping: Float64Array;
  /** N m, N */
  readonly maxForce: Float64Array;
}

/** Greatest force of joints that no table names, over the weight of what they carry at its radius of gyration about the joint. */
const TORQUE_PER_WEIGHT = 10;
/** Share of the mass that is next to nothing. */
const NEGLIGIBLE_MASS = 0.05;
/** Greatest force of the root, over the weight. */
const ROOT_FORCE_PER_WEIGHT = 2;

/**
 * Gains by which the joints of a figure answer at a given frequency f, w = 2 pi f:
 *
 *     stiffness K = max(I w^2, m g d),   damping D = 2 zeta K / w
 *
 * I is what the coordinate feels at rest, all other joints locked, the root free (held, where the root's side has next to no mass). m g d counts at the joints between the root and the bones it stands
 * on: mass and distance of all that topples about that joint, as an inverted pendulum does. Greatest forces: of human bones by a table, N m/kg of
 * body mass; of others ten times the weight that they carry, at its radius of gyration. docs/tracking.md has the table.
 *
 * @throws FigureError `unknown-name` for bones that are none; `out-of-range` for a figure without mass.
 * @throws DomainError `out-of-range` for numbers that are not above zero.
 */
export function createMotorGains(figure: Figure, options: MotorGainsOptions = {}): MotorGains {
  const { bones, dof } = figure;
  const frequency = requirePositive(options.frequency ?? 4, 'options.frequency', 'Hz');
  const ratio = requirePositive(options.dampingRatio ?? 1, 'options.dampingRatio', 'without unit');
  const strength = requirePositive(options.strength ?? 1, 'options.strength', 'without unit', {
    endless: true,
  });
  const gravity = requirePositive(options.gravity ?? 9.81, 'options.gravity', 'm/s^2', { zero: true });
  const frequencies = new Map(
    Object.entries(options.frequencies ?? {}).map(([name, hertz]) => [
      boneIndex(figure, name, `options.frequencies.${name}`),
      requirePositive(hertz, `options.frequencies.${name}`, 'Hz'),
    ]),
  );
  const humanoid = options.humanoid === false ? undefined : (options.humanoid ?? findHumanoid(figure));
  const dynamics = createDynamics(figure);
  const { floatingBase, fixedBase } = lockedInertia(dynamics);
  const loads = loadsAtRest(dynamics);
  const standing = supportChain(figure, humanoid, options.supports);
  const mass = bones.reduce((sum, { index }) => sum + dynamics.inertias[INERTIA * index], 0);
  const gains: MotorGains = {
    stiffness: new Float64Array(dof),
    damping: new Float64Array(dof),
    maxForce: new Float64Array(dof),
  };
  for (const { index, joint, coordinate, dof: size } of bones) {
    if (joint.type === 'free') {
      assistRoot(gains, coordinate, fixedBase, loads[index].beyond.mass * gravity, options.root ?? 'none');
      continue;
    }
    const w = 2 * Math.PI * (frequencies.get(index) ?? frequency);
    const { translations } = jointTypes[joint.type];
    const { beyond, others } = loads[index];
    const topples = standing.has(index) ? gravity * others.mass * others.arm : 0;
    const human = actuatedBoneOf(humanoid, index);
    // Where next to nothing is on the root's side, as below the controls that files have above the hips, that would be all a joint feels.
    const inertia = others.mass < NEGLIGIBLE_MASS * (beyond.mass + others.mass) ? fixedBase : floatingBase;
    for (let i = coordinate; i < coordinate + size; i++) {
      const slides = i < coordinate + translations;
      const stiffness = Math.max(inertia[i] * w * w, slides ? 0 : topples);
      gains.stiffness[i] = stiffness;
      gains.damping[i] = (2 * ratio * stiffness) / w;
      const most =
        human === undefined || slides
          ? TORQUE_PER_WEIGHT * gravity * (slides ? beyond.mass : Math.sqrt(beyond.mass * fixedBase[i])) +
            (slides ? 0 : topples)
          : mass * torqueLimitOf(human);
      // Without bound even where nothing is asked: infinity times 0 is no number.
      gains.maxForce[i] = strength === Number.POSITIVE_INFINITY ? strength : strength * most;
    }
  }
  return gains;
}

/** The human bone with a strength that a bone is. */
function actuatedBoneOf(humanoid: Humanoid | undefined, bone: number): ActuatedBone | undefined {
  if (!humanoid) return undefined;
  const entry = Object.entries(humanoid.bones).find(([name, index]) => index === bone && name !== 'hips');
  return entry && (entry[0] as ActuatedBone);
}

/** Bones whose joints stand between a root and what the figure stands on, roots left out. */
function supportChain(
  figure: Figure,
  humanoid: Humanoid | undefined,
  supports: readonly (string | number)[] | undefined,
): ReadonlySet<number> {
  const { leftFoot, rightFoot, leftToes = leftFoot, rightToes = rightFoot } = humanoid?.bones ?? {};
  const feet = [leftToes, rightToes].filter((bone) => bone !== undefined);
  const all = new Set<number>();
  (supports ?? feet).forEach((bone, k) => {
    let b = boneIndex(figure, bone, `options.supports[${k}]`);
    for (; figure.parents[b] >= 0; b = figure.parents[b]) all.add(b);
  });
  return all;
}

/** The same formulas, of mass and inertia of the whole about the root. */
function assistRoot(
  { stiffness, damping, maxForce }: MotorGains,
  coordinate: number,
  inertia: Float64Array,
  weight: number,
  root: 'none' | 'assisted' | RootAssist,
): void {
  if (root === 'none') return;
  const path = 'options.root';
  const { frequency = 2, dampingRatio = 1, ...most } = root === 'assisted' ? {} : root;
  const w = 2 * Math.PI * requirePositive(frequency, `${path}.frequency`, 'Hz');
  const ratio = requirePositive(dampingRatio, `${path}.dampingRatio`, 'without unit');
  const gyration = Math.sqrt(inertia[coordinate + 3] / inertia[coordinate]);
  const bound = { zero: true, endless: true };
  const force = requirePositive(
    most.maxForce ?? ROOT_FORCE_PER_WEIGHT * weight,
    `${path}.maxForce`,
    'N',
    bound,
  );
  const couple = requirePositive(most.maxCouple ?? weight * gyration, `${path}.maxCouple`, 'N m', bound);
  for (let k = 0; k < 6; k++) {
    const i = coordinate + k;
    stiffness[i] = inertia[i] * w * w;
    damping[i] = 2 * ratio * inertia[i] * w;
    maxForce[i] = k < 3 ? force : couple;
  }
}
