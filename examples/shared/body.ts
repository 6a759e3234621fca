/** The shape of the mannequin: tubes over sections, for a stature of 1.75 m, in the T-pose of `createHumanFigure`. */

/** A section of a tube: an ellipse about a point, and its bone weights. */
export interface Section {
  /** In the world at rest, m. */
  readonly at: readonly [number, number, number];
  /** Half-widths along the tube's side axis and perpendicular to it, m. */
  readonly a: number;
  readonly b: number;
  readonly weights: Readonly<Record<string, number>>;
}

export interface Tube {
  readonly sections: readonly Section[];
  /** Direction of half-width `a`. */
  readonly side: readonly [number, number, number];
  readonly color: string;
  /** Depth of the rounded ends over the narrower half-width. Default 0.8. */
  readonly caps?: readonly [number, number];
}

const SKIN = '#c3ccd6';
const SHIRT = '#8fa2b7';
const TROUSERS = '#66778b';
const SHOES = '#4b5a6c';

type Row = [along: number, a: number, b: number, weights: Record<string, number>, y?: number, z?: number];

const ARM: Row[] = [
  [0.115, 0.05, 0.047, { upperChest: 0.6, Shoulder: 0.4 }],
  [0.15, 0.057, 0.052, { Shoulder: 0.75, UpperArm: 0.25 }],
  [0.185, 0.056, 0.053, { Shoulder: 0.3, UpperArm: 0.7 }],
  [0.23, 0.052, 0.052, { UpperArm: 1 }],
  [0.3, 0.047, 0.048, { UpperArm: 1 }],
  [0.38, 0.041, 0.041, { UpperArm: 1 }],
];

const FOREARM: Row[] = [
  [0.375, 0.041, 0.041, { UpperArm: 1 }],
  [0.425, 0.039, 0.038, { UpperArm: 0.85, LowerArm: 0.15 }],
  [0.458, 0.038, 0.037, { UpperArm: 0.5, LowerArm: 0.5 }],
  [0.495, 0.04, 0.038, { UpperArm: 0.12, LowerArm: 0.88 }],
  [0.55, 0.041, 0.038, { LowerArm: 1 }],
  [0.62, 0.035, 0.031, { LowerArm: 0.88, Hand: 0.12 }],
  [0.68, 0.029, 0.024, { LowerArm: 0.7, Hand: 0.3 }],
  [0.72, 0.026, 0.02, { LowerArm: 0.42, Hand: 0.58 }],
  [0.755, 0.031, 0.019, { Hand: 1 }],
  [0.8, 0.04, 0.019, { Hand: 1 }],
  [0.845, 0.038, 0.016, { Hand: 1 }, -0.003],
  [0.885, 0.032, 0.013, { Hand: 1 }, -0.008],
  [0.908, 0.024, 0.01, { Hand: 1 }, -0.012],
];

const THUMB: Row[] = [
  [0.765, 0.014, 0.014, { Hand: 1 }, -0.006, 0.024],
  [0.795, 0.0135, 0.0125, { Hand: 1 }, -0.01, 0.048],
  [0.825, 0.011, 0.01, { Hand: 1 }, -0.014, 0.06],
];

const LEG: Row[] = [
  [0.985, 0.072, 0.09, { hips: 1 }, 0.074, -0.004],
  [0.935, 0.083, 0.096, { hips: 0.75, UpperLeg: 0.25 }, 0.079, -0.004],
  [0.88, 0.086, 0.094, { hips: 0.3, UpperLeg: 0.7 }, 0.082, 0],
  [0.82, 0.083, 0.089, { UpperLeg: 1 }, 0.082, 0.002],
  [0.7, 0.073, 0.078, { UpperLeg: 1 }, 0.081, 0.004],
  [0.58, 0.061, 0.064, { UpperLeg: 0.92, LowerLeg: 0.08 }, 0.08, 0.003],
  [0.511, 0.056, 0.058, { UpperLeg: 0.5, LowerLeg: 0.5 }, 0.08, 0.002],
  [0.45, 0.054, 0.059, { UpperLeg: 0.08, LowerLeg: 0.92 }, 0.08, -0.006],
  [0.37, 0.055, 0.063, { LowerLeg: 1 }, 0.08, -0.014],
  [0.27, 0.047, 0.051, { LowerLeg: 1 }, 0.08, -0.012],
  [0.17, 0.039, 0.041, { LowerLeg: 1 }, 0.08, -0.007],
  [0.105, 0.038, 0.041, { LowerLeg: 0.85, Foot: 0.15 }, 0.08, -0.004],
  [0.085, 0.039, 0.043, { LowerLeg: 0.6, Foot: 0.4 }, 0.08, -0.003],
];

const FOOT: Row[] = [
  [-0.05, 0.031, 0.031, { Foot: 1 }, 0.037],
  [-0.015, 0.037, 0.044, { Foot: 1 }, 0.05],
  [0.03, 0.039, 0.043, { Foot: 1 }, 0.046],
  [0.08, 0.043, 0.032, { Foot: 0.95, Toes: 0.05 }, 0.034],
  [0.115, 0.046, 0.025, { Foot: 0.7, Toes: 0.3 }, 0.026],
  [0.14, 0.046, 0.021, { Foot: 0.3, Toes: 0.7 }, 0.022],
  [0.175, 0.042, 0.018, { Toes: 1 }, 0.019],
  [0.2, 0.033, 0.014, { Toes: 1 }, 0.015],
];

