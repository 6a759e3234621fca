/**
 * Length of a rotation vector from which on clips write it anew, within pi: tangents across it are stretched by 3.4 there, and without
 * bound at 2 pi. A limb never gets so far; a body that walks round does.
 */
export const FARTHEST: number = 1.5 * Math.PI;
