/** Slacks and multipliers of the sides, and where they go. */
export interface CentralPath {
  readonly slack: Float64Array;
  readonly push: Float64Array;
  readonly slackWay: Float64Array;
  readonly pushWay: Float64Array;
  /** y + a.p + s - mu / k, and what s mu is to change by. */
  readonly off: Float64Array;
  readonly product: Float64Array;
}

export function createCentralPath(count: number): CentralPath {
  const room = (): Float64Array => new Float64Array(count);
  return {
    slack: room(),
    push: room(),
    slackWay: room(),
    pushWay: room(),
    off: room(),
    product: room(),
  };
}
