/** Exit statuses of `poise`; docs/cli.md lists them. */
export const EXIT = {
  /** Done; for `pose`: every goal met; for `optimize`: converged. */
  done: 0,
  /** `pose`: some goal is not met; `optimize`: not converged, or not between the keys (`coarse`). The best result found was written. */
  notConverged: 1,
  /** Bad input: an error with code, place and remedy was printed, no file was touched. */
  badInput: 2,
  /** An internal error of Poise. */
  internal: 3,
  /** Of several inputs some failed; the others are done. */
  someFailed: 4,
  /** Ended by a second Ctrl-C, as by a shell: 128 + SIGINT. */
  interrupted: 130,
  /** Ended by SIGTERM, likewise: 128 + SIGTERM. */
  terminated: 143,
} as const;
