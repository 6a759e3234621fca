/**
 * Internal state and scratch arrays of an actor, one record for each part of the step that writes it: "Written by" names the file. Others read. The
 * records stand below those files, which import them.
 */
import type { Figure } from '../../../figure/model/figure.js';
import type { AppliedForces } from '../../integrate/types.js';
import type { Dynamics } from '../../model/dynamics.js';
import type { TreeSystem } from '../../model/tree-system.js';
import { createJointPotentials, type JointPotentials } from './joint-potentials.js';
import type { MotorGroup } from './motor.js';
import type { Socket } from './socket.js';

/** Constants of an actor, its kinematics with the linear systems on them, and its views of the simulation's arrays of bones. */
export interface ActorModel {
  readonly dynamics: Dynamics;
  readonly tree: TreeSystem;
  /** kg */
  readonly mass: number;
  /** Effective inertia of each coordinate and effective mass of each bone at rest, kg m^2 or kg: scales of velocities and impulses. */
  readonly effectiveInertia: Float64Array;
  readonly effectiveMass: Float64Array;
  /** Upper bound of the squared frequency of bones that hang from each other under gravity, 1/s^2; see `loadRate`. */
  readonly loadRate: number;
  /** Bone of largest mass. */
  readonly heaviestBone: number;
  /** Floating base, see `findFloatingBase`; -1 for none. */
  readonly root: number;
  /** Whether there is one. */
  readonly isFloating: boolean;
  /** Whether it has a floating base, and its shapes or the world have restitution: its flight is exact. */
  readonly bounces: boolean;
  /** Largest distance of each bone's shapes from its origin, m; of the axes of round ones. */
  readonly extent: Float64Array;
  /** First coordinate of each rotation vector, and of each that may change its chart. */
  readonly rotationVectorStarts: Int32Array;
  readonly freeRotationVectorStarts: Int32Array;
  readonly motorGroups: readonly MotorGroup[];
  readonly sockets: readonly Socket[];
  /**
   * Bone velocities J v of `velocity`, those of a change of it, and wrenches on the bones: views of the simulation's arrays. The last two are
   * the passes of the tree's solves, and scratch of the stage. `boneDirection` is in stage 2 the change by external impulses, in 6 J d along
   * the Newton direction, in 7 J v at the velocities found.
   */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
}

/** The records of an actor by owner. */
export interface ActorWork extends ActorModel {
  readonly inputs: LastInputs;
  readonly forces: ExternalForces;
  readonly margins: SpeculativeMargins;
  readonly substep: Substep;
  readonly system: VelocitySystem;
  readonly joints: JointWork;
  readonly island: IslandMembership;
  readonly solver: SolverWork;
  readonly linearSolver: LinearSolverWork;
  readonly prediction: Prediction;
  readonly energy: EnergyState;
  readonly account: EnergyAccount;
  readonly sleep: SleepState;
  readonly backup: ActorBackup;
}

/** @param margin - Views of the simulation's margins; see `SpeculativeMargins`. */
export function createActorWork(
  model: ActorModel,
  figure: Figure,
  index: number,
  margin: Float64Array,
  ownMargin: Float64Array,
): ActorWork {
  // One by one: engines read the fields of a spread object more slowly, 4 % of a step.
  return {
    dynamics: model.dynamics,
    tree: model.tree,
    mass: model.mass,
    effectiveInertia: model.effectiveInertia,
    effectiveMass: model.effectiveMass,
    loadRate: model.loadRate,
    heaviestBone: model.heaviestBone,
    root: model.root,
    isFloating: model.isFloating,
    bounces: model.bounces,
    extent: model.extent,
    rotationVectorStarts: model.rotationVectorStarts,
    freeRotationVectorStarts: model.freeRotationVectorStarts,
    motorGroups: model.motorGroups,
    sockets: model.sockets,
    boneVelocity: model.boneVelocity,
    boneDirection: model.boneDirection,
    boneWrench: model.boneWrench,
    inputs: createLastInputs(figure),
    forces: createExternalForces(figure),
    margins: createSpeculativeMargins(figure, margin, ownMargin),
    substep: { active: false, count: 1, impactTime: 0, isStopped: false, keepsGaps: 0 },
    system: createVelocitySystem(figure),
    joints: createJointWork(figure),
    island: { representative: index, position: 0, load: 0 },
    solver: createSolverWork(figure),
    linearSolver: createLinearSolverWork(figure),
    prediction: createPrediction(figure),
    energy: { isCurrent: false, kinetic: 0, potential: 0, speed: 0, centerVelocity: new Float64Array(3) },
    account: {
      target: 0,
      reserve: 0,
      isConnected: false,
      isFixed: false,
      isDriven: false,
      isPulled: false,
      isTouched: false,
      dissipates: false,
    },
    sleep: { awakeTime: 0, stillTime: 0, group: -1, isIslandMoving: false },
    backup: createBackup(figure),
  };
}

