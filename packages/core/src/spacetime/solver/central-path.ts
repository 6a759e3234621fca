/** Slacks and multipliers of the inequalities on the central path, and their Newton steps. */
export interface CentralPath {
  readonly slack: Float64Array;
  readonly multiplier: Float64Array;
  readonly slackStep: Float64Array;
  readonly multiplierStep: Float64Array;
  /** y + a.p + s - mu / k, and the wanted decrease of s mu. */
  readonly residual: Float64Array;
  readonly complementarity: Float64Array;
}

export function createCentralPath(count: number): CentralPath {
  const zeros = (): Float64Array => new Float64Array(count);
  return {
    slack: zeros(),
    multiplier: zeros(),
    slackStep: zeros(),
    multiplierStep: zeros(),
    residual: zeros(),
    complementarity: zeros(),
  };
}
