/**
 * One step of a simulation: semi-implicit Euler, its velocities from a convex minimization (`docs/simulation-method.md`). The logic stands in
 * these files, in the order of the step:
 *
 *   step.ts                           this list of stages
 *   inputs/read-inputs.ts             1, 2 poses, forces and impulses of the caller; backup and rollback
 *   substeps/margins.ts               2, 7 how far bones may go
 *   constraints/center-contacts.ts    2, 7 contacts of what spins
 *   constraints/joint-potentials.ts   4    springs, motors, dry friction and limits
 *   constraints/contact-potentials.ts 4    contacts and connections
 *   constraints/warm-start.ts         4, 8 the impulses that they start from
 *   islands/islands.ts                5    islands; waking (1, 2) and sleep (9)
 *   solver/newton.ts                  6    velocities of an island
 *   constraints/evaluate-contacts.ts  6    impulses of contacts and connections
 *   constraints/multiplier-update.ts  6    method of multipliers, curvature of the constraints
 *   substeps/substep-count.ts         7    predicted poses, number of substeps
 *   substeps/commit-step.ts           8    poses and energy at the end
 *   substeps/connected-energy.ts      8    substeps that miss the energy of what connections join
 *
 * Apart from it: the records (`state/`), and kernels by their standard names: contact detection (`../collide`), linear systems of a kinematic
 * tree (`../aba`), Woodbury's formula and conjugate gradients (`solver/`), J and K of contacts (`constraints/contact-jacobian.ts`), energy,
 * energy account, momentum and geometric stiffness (`mechanics/`).
 */
import { DomainError } from '../../errors.js';
import { findContacts } from '../collide/find-contacts.js';
import { updateAxisDerivatives } from '../kinematics/update-kinematics.js';
import { writeJointForces } from '../rnea/inverse-dynamics.js';
import { addCenterContacts } from './constraints/center-contacts.js';
import { buildContactPotentials } from './constraints/contact-potentials.js';
import { buildJointPotentials } from './constraints/joint-potentials.js';
import {
  startsCold,
  updateCurvature,
  updateMultipliers,
  withholdCorrections,
} from './constraints/multiplier-update.js';
import { cacheContactImpulses, forgetImpulses } from './constraints/warm-start.js';
import {
  type ActorForces,
  applyForces,
  backUpStep,
  callForces,
  clearPendingImpulses,
  readForces,
  readInputs,
  recordInputs,
  requireInputs,
  rollBackStep,
} from './inputs/read-inputs.js';
import {
  fillIsland,
  findIslands,
  firstImpact,
  putToSleep,
  wakeConnected,
  wakeSleepGroups,
  wakeTouched,
} from './islands/islands.js';
import { updateActor } from './mechanics/energy.js';
import { collectOuterImpulses, correctEnergies } from './mechanics/energy-account.js';
import {
  clearGeometricStiffness,
  initializeGeometricStiffness,
  updateGeometricStiffness,
} from './mechanics/geometric-stiffness.js';
import { initializeVelocities, solveBlockDescent, solveVelocities } from './solver/newton.js';
import type { Actor } from './state/actor.js';
import { OVERLAP } from './state/contact-potentials.js';
import { type Island, isSolvedInBlocks } from './state/island.js';
import type { SimulationReport } from './state/report.js';
import type { Simulation } from './state/simulation.js';
import { commit, turnBack } from './substeps/commit-step.js';
import { checkConnected, keepStates } from './substeps/connected-energy.js';
import { writeMargins } from './substeps/margins.js';
import { MAX_SUBSTEPS, substepCount } from './substeps/substep-count.js';

/** Longest step, s, and longest substep: a longer step is divided equally, because limits and contacts are predicted poorly beyond it. */
const MAX_STEP = 0.05;
const MAX_SUBSTEP = 1 / 55;
/** Maximum number of outer iterations of a substep; the same where connections start cold, and of an island solved in blocks. */
const MAX_OUTER_ITERATIONS = 4;
const MAX_OUTER_ITERATIONS_COLD = 12;
const MAX_OUTER_ITERATIONS_LARGE = 2;
/** After a solve that failed: inertia of joints relative to the effective one, and number of shorter substeps. */
const RESTART_INERTIA = 1e-6;
const RETRY_SUBSTEPS = 4;