/** Pose and velocity after the last step: a difference was written by the caller. Written by `inputs/read-inputs.ts`. */
export interface LastInputs {
  readonly lastPose: Float64Array;
  readonly lastVelocity: Float64Array;
  /** Whether this step read a state that the caller wrote. */
  wasWritten: boolean;
}

function createLastInputs({ dof }: Figure): LastInputs {
  return {
    lastPose: new Float64Array(dof).fill(Number.NaN),
    lastVelocity: new Float64Array(dof),
    wasWritten: false,
  };
}

/** Forces and impulses from outside. Written by `inputs/read-inputs.ts`; the caller adds pending impulses by `applyImpulse`. */
export interface ExternalForces {
  /** Filled by the caller's `ActorForces`. */
  readonly applied: AppliedForces;
  /** Impulses of `applyImpulse` for the next step, world axes, 6 numbers a bone: linear, angular about the bone's origin. */
  readonly pendingImpulses: Float64Array;
  hasPendingImpulses: boolean;
  /** External joint forces during the step, joint impulses until the first commit, which clears them, and the impulse of both in this substep. */
  readonly appliedForce: Float64Array;
  readonly appliedImpulse: Float64Array;
  readonly externalImpulse: Float64Array;
  /** Whether either of the first two is not zero. */
  hasExternalImpulse: boolean;
}

function createExternalForces({ dof, bones }: Figure): ExternalForces {
  return {
    applied: { tau: new Float64Array(dof), external: new Float64Array(6 * bones.length) },
    pendingImpulses: new Float64Array(6 * bones.length),
    hasPendingImpulses: false,
    appliedForce: new Float64Array(dof),
    appliedImpulse: new Float64Array(dof),
    externalImpulse: new Float64Array(dof),
    hasExternalImpulse: false,
  };
}

/** Distances that bones may move within a substep. Written by `substeps/margins.ts`; a step begins by forgetting the expected speeds. */
export interface SpeculativeMargins {
  /** Margin of each bone, m: against others, and against its own figure; and the largest of the first. */
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
  maxMargin: number;
  /** Speed of each bone that an earlier trial of the substep found, m/s: in the world, and relative to its own figure; 0 for none. */
  readonly expectedSpeed: Float64Array;
  readonly expectedOwnSpeed: Float64Array;
  /** The same of its angular speed, rad/s. */
  readonly expectedSpin: Float64Array;
  /** 1 for each bone that rotates too far in the substep for its contact points to say where it goes; see `addCenterContacts`. */
  readonly spins: Uint8Array;
}

function createSpeculativeMargins(
  { bones }: Figure,
  margin: Float64Array,
  ownMargin: Float64Array,
): SpeculativeMargins {
  return {
    margin,
    ownMargin,
    maxMargin: 0,
    expectedSpeed: new Float64Array(bones.length),
    expectedOwnSpeed: new Float64Array(bones.length),
    expectedSpin: new Float64Array(bones.length),
    spins: new Uint8Array(bones.length),
  };
}

/** Written by `step.ts`. */
export interface Substep {
  /** Whether this substep moves the actor, and into how many shorter ones it must be divided; 1 for none. */
  active: boolean;
  count: number;
  /** Time at which it must be split for an impact with restitution, s; 0 for none. */
  impactTime: number;
  /** Whether it was stopped, as no velocities could be found: it rests until the step ends. */
  isStopped: boolean;
  /** Steps, this one included, in which connections close no gaps. Written by `substeps/connected-energy.ts`. */
  keepsGaps: number;
}

