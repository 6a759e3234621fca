import type { Station } from './loft.js';

export const SKIN_COLOR = '#a9b7c6';
export const JOINT_COLOR = '#66788c';

/** A smooth solid of a bone, in the bone frame, in fractions of stature. */
export interface Part {
  readonly stations: readonly Station[];
  /** Direction of half-width `a`. */
  readonly side: readonly [number, number, number];
  readonly squareness?: number;
  /** Depth of the rounded ends over the narrower half-width. */
  readonly caps?: readonly [number, number];
}

/** A ball at a joint, in the frame of the bone that starts there. */
export interface Ball {
  readonly at: readonly [number, number, number];
  readonly radius: number;
}

export interface BoneShape {
  readonly parts?: readonly Part[];
  readonly balls?: readonly Ball[];
  /** Solids in the darker tone of the joints. */
  readonly dark?: readonly Part[];
}

const X: [number, number, number] = [1, 0, 0];
const Z: [number, number, number] = [0, 0, 1];

/** Stations along y: [y, a, b, z of the centre]. */
function alongY(...rows: [y: number, a: number, b: number, z?: number, x?: number][]): Station[] {
  return rows.map(([y, a, b, z = 0, x = 0]) => ({ at: [x, y, z], a, b }));
}

/** Stations along x: [x, a (along z), b (along y), z, y of the centre]. */
function alongX(...rows: [x: number, a: number, b: number, z?: number, y?: number][]): Station[] {
  return rows.map(([x, a, b, z = 0, y = 0]) => ({ at: [x, y, z], a, b }));
}

/** Stations along z: [z, a (along x), b (along y), y of the centre]. */
function alongZ(...rows: [z: number, a: number, b: number, y?: number][]): Station[] {
  return rows.map(([z, a, b, y = 0]) => ({ at: [0, y, z], a, b }));
}

const MIDDLE: Readonly<Record<string, BoneShape>> = {
  hips: {
    parts: [
      {
        stations: alongY(
          [-0.03, 0.046, 0.048, -0.008],
          [-0.006, 0.074, 0.06, -0.008],
          [0.026, 0.081, 0.06, -0.006],
          [0.054, 0.075, 0.054, -0.003],
        ),
        side: X,
        squareness: 2.3,
        caps: [0.9, 0.4],
      },
    ],
  },
  spine: {
    dark: [
      {
        stations: alongY(
          [-0.02, 0.06, 0.045, -0.002],
          [0.05, 0.0585, 0.046, 0.001],
          [0.13, 0.064, 0.05, 0.002],
        ),
        side: X,
        squareness: 2.2,
        caps: [0.6, 0.4],
      },
    ],
  },
  chest: {
    parts: [
      {
        stations: alongY(
          [-0.032, 0.066, 0.052, 0.002],
          [-0.014, 0.074, 0.058, 0.003],
          [0.02, 0.08, 0.063, 0.003],
          [0.06, 0.087, 0.066, 0.002],
          [0.085, 0.08, 0.06, 0],
        ),
        side: X,
        squareness: 2.3,
        caps: [0.25, 0.3],
      },
    ],
  },
  upperChest: {
    parts: [
      {
        stations: alongY(
          [-0.03, 0.078, 0.058, 0.002],
          [-0.006, 0.0868, 0.0658, 0.002],
          [0.02, 0.085, 0.063, -0.001],
          [0.042, 0.066, 0.052, -0.006],
          [0.057, 0.042, 0.041, -0.009],
        ),
        side: X,
        squareness: 2.3,
        caps: [0.3, 0.4],
      },
    ],
  },
  neck: {
    dark: [{ stations: alongY([-0.008, 0.03, 0.032, -0.006], [0.05, 0.0275, 0.03, 0.003]), side: X }],
  },
  head: {
    parts: [
      {
        stations: alongY(
          [-0.025, 0.0195, 0.0225, 0.0265],
          [-0.013, 0.028, 0.035, 0.021],
          [0.008, 0.0375, 0.0475, 0.012],
          [0.034, 0.043, 0.0555, 0.006],
          [0.052, 0.0385, 0.049, 0.003],
        ),
        side: X,
        caps: [0.9, 0.95],
      },
      { stations: alongY([0.002, 0.0062, 0.0065, 0.059], [0.02, 0.0036, 0.0045, 0.0595]), side: X },
    ],
  },
};