/**
 * Advances a simulation by one step (semi-implicit Euler): solves for the velocities at which gravity, external forces, springs, dampers, motors, dry friction,
 * limits, contacts and connections balance at the end of the step, then integrates the poses with them. Limits are those of the figures and hold at the
 * end of each step. Without springs, motors and deep overlap a figure gains energy only by external work.
 *
 * Islands whose bones rotate far within the step, as limbs do that hit the floor, take substeps. Momentum of figures with a
 * floating base is conserved to rounding. The motion is of first order; for accuracy in smooth motion see `stepIntegrator`.
 *
 * @param dt - s, above zero and at most 0.05; 1/120 is usual.
 * @returns `simulation.report`
 * @throws DomainError `out-of-range` for another step; `not-finite` for poses, velocities, motors, connections and forces with NaN or Infinity; what
 *   `forces` throws. The simulation is unchanged then, but for impulses of `applyImpulse`, which are dropped.
 */
export function stepSimulation(simulation: Simulation, dt: number, forces?: ActorForces): SimulationReport {
  if (!(dt > 0 && dt <= MAX_STEP)) {
    throw new DomainError('out-of-range', `is ${dt} s.`, {
      path: 'dt',
      remedy: `Give a step above 0 and at most ${MAX_STEP} s; cut longer times into steps.`,
    });
  }
  const { actors, report } = simulation;
  if (simulation.isStepping) {
    throw new DomainError('unsupported', 'is in the middle of a step.', {
      path: 'simulation',
      remedy: 'Step it after stepSimulation has returned, not in its force function.',
    });
  }
  requireInputs(simulation);
  clearReport(report);
  backUpStep(simulation);
  try {
    // 1. Inputs: poses and velocities that the caller wrote, external forces, pending impulses. Changes wake.
    for (const actor of actors) readInputs(simulation, actor);
    if (forces !== undefined) {
      simulation.isStepping = true;
      callForces(simulation, forces);
    }
    wakeConnected(simulation);
    for (const actor of actors) readForces(actor, forces !== undefined);
    wakeSleepGroups(simulation);
  } catch (error) {
    rollBackStep(simulation);
    throw error;
  } finally {
    simulation.isStepping = false;
    clearPendingImpulses(simulation);
  }
  // Stages 2 to 8 for each of the equal substeps.
  const count = Math.ceil(dt / MAX_SUBSTEP);
  for (let k = 0; k < count; k++) advanceSubstep(simulation, dt / count, 1);
  // 9. Sleep and report.
  putToSleep(simulation, dt);
  for (const actor of actors) recordInputs(actor);
  writeReport(simulation);
  simulation.time += dt;
  return report;
}

/**
 * Advances the active actors by h seconds. Islands that rotate too far for their contacts and limits to be predicted take shorter substeps.
 *
 * @param substeps - Number of substeps of this length in one of the equal substeps of the step.
 */
