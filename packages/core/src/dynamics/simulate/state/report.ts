/**
 * - `too-fast`: something was about to move faster than 2,000 m/s and was held to it: forces or impulses without measure.
 * - `overlap`: shapes are more than a centimetre inside each other, and part slowly.
 * - `no-room`: contacts were left out; see `contacts` of `SimulationOptions`.
 * - `not-settled`: the impulses do not balance to the last; the step is still bounded.
 */
export type SimulationWarning = 'too-fast' | 'overlap' | 'no-room' | 'not-settled';

/** How a step went. One object a simulation, written anew by each step. */
export interface SimulationReport {
  /** `not-finite`: the step came to numbers that are none. All is what it was, but for impulses that were to be given, which are dropped. */
  status: 'done' | 'not-finite';
  readonly warnings: Set<SimulationWarning>;
  /** Contacts looked at: of shapes that touch or may within the step. */
  contacts: number;
  /** Contacts that push. */
  touching: number;
  /** Contacts for which there was no room. */
  dropped: number;
  /** Deepest that any shape is inside another, m, at the beginning of the step. */
  depth: number;
  /** Into how many parts the step was cut, of the island with most. */
  substeps: number;
  /** Newton iterations, and solves of all that had to be done again to hold fast, of the island with most. */
  iterations: number;
  outerIterations: number;
  /** Energy of all figures after the step, J; potential energy is zero at the world's origin. */
  kinetic: number;
  potential: number;
  /** Figures that sleep. */
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
