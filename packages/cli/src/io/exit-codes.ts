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
  /** Of several inputs some failed; the others are done. `batch`: or it was cancelled, could not read or write, or another process works at it. */
  someFailed: 4,
  /** `batch`: some jobs failed, all of them by bad input: another try fails as well. The number is that of Kubernetes' own examples of `FailIndex`. */
  doNotRetry: 42,
  /** Ended by a second Ctrl-C, as by a shell: 128 + SIGINT; `batch`: by the first. */
  interrupted: 130,
  /** Who read stdout went away: 128 + SIGPIPE; `batch` and `worker` continue. */
  closedPipe: 141,
  /** `batch`: ended by SIGTERM: 128 + SIGTERM. */
  terminated: 143,
} as const;
