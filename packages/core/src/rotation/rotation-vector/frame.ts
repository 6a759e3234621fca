import { DomainError } from '../../errors.js';

/**
 * The axes that an angular velocity is written in.
 *
 * `world`: the fixed (outer, parent) axes, R' = [w] R. `body`: the turning (inner, child) axes, R' = R [w].
 * w_world = R w_body. The paper's Appendix B mixes the two (docs/errata.md, erratum 1), so here the caller always names one.
 */
export type RotationFrame = 'world' | 'body';

/** +1 for `world`, -1 for `body`: the sign of [v] in J_l = I + B [v] + C [v]^2 against J_r. */
export function frameSign(frame: RotationFrame, path: string): 1 | -1 {
  if (frame === 'world') return 1;
  if (frame === 'body') return -1;
  throw new DomainError('out-of-range', `'${String(frame)}' is no frame.`, {
    path,
    remedy: "Say 'world' (fixed axes) or 'body' (turning axes).",
  });
}
