/**
 * Depth of one shape in another, m, beyond which a step no longer holds them apart but lets them part slowly: with a warning, in few parts, without work
 * between figures, and with no push remembered, since pushes from two sides would grow without end. So too connections farther apart than that.
 */
export const OVERLAP = 0.01;
