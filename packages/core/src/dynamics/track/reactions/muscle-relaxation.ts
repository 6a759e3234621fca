import type { Figure } from '../../../figure/model/figure.js';

/**
 * How far bones let go after a blow: of each bone 0 (not at all) to 1 (limp), with how many joints that move lie between it and the bone that was
 * hit.
 */
export interface Slack {
  readonly of: Float64Array;
  readonly joints: Int32Array;
}

export function createSlack({ bones }: Figure): Slack {
  return { of: new Float64Array(bones.length), joints: new Int32Array(bones.length) };
}

/** Lets go around a bone: by `share` there, by less the more joints lie between, by nothing beyond `spread` of them. */
export function addSlack(
  { bones, parents }: Figure,
  slack: Slack,
  bone: number,
  share: number,
  spread: number,
): void {
  const { joints, of } = slack;
  joints.fill(-1);
  joints[bone] = 0;
  for (let b = bone; parents[b] >= 0; b = parents[b]) {
    joints[parents[b]] = joints[b] + (bones[b].dof > 0 ? 1 : 0);
  }
  for (let b = 0; b < parents.length; b++) {
    // Another tree is not touched.
    if (joints[b] < 0 && parents[b] >= 0 && joints[parents[b]] >= 0)
      joints[b] = joints[parents[b]] + (bones[b].dof > 0 ? 1 : 0);
    if (joints[b] < 0) continue;
    of[b] = Math.max(of[b], share * Math.max(0, 1 - joints[b] / (spread + 1)));
  }
}

/** Takes `share` back everywhere. @returns whether any is left. */
export function tauten({ of }: Slack, share: number): boolean {
  let left = false;
  for (let b = 0; b < of.length; b++) {
    of[b] = Math.max(0, of[b] - share);
    if (of[b] > 0) left = true;
  }
  return left;
}
