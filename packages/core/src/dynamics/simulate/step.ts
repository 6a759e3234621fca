import { DomainError } from '../../errors.js';
import { type ActorForces, readForces } from './inputs/external-forces.js';
import { readInputs, requireInputs } from './inputs/read-inputs.js';
import { backUpStep, clearPendingImpulses, rollBackStep } from './inputs/rollback.js';
import { OVERLAP } from './state/contact-potentials.js';
import type { SimulationReport } from './state/report.js';
import type { Simulation } from './state/simulation.js';
import { putToSleep, wakeConnected, wakeSleepGroups } from './state/sleep.js';
import { takeSubstep } from './substep.js';

/** Longest step, s, and the longest that is not divided into equal pieces, beyond which limits and contacts are predicted poorly. */
const MAX_STEP = 0.05;
const MAX_PIECE = 1 / 55;

/**
 * Advances a simulation by one step (semi-implicit Euler): solves for the velocities at which gravity, external forces, springs, dampers, motors, dry friction,
 * limits, contacts and connections balance at the end of the step, then integrates the poses with them. Limits are those of the figures and hold at the
 * end of each step. A figure gains energy only by external work.
 *
 * Islands whose bones rotate far within the step, as limbs do that hit the floor, take substeps.
 * Momentum of figures with a floating base is conserved to rounding. The motion is of first order; for accuracy in smooth motion see `stepIntegrator`.
 *
 * @param dt - s, above zero and at most 0.05; 1/120 is usual.
 * @returns `simulation.report`
 * @throws DomainError `out-of-range` for another step; `not-finite` for poses, velocities, motors and connections with NaN or Infinity; what `forces`
 *   throws. The simulation is unchanged then.
 */
export function stepSimulation(simulation: Simulation, dt: number, forces?: ActorForces): SimulationReport {
  if (!(dt > 0 && dt <= MAX_STEP)) {
    throw new DomainError('out-of-range', `is ${dt} s.`, {
      path: 'dt',
      remedy: `Give a step above 0 and at most ${MAX_STEP} s; cut longer times into steps.`,
    });
  }
  const { actors, report } = simulation;
  requireInputs(simulation);
  report.warnings.clear();
  report.iterations = 0;
  report.outerIterations = 0;
  report.substeps = 1;
  backUpStep(simulation);
  let done = false;
  try {
    for (const actor of actors) readInputs(simulation, actor);
    wakeConnected(simulation);
    for (const actor of actors) readForces(actor, forces);
    wakeSleepGroups(simulation);
    const pieces = Math.ceil(dt / MAX_PIECE);
    done = true;
    for (let k = 0; k < pieces && done; k++) done = takeSubstep(simulation, dt / pieces, 1);
  } catch (error) {
    rollBackStep(simulation);
    throw error;
  }
  if (!done) rollBackStep(simulation);
  clearPendingImpulses(simulation);
  if (!done) {
    report.status = 'not-finite';
    return report;
  }
  putToSleep(simulation, dt);
  writeReport(simulation);
  simulation.time += dt;
  return report;
}

/** Writes the part of the report that describes the state after the step. */
function writeReport({ report, actors, warmStart }: Simulation): void {
  report.touching = 0;
  for (let k = 0; k < warmStart.count; k++) if (warmStart.lastImpulse[k] > 0) report.touching++;
  report.status = 'done';
  report.kinetic = 0;
  report.potential = 0;
  report.asleep = 0;
  for (const { asleep, pose, velocity, work } of actors) {
    if (asleep) report.asleep++;
    work.inputs.lastPose.set(pose);
    work.inputs.lastVelocity.set(velocity);
    report.kinetic += work.energy.kinetic;
    report.potential += work.energy.potential;
  }
  if (report.dropped > 0) report.warnings.add('contact-overflow');
  if (report.depth > OVERLAP) report.warnings.add('overlap');
}