function advanceSubstep(simulation: Simulation, h: number, substeps: number): void {
  const { actors, island, gravity, report } = simulation;
  report.substeps = Math.max(report.substeps, substeps);

  // 2. Impulses of external forces, scaled down beyond `MAX_SPEED`. Contacts: shapes that touch, or may within h.
  detectContacts(simulation, h, substeps === 1);

  // 3. System of each actor: A (v - v0) = p + J^T gamma(v), with
  //      A = M(q) + armature,   p = h (tau + J_b^T f - bias(q, v0)) + J_b^T i,
  //    tau, f external forces on joints and bones, i impulses on bones, J_b the Jacobians of the bones.
  for (const actor of actors) if (actor.work.substep.active) buildSystem(actor, h);

  // 4. Potentials: gamma(u) = -grad of a convex function of u = J v.
  //      Linear joint forces, implicit, K the stiffness and e the deflection of springs and unbounded motors, D the damping:
  //        A += h D + h^2 K,   p -= h (D v0 + K (e + h v0));
  //      limits, bounded motors, friction, contacts, connections: gamma = projection of g - k (u - t),
  //        g the multiplier, k the penalty stiffness, t the target velocity (`docs/simulation-method.md`).
  //    Multipliers start from the impulses of the last step.
  for (const actor of actors) if (actor.work.substep.active) buildJointPotentials(actor, h);
  buildContactPotentials(simulation, h, substeps === 1);
  initializeGeometricStiffness(simulation, h);

  // 5. Islands: actors that contacts or connections couple. One with an impact is divided there, and bounces at the beginning of the second part.
  findIslands(simulation);
  let largest = 1;
  let hasImpact = false;
  for (const { index, work } of actors) {
    if (!work.substep.active || work.island.representative !== index) continue;
    fillIsland(simulation, island, index);
    const impactTime = firstImpact(simulation, island);
    for (const each of island.actors) each.work.substep.impactTime = impactTime < h ? impactTime : 0;
    if (impactTime < h) {
      for (const each of island.actors) each.work.substep.count = 2;
      hasImpact = true;
      continue;
    }

    // 6. Newton solve and multiplier updates:
    //      v = argmin 1/2 (v - v0)^T A (v - v0) - p^T (v - v0) + sum of potentials(J v; g, k),
    //      g = gamma(J v), k = 4 k, until no constraint drifts.
    const isSolved =
      solveIsland(simulation, island, h) || restartIsland(simulation, island, h, substeps === 1);

    // 7. Substep count: 1, or 2, 4, ... 64 where poses at h v are predicted too poorly, or no velocities were found.
    let count = isSolved ? substepCount(simulation, island, h, substeps) : Number.NaN;
    if (Number.isNaN(count)) count = RETRY_SUBSTEPS * substeps <= MAX_SUBSTEPS ? RETRY_SUBSTEPS : 0;
    if (count === 0) stopIsland(simulation, island);
    for (const each of island.actors) each.work.substep.count = count;
    largest = Math.max(largest, count);
  }

  for (const { work } of actors) if (work.substep.isStopped) work.substep.active = false;

  // 8. Commit poses: q = exp(q) exp(h v) of rotation vectors, q + h v elsewhere, clamped to the limits; momentum and energy.
  //    Islands with a count above 1, and figures lifted above their energy, keep their state and take shorter substeps, from stage 2.
  collectOuterImpulses(simulation);
  cacheContactImpulses(simulation, h, substeps > 1);
  const hasConnections = simulation.connections.length > 0;
  if (hasConnections) keepStates(simulation);
  for (const actor of actors) {
    const { substep } = actor.work;
    if (!substep.active || substep.count > 1) continue;
    if (actor.work.prediction.isSpeedClamped) report.warnings.add('too-fast');
    commit(actor, h, gravity);
    turnBack(actor, h, gravity, substeps);
    largest = Math.max(largest, substep.count);
  }
  if (hasConnections) largest = Math.max(largest, checkConnected(simulation, h, substeps));
  correctEnergies(simulation, h);
  for (const {
    work: { substep },
  } of actors)
    if (substep.count === 1) substep.active = false;
  if (hasImpact) advanceToImpacts(simulation, h, substeps);
  for (let n = 2; n <= largest; n *= 2) {
    const members = actors.filter(({ work: { substep } }) => substep.active && substep.count === n);
    advanceParts(simulation, members, new Array<number>(n).fill(h / n), n * substeps);
  }
}

/** Advances the islands with an impact to it, then from it to the end of the substep. */
function advanceToImpacts(simulation: Simulation, h: number, substeps: number): void {
  const islands = new Map<number, Actor[]>();
  for (const actor of simulation.actors) {
    const { substep, island } = actor.work;
    if (!substep.active || substep.impactTime === 0) continue;
    const members = islands.get(island.representative);
    if (members) members.push(actor);
    else islands.set(island.representative, [actor]);
  }
  for (const members of islands.values()) {
    const { impactTime } = members[0].work.substep;
    advanceParts(simulation, members, [impactTime, h - impactTime], 2 * substeps);
  }
}

/** Advances some actors in substeps of the lengths given. @param substeps - Number of such substeps in one of the equal substeps of the step. */
function advanceParts(
  simulation: Simulation,
  members: readonly Actor[],
  lengths: readonly number[],
  substeps: number,
): void {
  if (members.length === 0) return;
  const others = simulation.actors.filter((actor) => actor.work.substep.active && !members.includes(actor));
  const saved = others.map(({ work: { substep } }) => [substep.count, substep.impactTime] as const);
  for (const { work } of others) work.substep.active = false;
  for (const h of lengths) {
    for (const { work } of members) work.substep.active = !work.substep.isStopped;
    advanceSubstep(simulation, h, substeps);
  }
  others.forEach(({ work: { substep } }, k) => {
    substep.active = true;
    [substep.count, substep.impactTime] = saved[k];
  });
}

/** Detects contacts within the speculative margins. @param wakes - Whether sleeping actors may wake. */
function detectContacts(simulation: Simulation, h: number, wakes: boolean): void {
  const { actors, collider, contacts, frames, gravity, report, margins } = simulation;
  const freeFall = h * h * Math.hypot(gravity[0], gravity[1], gravity[2]);
  let spins = false;
  do {
    for (const actor of actors) {
      const { index, work, asleep } = actor;
      if (wakes) work.substep.active = !asleep && !work.substep.isStopped;
      collider.asleep[index] = work.substep.active ? 0 : 1;
      if (work.substep.active && applyForces(actor, h)) report.warnings.add('too-fast');
      if (writeMargins(actor, h, freeFall)) spins = true;
    }
    findContacts(collider, frames, margins, contacts);
    if (spins) addCenterContacts(simulation);
  } while (wakes && wakeTouched(simulation) && wakeSleepGroups(simulation));
  if (!wakes) return;
  report.contacts = contacts.count;
  report.dropped = contacts.dropped;
  report.depth = 0;
  for (let c = 0; c < contacts.count; c++) report.depth = Math.max(report.depth, -contacts.separation[c]);
}

