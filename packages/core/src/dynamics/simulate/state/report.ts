/**
 * - `too-fast`: a speed was clamped to 2,000 m/s, for excessive forces or impulses.
 * - `overlap`: shapes penetrate by more than a centimetre, and separate slowly.
 * - `contact-overflow`: contacts were dropped; see `contacts` of `SimulationOptions`.
 * - `not-converged`: the solver reached its iteration limit above its tolerance; the step is still bounded.
 */
export type SimulationWarning = 'too-fast' | 'overlap' | 'contact-overflow' | 'not-converged';

/** Report of a step. One object a simulation, overwritten by each step. */
export interface SimulationReport {
  /** `stopped`: no velocities were found for some island, however short the substeps: its figures were stopped. All others moved on. */
  status: 'done' | 'stopped';
  readonly warnings: Set<SimulationWarning>;
  /** Contacts detected: of shapes that touch or may touch within the step. */
  contacts: number;
  /** Contacts with an impulse, sleeping ones included. */
  touching: number;
  /** Contacts dropped because the capacity was reached. */
  dropped: number;
  /** Largest penetration depth at the beginning of the step, m. */
  depth: number;
  /** Substeps of the island that needed most. */
  substeps: number;
  /** Newton iterations of the island that needed most. */
  iterations: number;
  /** Outer iterations (multiplier updates with a solve each) of the island that needed most. */
  outerIterations: number;
  /** Energy of all figures after the step, J; potential energy is zero at the world's origin and leaves springs out. */
  kinetic: number;
  potential: number;
  /** Sleeping figures. */
  asleep: number;
}

export function createSimulationReport(): SimulationReport {
  return {
    status: 'done',
    warnings: new Set(),
    contacts: 0,
    touching: 0,
    dropped: 0,
    depth: 0,
    substeps: 1,
    iterations: 0,
    outerIterations: 0,
    kinetic: 0,
    potential: 0,
    asleep: 0,
  };
}
