import { DomainError } from '../../errors.js';
import { clampToLimits } from '../../figure/pose.js';
import { solveLower, solveUpper } from '../../math/tree-factor.js';
import { areFinite } from '../checks.js';
import { findContacts } from '../collide/find-contacts.js';
import { addContactRows, type ContactSettings } from '../constrain/contact-rows.js';
import { addLimitRows } from '../constrain/limit-rows.js';
import { beginRows, solveRows } from '../constrain/rows.js';
import { changeCharts, moveConstantly } from '../integrate/turn.js';
import type { Forces } from '../integrate/types.js';
import { writeJointForces } from '../inverse-dynamics.js';
import { writeMassMatrix } from '../mass-matrix.js';
import { placeAxes, placeBones } from '../place.js';
import type { Simulation } from './simulation.js';

/** Longest step, s: beyond, limits and contacts are guesses. */
const LONGEST_STEP = 0.05;
/** Depth that is left alone, m; share of the rest undone in a step, and how fast at most, m/s. */
const SLOP = 5e-4;
const CORRECTION = 0.2;
const FASTEST_CORRECTION = 1;
/** Slowest approach that bounces, m/s. */
const BOUNCE_FROM = 0.5;
/** Speed of a joint, rad/s and m/s, that limits are looked ahead for even of one that rests. */
const LEAST_SPEED = 1;

/** How a step went. */
export interface SimulationReport {
  /** `not-finite`: the step came to numbers that are none, and the state is what it was. */
  readonly status: 'done' | 'not-finite';
  readonly contacts: number;
  /** Contacts for which there was no room. */
  readonly dropped: number;
  /** Rows of limits and contacts, and sweeps over them. */
  readonly rows: number;
  readonly sweeps: number;
}

/**
 * Moves a simulation on by one step: velocities first, at which joints are damped and limits and contacts push; then the pose by the new
 * velocities (semi-implicit Euler). Limits are those of the figure, and hold at the end of each step.
 *
 * @param dt - s, above zero and at most 0.05.
 * @throws DomainError `out-of-range` for another step. The state is then what it was.
 */
export function stepSimulation(simulation: Simulation, dt: number, forces?: Forces): SimulationReport {
  if (!(dt > 0 && dt <= LONGEST_STEP)) {
    throw new DomainError('out-of-range', `is ${dt} s.`, {
      path: 'dt',
      remedy: `Give a step above 0 and at most ${LONGEST_STEP} s; cut longer times into steps.`,
    });
  }
  const { dynamics, state, nextNu, nextPose, rows, contacts, rotations, charts } = simulation;
  const { figure } = dynamics;
  const { pose, nu } = state;
  placeBones(dynamics, pose);
  placeAxes(dynamics, pose);
  if (!beginRows(rows, massOver(simulation, dt))) return failed(simulation);
  moveFreely(simulation, dt, forces);
  const reach = lookAhead(simulation, dt);
  addLimitRows(rows, dynamics.state, pose, dt, LEAST_SPEED * dt + fastest(nextNu) * dt);
  addContacts(simulation, dt, reach);
  const sweeps = solveRows(rows, nextNu);
  moveConstantly(rotations, pose, nextNu, dt, nextPose);
  clampToLimits(figure, nextPose);
  changeCharts(charts, nextPose);
  if (!areFinite(nextNu) || !areFinite(nextPose)) return failed(simulation);
  keepImpulses(simulation);
  pose.set(nextPose);
  nu.set(nextNu);
  state.time += dt;
  return { status: 'done', contacts: contacts.count, dropped: contacts.dropped, rows: rows.count, sweeps };
}

/** M + h D */
function massOver({ dynamics, mass, damping }: Simulation, h: number): Float64Array {
  writeMassMatrix(dynamics, mass);
  const n = damping.length;
  for (let i = 0; i < n; i++) mass[i * (n + 1)] += h * damping[i];
  return mass;
}