const TORSO: Row[] = [
  [1.0, 0.14, 0.1, { hips: 1 }, 0, -0.004],
  [1.04, 0.135, 0.096, { hips: 0.7, spine: 0.3 }, 0, -0.002],
  [1.1, 0.128, 0.09, { hips: 0.2, spine: 0.8 }, 0, 0.001],
  [1.18, 0.128, 0.09, { spine: 0.9, chest: 0.1 }, 0, 0.002],
  [1.26, 0.139, 0.099, { spine: 0.55, chest: 0.45 }, 0, 0.003],
  [1.33, 0.151, 0.108, { chest: 0.8, upperChest: 0.2 }, 0, 0.004],
  [1.4, 0.157, 0.108, { chest: 0.4, upperChest: 0.6 }, 0, 0.001],
  [1.445, 0.142, 0.096, { upperChest: 1 }, 0, -0.004],
  [1.48, 0.105, 0.079, { upperChest: 1 }, 0, -0.009],
  [1.505, 0.073, 0.066, { upperChest: 0.85, neck: 0.15 }, 0, -0.011],
];

const BELT: Row[] = [
  [0.95, 0.134, 0.1, { hips: 1 }, 0, -0.007],
  [0.98, 0.146, 0.106, { hips: 1 }, 0, -0.006],
  [1.01, 0.139, 0.1, { hips: 1 }, 0, -0.004],
];

const NECK: Row[] = [
  [1.495, 0.058, 0.06, { upperChest: 0.7, neck: 0.3 }, 0, -0.01],
  [1.535, 0.051, 0.055, { neck: 1 }, 0, -0.005],
  [1.575, 0.049, 0.053, { neck: 0.6, head: 0.4 }, 0, 0.002],
  [1.615, 0.048, 0.052, { head: 1 }, 0, 0.01],
];

const HEAD: Row[] = [
  [1.566, 0.042, 0.05, { head: 1 }, 0, 0.036],
  [1.585, 0.054, 0.069, { head: 1 }, 0, 0.029],
  [1.615, 0.065, 0.085, { head: 1 }, 0, 0.02],
  [1.65, 0.072, 0.094, { head: 1 }, 0, 0.013],
  [1.683, 0.073, 0.094, { head: 1 }, 0, 0.009],
  [1.708, 0.067, 0.084, { head: 1 }, 0, 0.006],
];

const NOSE: Row[] = [
  [1.612, 0.0105, 0.013, { head: 1 }, 0, 0.102],
  [1.63, 0.008, 0.012, { head: 1 }, 0, 0.102],
  [1.65, 0.006, 0.009, { head: 1 }, 0, 0.1],
];

const EAR: Row[] = [
  [1.622, 0.008, 0.014, { head: 1 }, 0.071, 0.005],
  [1.64, 0.01, 0.019, { head: 1 }, 0.074, 0.004],
  [1.658, 0.008, 0.016, { head: 1 }, 0.074, 0.002],
];

/** Along y: [y, a, b, weights, x, z]. */
const alongY = (rows: readonly Row[]): Section[] =>
  rows.map(([y, a, b, weights, x = 0, z = 0]) => ({ at: [x, y, z], a, b, weights }));

/** Along x, at the height of the arms: [x, a, b, weights, y, z]. */
const alongX = (rows: readonly Row[], height: number): Section[] =>
  rows.map(([x, a, b, weights, y = 0, z = 0]) => ({ at: [x, height + y, z], a, b, weights }));

/** Along z: [z, a, b, weights, y]. */
const alongZ = (rows: readonly Row[], x: number): Section[] =>
  rows.map(([z, a, b, weights, y = 0]) => ({ at: [x, y, z], a, b, weights }));

const X = [1, 0, 0] as const;
const Z = [0, 0, 1] as const;
const MIDDLE = new Set(['hips', 'spine', 'chest', 'upperChest', 'neck', 'head']);

/** The same tube for one side of the body: bones named for it, x mirrored on the right. */
function sided(side: 'left' | 'right', sections: readonly Section[]): Section[] {
  return sections.map(({ at: [x, y, z], weights, ...rest }) => ({
    ...rest,
    at: [side === 'left' ? x : -x, y, z],
    weights: Object.fromEntries(
      Object.entries(weights).map(([bone, weight]) => [MIDDLE.has(bone) ? bone : `${side}${bone}`, weight]),
    ),
  }));
}

const SHOULDERS = 1.432;

export const tubes: readonly Tube[] = [
  { sections: alongY(TORSO), side: X, color: SHIRT, caps: [0.1, 0.2] },
  { sections: alongY(BELT), side: X, color: TROUSERS, caps: [0.03, 0.1] },
  { sections: alongY(NECK), side: X, color: SKIN },
  { sections: alongY(HEAD), side: X, color: SKIN, caps: [0.45, 0.85] },
  { sections: alongY(NOSE), side: X, color: SKIN },
  ...(['left', 'right'] as const).flatMap((side): Tube[] => [
    { sections: sided(side, alongX(ARM, SHOULDERS)), side: Z, color: SHIRT },
    { sections: sided(side, alongX(FOREARM, SHOULDERS)), side: Z, color: SKIN },
    { sections: sided(side, alongX(THUMB, SHOULDERS)), side: Z, color: SKIN },
    { sections: sided(side, alongY(EAR)), side: X, color: SKIN },
    { sections: sided(side, alongY(LEG)), side: X, color: TROUSERS },
    { sections: sided(side, alongZ(FOOT, 0.08)), side: X, color: SHOES },
  ]),
];
