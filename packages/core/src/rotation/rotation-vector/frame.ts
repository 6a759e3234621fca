import { DomainError } from '../../errors.js';

/**
 * The frame in which an angular velocity is expressed.
 *
 * `world`: the fixed (outer, parent) axes, R' = [w] R. `body`: the rotating (inner, child) axes, R' = R [w].
 * w_world = R w_body. Always explicit, since the paper's Appendix B mixes the two (docs/errata.md, erratum 1).
 */
export type RotationFrame = 'world' | 'body';

/** +1 for `world`, -1 for `body`: the sign of [v] in J_l = I + B [v] + C [v]^2 against J_r. */
export function frameSign(frame: RotationFrame, path: string): 1 | -1 {
  if (frame === 'world') return 1;
  if (frame === 'body') return -1;
  throw new DomainError('out-of-range', `'${String(frame)}' is not a frame.`, {
    path,
    remedy: "Use 'world' (fixed axes) or 'body' (rotating axes).",
  });
}
