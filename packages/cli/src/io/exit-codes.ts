/** What the exit status of `poise` says; docs/cli.md lists them. */
export const EXIT = {
  /** Done; for `pose`: every goal met; for `optimize`: converged. */
  done: 0,
  /** `pose`: some goal is not met; `optimize`: not converged. The best that was found was written all the same. */
  notConverged: 1,
  /** Bad input: an error with code, place and remedy was printed, no file was touched. */
  badInput: 2,
  /** A fault of Poise itself. */
  internal: 3,
} as const;
