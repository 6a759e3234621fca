import {
  type FieldsOf,
  requireFields,
  requireNotNegative,
  requireOneOf,
  requirePositive,
} from '../../../checks.js';
import { DomainError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { findHumanoid, type Humanoid } from '../../../humanoid/find-humanoid.js';
import { HUMAN_BONES } from '../../../humanoid/recognition/human-bones.js';
import { createDynamics } from '../../model/dynamics.js';
import { INERTIA_SIZE } from '../../model/inertia.js';
import { loadsAtRest, lockedInertia } from './locked-inertia.js';
import { type ActuatedBone, torqueLimitOf } from './torque-limits.js';

/** Options of {@link createMotorGains}. */
export interface MotorGainsOptions {
  /** Natural frequency of each joint, Hz. Default 4. */
  readonly frequency?: number;
  /** The same for single bones, by name. */
  readonly frequencies?: Readonly<Record<string, number>>;
  /** 1 is critical damping. Default 1. */
  readonly dampingRatio?: number;
  /** Factor of the default force limits; Infinity for no bound. Default 1. */
  readonly strength?: number;
  /** m/s^2. Default 9.81. */
  readonly gravity?: number;
  /** Bones that support the figure. Default: toes, else feet, of a humanoid. */
  readonly supports?: readonly (string | number)[];
  /** Humanoid bones. Default: found by `findHumanoid`; false for another figure. */
  readonly humanoid?: Humanoid | false;
  /** Assistance of free joints. Default 'none': muscles only. */
  readonly root?: 'none' | 'assisted' | RootAssist;
}

/** An unphysical spring between world and root that replaces balance. */
export interface RootAssist {
  /** Hz. Default 2. */
  readonly frequency?: number;
  /** Default 1. */
  readonly dampingRatio?: number;
  /** Force limit, N. Default twice the weight. */
  readonly maxForce?: number;
  /** Torque limit, N m. Default the weight times the radius of gyration about the root. */
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

const OPTIONS: FieldsOf<MotorGainsOptions> = {
  frequency: true,
  frequencies: true,
  dampingRatio: true,
  strength: true,
  gravity: true,
  supports: true,
  humanoid: true,
  root: true,
};
const ROOT_ASSIST: FieldsOf<RootAssist> = {
  frequency: true,
  dampingRatio: true,
  maxForce: true,
  maxCouple: true,
};

/** Torque limit of joints without a table entry, relative to the weight of their subtree at its radius of gyration about the joint. */
const TORQUE_PER_WEIGHT = 10;
/** Share of the mass that is negligible. */
const NEGLIGIBLE_MASS = 0.05;
/** Force limit of the root, relative to the weight. */
const ROOT_FORCE_PER_WEIGHT = 2;

/**
 * Gains for a natural frequency f of each joint, w = 2 pi f:
 *
 *     stiffness K = max(I w^2, m g d),   damping D = 2 zeta K / w
 *
 * I is the inertia of the coordinate at rest with all other joints locked and a floating base (a fixed base where the root's side has negligible mass). m g d
 * counts at the joints between the root and the supporting bones: mass and distance of the inverted pendulum above that joint. Force limits: of human bones
 * by a table, N m/kg of body mass; of others ten times the weight of their subtree at its radius of gyration. docs/tracking.md has the table.
 *
 * @throws FigureError `unknown-name` for unknown bones; `out-of-range` for a figure without mass.
 * @throws DomainError `out-of-range` for numbers that are not positive.
 */
export function createMotorGains(figure: Figure, options: MotorGainsOptions = {}): MotorGains {
  const { bones, dof } = figure;
  requireFields(options, OPTIONS, 'options', DomainError);
  const { frequency = 4, dampingRatio = 1, strength = 1, gravity = 9.81, root = 'none' } = options;
  requirePositive(frequency, 'options.frequency', DomainError, 'Hz');
  requirePositive(dampingRatio, 'options.dampingRatio', DomainError);
  requirePositive(strength, 'options.strength', DomainError, undefined, true);
  requireNotNegative(gravity, 'options.gravity', DomainError, 'm/s^2');
  if (typeof root === 'object') requireFields(root, ROOT_ASSIST, 'options.root', DomainError);
  else requireOneOf(root, ['none', 'assisted'], 'options.root', DomainError);
  const frequencies = new Map(
    Object.entries(options.frequencies ?? {}).map(([name, hertz]) => {
      requirePositive(hertz, `options.frequencies.${name}`, DomainError, 'Hz');
      return [boneIndex(figure, name, `options.frequencies.${name}`), hertz];
    }),
  );
  const humanoid = options.humanoid === false ? undefined : (options.humanoid ?? findHumanoid(figure));
  const dynamics = createDynamics(figure);
  const { floatingBase, fixedBase } = lockedInertia(dynamics);
  const loads = loadsAtRest(dynamics);
  const supporting = supportChain(figure, humanoid, options.supports);
  const mass = bones.reduce((sum, { index }) => sum + dynamics.inertias[INERTIA_SIZE * index], 0);
  const gains: MotorGains = {
    stiffness: new Float64Array(dof),
    damping: new Float64Array(dof),
    maxForce: new Float64Array(dof),
  };
  for (const { index, joint, coordinate, dof: size } of bones) {
    if (joint.type === 'free') {
      assistRoot(gains, coordinate, fixedBase, loads[index].subtree.mass * gravity, root);
      continue;
    }
    const w = 2 * Math.PI * (frequencies.get(index) ?? frequency);
    const { translations } = jointTypes[joint.type];
    const { subtree, remainder } = loads[index];
    const toppling = supporting.has(index) ? gravity * remainder.mass * remainder.arm : 0;
    const human = actuatedBoneOf(humanoid, index);
    // With negligible mass on the root's side, as below control bones above the hips, the floating-base inertia would be negligible too.
    const inertia =
      remainder.mass < NEGLIGIBLE_MASS * (subtree.mass + remainder.mass) ? fixedBase : floatingBase;
    for (let i = coordinate; i < coordinate + size; i++) {
      const isTranslation = i < coordinate + translations;
      const stiffness = Math.max(inertia[i] * w * w, isTranslation ? 0 : toppling);
      gains.stiffness[i] = stiffness;
      gains.damping[i] = (2 * dampingRatio * stiffness) / w;
      const maxForce =
        human === undefined || isTranslation
          ? TORQUE_PER_WEIGHT *
              gravity *
              (isTranslation ? subtree.mass : Math.sqrt(subtree.mass * fixedBase[i])) +
            (isTranslation ? 0 : toppling)
          : mass * torqueLimitOf(human);
      // Infinity times 0 is NaN.
      gains.maxForce[i] = strength === Number.POSITIVE_INFINITY ? strength : strength * maxForce;
    }
  }
  return gains;
}

/** The humanoid bone of a bone, if it has a torque limit: fingers have none. */
function actuatedBoneOf(humanoid: Humanoid | undefined, bone: number): ActuatedBone | undefined {
  return HUMAN_BONES.find((name): name is ActuatedBone => name !== 'hips' && humanoid?.bones[name] === bone);
}

/** Bones between a root and the supporting bones, roots left out. */
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

/** The same formulas for the free joint, with mass and inertia of the whole figure about the root. */
function assistRoot(
  { stiffness, damping, maxForce }: MotorGains,
  coordinate: number,
  inertia: Float64Array,
  weight: number,
  root: 'none' | 'assisted' | RootAssist,
): void {
  if (root === 'none') return;
  const gyration = Math.sqrt(inertia[coordinate + 3] / inertia[coordinate]);
  const {
    frequency = 2,
    dampingRatio = 1,
    maxForce: force = ROOT_FORCE_PER_WEIGHT * weight,
    maxCouple: couple = weight * gyration,
  }: RootAssist = root === 'assisted' ? {} : root;
  requirePositive(frequency, 'options.root.frequency', DomainError, 'Hz');
  requirePositive(dampingRatio, 'options.root.dampingRatio', DomainError);
  requireNotNegative(force, 'options.root.maxForce', DomainError, 'N', true);
  requireNotNegative(couple, 'options.root.maxCouple', DomainError, 'N m', true);
  const w = 2 * Math.PI * frequency;
  for (let k = 0; k < 6; k++) {
    const i = coordinate + k;
    stiffness[i] = inertia[i] * w * w;
    damping[i] = 2 * dampingRatio * inertia[i] * w;
    maxForce[i] = k < 3 ? force : couple;
  }
}
