import type { Bone } from '../../../figure/model/figure.js';

const TURN = 2 * Math.PI;

/** Whether coordinate k of a bone is an angle that comes to the same place a whole turn further, and nothing limits. */
export function isPeriodic({ joint, limit }: Bone, k: number): boolean {
  if (joint.type === 'hinge') return limit === undefined;
  if (joint.type === 'ball-and-socket')
    return k === 2 && !(limit?.type === 'swing-twist' && limit.twist !== undefined);
  if (joint.type !== 'euler') return false;
  return limit === undefined || (limit.type === 'box' && limit.min[k] === null && limit.max[k] === null);
}

/** An angle less the whole turns in it: within half a turn of zero. */
export function withoutTurns(angle: number): number {
  return angle - TURN * Math.round(angle / TURN);
}