const LEFT: Readonly<Record<string, BoneShape>> = {
  Shoulder: {
    parts: [
      {
        stations: alongX(
          [0.006, 0.03, 0.026, -0.004, -0.002],
          [0.045, 0.035, 0.026, -0.004, -0.006],
          [0.07, 0.033, 0.027, -0.002, -0.008],
        ),
        side: Z,
      },
    ],
  },
  UpperArm: {
    balls: [{ at: [0, 0, 0], radius: 0.0345 }],
    parts: [
      {
        stations: alongX(
          [0.026, 0.03, 0.03],
          [0.06, 0.0305, 0.031],
          [0.105, 0.0265, 0.027],
          [0.138, 0.0225, 0.0225],
        ),
        side: Z,
      },
    ],
  },
  LowerArm: {
    balls: [{ at: [0, 0, 0], radius: 0.0235 }],
    parts: [
      {
        stations: alongX(
          [0.02, 0.022, 0.0215],
          [0.045, 0.0245, 0.0235],
          [0.09, 0.0205, 0.019],
          [0.136, 0.0165, 0.0135],
        ),
        side: Z,
      },
    ],
  },
  Hand: {
    balls: [{ at: [0, 0, 0], radius: 0.0155 }],
    parts: [
      {
        stations: alongX([0.012, 0.0165, 0.0105], [0.03, 0.0225, 0.012], [0.055, 0.0225, 0.0105]),
        side: Z,
        squareness: 2.6,
      },
      {
        stations: alongX(
          [0.06, 0.0215, 0.009, 0, -0.001],
          [0.08, 0.0195, 0.008, 0, -0.003],
          [0.099, 0.015, 0.0065, -0.001, -0.006],
        ),
        side: Z,
        squareness: 2.8,
      },
      {
        stations: [
          { at: [0.018, -0.003, 0.014], a: 0.009, b: 0.009 },
          { at: [0.036, -0.005, 0.027], a: 0.008, b: 0.0078 },
          { at: [0.054, -0.007, 0.034], a: 0.0065, b: 0.0062 },
        ],
        side: [0, 1, 0],
      },
    ],
  },
  UpperLeg: {
    parts: [
      {
        stations: alongY(
          [-0.014, 0.048, 0.052, -0.003, 0.002],
          [-0.06, 0.0485, 0.052, 0.001],
          [-0.13, 0.042, 0.045, 0.003],
          [-0.205, 0.0345, 0.0355, 0.001],
        ),
        side: X,
      },
    ],
  },
  LowerLeg: {
    balls: [{ at: [0, 0, 0.001], radius: 0.0335 }],
    parts: [
      {
        stations: alongY(
          [-0.032, 0.0315, 0.033, -0.002],
          [-0.075, 0.0345, 0.0385, -0.009],
          [-0.14, 0.028, 0.0305, -0.007],
          [-0.225, 0.02, 0.0215, -0.003],
        ),
        side: X,
      },
    ],
  },
  Foot: {
    balls: [{ at: [0, 0, -0.001], radius: 0.0215 }],
    parts: [
      {
        stations: alongZ(
          [-0.016, 0.0205, 0.0175, -0.0205],
          [0.012, 0.022, 0.0195, -0.0185],
          [0.042, 0.025, 0.0155, -0.0225],
          [0.066, 0.027, 0.0115, -0.0265],
        ),
        side: X,
        squareness: 2.5,
      },
    ],
  },
  Toes: {
    parts: [
      {
        stations: alongZ(
          [0.006, 0.0265, 0.0105, -0.001],
          [0.022, 0.0255, 0.0095, -0.002],
          [0.036, 0.0195, 0.0075, -0.004],
        ),
        side: X,
        squareness: 2.5,
      },
    ],
  },
};

/** Shape of a bone of the built-in human; the right side is the left one mirrored in x = 0. */
export function boneShape(name: string): BoneShape {
  if (name.startsWith('left')) return LEFT[name.slice(4)] ?? {};
  if (name.startsWith('right')) return mirrored(LEFT[name.slice(5)] ?? {});
  return MIDDLE[name] ?? {};
}

function mirrored({ parts, balls, dark }: BoneShape): BoneShape {
  const flip = ([x, y, z]: readonly [number, number, number]): [number, number, number] => [-x, y, z];
  const part = ({ stations, ...rest }: Part): Part => ({
    ...rest,
    stations: stations.map((station) => ({ ...station, at: flip(station.at) })),
  });
  return {
    parts: (parts ?? []).map(part),
    dark: (dark ?? []).map(part),
    balls: (balls ?? []).map(({ at, radius }) => ({ at: flip(at), radius })),
  };
}