/** A and p of the velocity equation. Written by `step.ts`; `constraints/joint-potentials.ts` adds the forces linear in the velocity. */
export interface VelocitySystem {
  /** Armature, implicit damping, springs and unbounded motors: added to the diagonal of the mass matrix. */
  readonly implicitDiagonal: Float64Array;
  /** Impulse of gravity, external and linear forces at the present velocities: p. */
  readonly freeImpulse: Float64Array;
  /** The six bias forces of a floating base. */
  readonly rootBias: Float64Array;
  /** h^2 K of geometric stiffness, 6 numbers a bone (xx, yy, zz, xy, xz, yz), added to its inertia; and whether any is not zero. */
  readonly geometricStiffness: Float64Array;
  readonly lastGeometricStiffness: Float64Array;
  hasGeometricStiffness: boolean;
  isLoaded: boolean;
}

function createVelocitySystem({ dof, bones }: Figure): VelocitySystem {
  return {
    implicitDiagonal: new Float64Array(dof),
    freeImpulse: new Float64Array(dof),
    rootBias: new Float64Array(6),
    geometricStiffness: new Float64Array(6 * bones.length),
    lastGeometricStiffness: new Float64Array(6 * bones.length),
    hasGeometricStiffness: false,
    isLoaded: false,
  };
}

/** Written by `constraints/joint-potentials.ts`; the solver evaluates the potentials, a solve that fails forgets the warm start. */
export interface JointWork {
  readonly potentials: JointPotentials;
  /** Warm start: impulses of the last step at each limit, two a limit component; of dry friction, one a coordinate. */
  readonly limitImpulses: Float64Array;
  readonly frictionImpulses: Float64Array;
  /** Length of their substep, s. */
  impulseDuration: number;
  /** Whether motors and springs have gains. */
  hasMotorForce: boolean;
  hasSpringForce: boolean;
}

function createJointWork({ dof, limitComponents }: Figure): JointWork {
  return {
    potentials: createJointPotentials(dof, limitComponents.length),
    limitImpulses: new Float64Array(2 * limitComponents.length),
    frictionImpulses: new Float64Array(dof),
    impulseDuration: 0,
    hasMotorForce: false,
    hasSpringForce: false,
  };
}

/** Written by `islands/islands.ts`; the position in the island by block coordinate descent in `solver/newton.ts`. */
export interface IslandMembership {
  /** Smallest index of the actors of its island. */
  representative: number;
  position: number;
  /** Mass of the heaviest actor that connections join it to, its own at least, kg: what its connections may have to hold. Written by `constraints/contact-potentials.ts`. */
  load: number;
}

/** Newton's method. Written by `solver/newton.ts`, which `step.ts` starts and whose velocities the prediction bounds. */
export interface SolverWork {
  /** The velocities v, the Newton direction d, and A d. */
  readonly nextVelocity: Float64Array;
  readonly direction: Float64Array;
  readonly directionMomentum: Float64Array;
  /** A (nextVelocity - velocity) - freeImpulse: the impulse that the constraints must supply. */
  readonly requiredImpulse: Float64Array;
  /**
   * Impulse of all constraints, and the residual requiredImpulse - constraintImpulse. `solveDirection` overwrites the first with J^T K J d, the commit with
   * other figures' impulses.
   */
  readonly constraintImpulse: Float64Array;
  readonly residual: Float64Array;
}

function createSolverWork({ dof }: Figure): SolverWork {
  return {
    nextVelocity: new Float64Array(dof),
    direction: new Float64Array(dof),
    directionMomentum: new Float64Array(dof),
    requiredImpulse: new Float64Array(dof),
    constraintImpulse: new Float64Array(dof),
    residual: new Float64Array(dof),
  };
}

/** Linear solves for the Newton direction. Written by `solver/woodbury-solve.ts` or, in its place, `solver/conjugate-gradient.ts`. */
export interface LinearSolverWork {
  /** Residual of the linear solve, -residual - H d. */
  readonly linearResidual: Float64Array;
  /** P^-1 r with the tree's system P. */
  readonly preconditioned: Float64Array;
  /** Conjugate gradients: search direction p, P p, and H p with coupling. */
  readonly searchDirection: Float64Array;
  readonly treeProduct: Float64Array;
  readonly searchProduct: Float64Array;
  /** Woodbury: of each bone, whether it is among the tree's `pathBones`. */
  readonly onPath: Uint8Array;
}