/** nu + h (M + h D)^-1 (tau - bias - D nu) to `nextNu`. */
function moveFreely(simulation: Simulation, h: number, forces: Forces | undefined): void {
  const { dynamics, state, forces: applied, nextNu, damping, rows } = simulation;
  const { pose, nu, time } = state;
  applied.tau.fill(0);
  applied.external.fill(0);
  forces?.(time, pose, nu, applied);
  writeJointForces(dynamics, nu, undefined, applied.external, nextNu);
  const n = nu.length;
  for (let i = 0; i < n; i++) nextNu[i] = h * (applied.tau[i] - nextNu[i] - damping[i] * nu[i]);
  solveUpper(rows.factor, n, rows.before, nextNu);
  solveLower(rows.factor, n, rows.before, nextNu);
  for (let i = 0; i < n; i++) nextNu[i] += nu[i];
}

/** How far anything may come within the step, m, by the velocities that it begins with; no shape reaches farther than half a metre off its bone. */
function lookAhead({ dynamics }: Simulation, h: number): number {
  const { velocity, angularVelocity, figure } = dynamics;
  let fast = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    const v = Math.hypot(velocity[o], velocity[o + 1], velocity[o + 2]);
    const w = Math.hypot(angularVelocity[o], angularVelocity[o + 1], angularVelocity[o + 2]);
    fast = Math.max(fast, v + 0.5 * w);
  }
  return h * fast + 0.01;
}

function fastest(nu: Float64Array): number {
  let most = 0;
  for (let i = 0; i < nu.length; i++) most = Math.max(most, Math.abs(nu[i]));
  return most;
}

function addContacts(simulation: Simulation, h: number, reach: number): void {
  const { dynamics, collider, contacts, rows, rowOfContact, state, lastIds, lastImpulses, lastCount } =
    simulation;
  findContacts(collider, dynamics.state.worldFromBone, reach, contacts);
  const settings: ContactSettings = {
    step: h,
    correction: CORRECTION,
    fastestCorrection: FASTEST_CORRECTION,
    slop: SLOP,
    bounceFrom: BOUNCE_FROM,
  };
  for (let c = 0; c < contacts.count; c++) {
    const o = 3 * c;
    const r = addContactRows(
      rows,
      dynamics.state,
      {
        boneA: contacts.bodyA[c],
        boneB: contacts.bodyB[c],
        pointA: contacts.pointA.subarray(o, o + 3),
        pointB: contacts.pointB.subarray(o, o + 3),
        normal: contacts.normal.subarray(o, o + 3),
        gap: contacts.gap[c],
        friction: contacts.friction[c],
        restitution: contacts.restitution[c],
      },
      state.nu,
      settings,
    );
    rowOfContact[c] = r;
    if (r < 0) continue;
    for (let k = 0; k < lastCount; k++) {
      if (lastIds[k] !== contacts.id[c]) continue;
      // Tangents follow the normal, so what rubbed before rubs about so again.
      for (let n = r; n < Math.min(rows.count, r + 3); n++) rows.impulse[n] = lastImpulses[3 * k + n - r];
      break;
    }
  }
}

/** Remembers what contacts pushed with, for the next step to start from. */
function keepImpulses(simulation: Simulation): void {
  const { contacts, rows, rowOfContact, lastIds, lastImpulses } = simulation;
  for (let c = 0; c < contacts.count; c++) {
    const r = rowOfContact[c];
    lastIds[c] = contacts.id[c];
    for (let n = 0; n < 3; n++) {
      const own = r >= 0 && (n === 0 || rows.pushes[r + n] === r) && r + n < rows.count;
      lastImpulses[3 * c + n] = own ? rows.impulse[r + n] : 0;
    }
  }
  simulation.lastCount = contacts.count;
}

function failed({ contacts, rows }: Simulation): SimulationReport {
  return {
    status: 'not-finite',
    contacts: contacts.count,
    dropped: contacts.dropped,
    rows: rows.count,
    sweeps: 0,
  };
}