/** Builds A and p of an actor without its joint forces. M is factored by the solver. */
function buildSystem({ velocity, pose, work }: Actor, h: number): void {
  const { dynamics } = work;
  const { implicitDiagonal, freeImpulse, rootBias } = work.system;
  const { externalImpulse } = work.forces;
  updateAxisDerivatives(dynamics, pose);
  writeJointForces(dynamics, velocity, undefined, undefined, freeImpulse);
  for (let k = 0; k < 6 && work.isFloating; k++) rootBias[k] = freeImpulse[k];
  for (let i = 0; i < freeImpulse.length; i++) {
    implicitDiagonal[i] = dynamics.armature[i];
    freeImpulse[i] = externalImpulse[i] - h * freeImpulse[i];
  }
}

/** Method of multipliers: solves and updates the multipliers until no constraint drifts. */
function solveIsland(simulation: Simulation, island: Island, h: number): boolean {
  const { report } = simulation;
  const inBlocks = isSolvedInBlocks(island);
  const maxOuterIterations = inBlocks
    ? MAX_OUTER_ITERATIONS_LARGE
    : startsCold(simulation, island)
      ? MAX_OUTER_ITERATIONS_COLD
      : MAX_OUTER_ITERATIONS;
  withholdCorrections(simulation, island, inBlocks);
  initializeVelocities(simulation, island);
  updateCurvature(simulation, island, h, true);
  let iterations = 0;
  let outerIterations = 1;
  for (; ; outerIterations++) {
    const count = inBlocks ? solveBlockDescent(simulation, island) : solveVelocities(simulation, island);
    if (count < 0) return false;
    iterations += count;
    const changes = outerIterations < maxOuterIterations && updateGeometricStiffness(simulation, island, h);
    const isChanging = updateMultipliers(simulation, island, h, outerIterations) || changes;
    if (outerIterations === maxOuterIterations || !isChanging) break;
  }
  if (!island.converged) report.warnings.add('not-converged');
  report.iterations = Math.max(report.iterations, iterations);
  report.outerIterations = Math.max(report.outerIterations, outerIterations);
  return true;
}

/**
 * Solves an island once more after a solve that failed: without warm start, and with a small inertia at each joint against a change of velocity, which makes singular
 * coordinates (the pole of Euler angles) regular.
 */
function restartIsland(simulation: Simulation, island: Island, h: number, splits: boolean): boolean {
  for (const actor of island.actors) {
    const { implicitDiagonal } = actor.work.system;
    const { effectiveInertia, isFloating } = actor.work;
    forgetImpulses(simulation, actor);
    buildSystem(actor, h);
    clearGeometricStiffness(actor);
    for (let i = isFloating ? 6 : 0; i < implicitDiagonal.length; i++)
      implicitDiagonal[i] += RESTART_INERTIA * effectiveInertia[i];
    buildJointPotentials(actor, h);
  }
  // All of them, in the same order: those of other islands keep the impulses found.
  buildContactPotentials(simulation, h, splits);
  return solveIsland(simulation, island, h);
}

/** Stops the figures of an island for the rest of the step, so that the others continue. They stay active until all islands are solved. */
function stopIsland({ gravity, report }: Simulation, { actors }: Island): void {
  report.status = 'stopped';
  for (const actor of actors) {
    const { substep } = actor.work;
    actor.velocity.fill(0);
    actor.work.solver.nextVelocity.fill(0);
    updateActor(actor, gravity);
    substep.isStopped = true;
    actor.work.account.reserve = 0;
  }
}

function clearReport(report: SimulationReport): void {
  report.status = 'done';
  report.warnings.clear();
  report.iterations = 0;
  report.outerIterations = 0;
  report.substeps = 1;
}

/** Writes the part of the report that describes the state after the step. */
function writeReport({ report, actors, warmStart }: Simulation): void {
  report.touching = 0;
  for (let k = 0; k < warmStart.count; k++) if (warmStart.lastImpulse[k] > 0) report.touching++;
  report.kinetic = 0;
  report.potential = 0;
  report.asleep = 0;
  for (const { asleep, work } of actors) {
    if (asleep) report.asleep++;
    report.kinetic += work.energy.kinetic;
    report.potential += work.energy.potential;
  }
  if (report.dropped > 0) report.warnings.add('contact-overflow');
  if (report.depth > OVERLAP) report.warnings.add('overlap');
}