function createLinearSolverWork({ dof, bones }: Figure): LinearSolverWork {
  return {
    linearResidual: new Float64Array(dof),
    preconditioned: new Float64Array(dof),
    searchDirection: new Float64Array(dof),
    treeProduct: new Float64Array(dof),
    searchProduct: new Float64Array(dof),
    onPath: new Uint8Array(bones.length),
  };
}

/** State at the end of the substep. Written by `substeps/substep-count.ts`. */
export interface Prediction {
  readonly nextPose: Float64Array;
  /** Next pose before it is clamped to the limits. */
  readonly unclampedPose: Float64Array;
  /** Pose and velocity before the substep, of a figure on a fixed base and where there are connections. */
  readonly lastPose: Float64Array;
  readonly lastVelocity: Float64Array;
  /** Whether the velocities found exceeded `MAX_SPEED` and were scaled down. */
  isSpeedClamped: boolean;
  /** Whether they were scaled down by that or by the energy of connected actors: momentum is not that of the impulses found then. */
  isSlowed: boolean;
  /** Whether only gravity acts on a figure that bounces: its centre of mass moves on a parabola. */
  isInFlight: boolean;
  /** Whether the pose is integrated with the mean of the velocities before and after. */
  isMean: boolean;
  /** Whether other actors or connections act on it. */
  hasPairImpulse: boolean;
  /** Whether the world pushes it. */
  hasWorldImpulse: boolean;
  /** Momentum, and angular momentum about the centre of mass; computed by `mechanics/root-momentum.ts`. */
  readonly nextMomentum: Float64Array;
  /** Kinetic energy, and what it gains beyond external work, to first order, J; of connected actors. */
  kinetic: number;
  gain: number;
}

function createPrediction({ dof }: Figure): Prediction {
  return {
    nextPose: new Float64Array(dof),
    unclampedPose: new Float64Array(dof),
    lastPose: new Float64Array(dof),
    lastVelocity: new Float64Array(dof),
    isSpeedClamped: false,
    isSlowed: false,
    isInFlight: false,
    isMean: false,
    hasPairImpulse: false,
    hasWorldImpulse: false,
    nextMomentum: new Float64Array(6),
    kinetic: 0,
    gain: 0,
  };
}

/** Energy and speed. Written by `mechanics/energy.ts`; sleep sets them to those at rest, and a failed step makes them out of date. */
export interface EnergyState {
  /** Whether kinematics, inertias and energies are those of the present `pose` and `velocity`. */
  isCurrent: boolean;
  /** J */
  kinetic: number;
  potential: number;
  /** Fastest bone, m/s. */
  speed: number;
  /** Velocity of the centre of mass, m/s. */
  readonly centerVelocity: Float64Array;
}

/** Energy that a substep should end with. Written by `mechanics/energy-account.ts`; a state that the caller wrote, and sleep, drop the reserve. */
export interface EnergyAccount {
  /** J: energy before, reserve, work from outside and dissipation; Infinity with springs, motors and open connections without a bound. */
  target: number;
  /** Energy that earlier steps lost and have not yet returned, J; negative where they gained. */
  reserve: number;
  /** Whether contacts or connections act on it; and whether contacts, limits or bounded connections do: its energy is only removed. */
  isTouched: boolean;
  dissipates: boolean;
  /** At the representative of an island: whether connections join it, hold it to the world, and whether springs or motors drive any actor of it. */
  isConnected: boolean;
  isFixed: boolean;
  isDriven: boolean;
  /** Whether an open connection without a bound pulls it, which may lift it. */
  isPulled: boolean;
}

/** Written by `islands/islands.ts`. */
export interface SleepState {
  /** Time since it woke, and since it last moved, s. */
  awakeTime: number;
  stillTime: number;
  /** Asleep: the representative of its island when it fell asleep, common to all that did together. -1 awake. */
  group: number;
  /** At the representative of an island: whether any actor of it moves. */
  isIslandMoving: boolean;
}

/** The state before the step, for rollback. Written by `inputs/read-inputs.ts`. */
export interface ActorBackup {
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  asleep: boolean;
  group: number;
  awakeTime: number;
  stillTime: number;
  reserve: number;
}

function createBackup({ dof }: Figure): ActorBackup {
  return {
    pose: new Float64Array(dof),
    velocity: new Float64Array(dof),
    asleep: false,
    group: -1,
    awakeTime: 0,
    stillTime: 0,
    reserve: 0,
  };
}
