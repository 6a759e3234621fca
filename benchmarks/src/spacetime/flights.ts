/** A second of flight, solved with as many knot intervals as are asked for: that of the core's physics tests, written again. */
import { type BoneData, boneIndex, createFigure, type Figure } from 'poise/figure';
import { createMotion, linearCurve } from 'poise/motion';
import type { SpacetimeData, SpacetimeTerm } from 'poise/spacetime';

/** A rod of a mass along y from its joint, m and kg. */
function rod(mass: number, length: number, radius: number): Partial<BoneData> {
  const across = (mass * (3 * radius * radius + length * length)) / 12;
  return {
    mass,
    centerOfMass: [0, length / 2, 0],
    inertia: [across, (mass * radius * radius) / 2, across, 0, 0, 0],
    tip: [0, length, 0],
  };
}

const DOWN: [number, number, number, number] = [1, 0, 0, 0];

function side(name: string, x: number): BoneData[] {
  return [
    {
      name: `${name}Thigh`,
      parent: 'pelvis',
      rest: { position: [x, -0.05, 0], rotation: DOWN },
      joint: { type: 'swing', axis: [0, 1, 0] },
      ...rod(3.5, 0.36, 0.06),
    },
    {
      name: `${name}Shin`,
      parent: `${name}Thigh`,
      rest: { position: [0, 0.36, 0] },
      joint: { type: 'hinge', axis: [1, 0, 0] },
      ...rod(2, 0.4, 0.045),
    },
    {
      name: `${name}Arm`,
      parent: 'chest',
      rest: { position: [2 * x, 0.3, 0], rotation: DOWN },
      joint: x > 0 ? { type: 'ball' } : { type: 'swing', axis: [0, 1, 0] },
      ...rod(1.2, 0.5, 0.035),
    },
  ];
}

/** A small human of 30 kg that nothing holds, 19 coordinates with those of its root. */
export function acrobat(): Figure {
  return createFigure({
    name: 'acrobat',
    bones: [
      {
        name: 'pelvis',
        joint: { type: 'free' },
        mass: 5,
        centerOfMass: [0, 0.02, 0],
        inertia: [0.04, 0.05, 0.03, 0, 0, 0],
      },
      {
        name: 'chest',
        parent: 'pelvis',
        rest: { position: [0, 0.1, 0] },
        joint: { type: 'ball' },
        ...rod(11.6, 0.45, 0.13),
      },
      ...side('left', 0.1),
      ...side('right', -0.1),
    ],
  });
}

function poseOf(figure: Figure, values: Readonly<Record<string, readonly number[]>>): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const [name, numbers] of Object.entries(values)) {
    pose.set(numbers, figure.bones[boneIndex(figure, name)].coordinate);
  }
  return pose;
}

const WISHES: readonly SpacetimeTerm[] = [
  { type: 'pose', at: 0 },
  { type: 'pose', at: 1 },
  { type: 'effort', weight: 1e-3 },
  { type: 'smoothness', weight: 1e-3 },
];

/** A somersault of 3.6 rad with a twist, from tucked to open, in a second; without `physics` only the wishes and the two poses. */
export function somersault(figure: Figure, intervals: number, physics: boolean): SpacetimeData {
  const tucked = poseOf(figure, {
    pelvis: [0, 1, 0, 0, 0, 0],
    chest: [0.3, 0.2, 0],
    leftThigh: [0.3, 0.1],
    rightThigh: [0.3, 0.1],
    leftShin: [-0.4],
    rightShin: [-0.4],
    leftArm: [2.2, 0.3, 0.2],
    rightArm: [1.9, -0.4],
  });
  const open = poseOf(figure, {
    pelvis: [0.1, 0.9, 0.4, -3.6, 0.2, 0],
    chest: [-0.1, -0.3, 0.1],
    leftThigh: [0.9, 0],
    rightThigh: [0.2, -0.2],
    leftShin: [-1.2],
    rightShin: [-0.2],
    leftArm: [0.4, 0.2, -0.8],
    rightArm: [0.3, -0.9],
  });
  const reference = createMotion(figure, {
    tracks: [{ coordinate: 0, curve: linearCurve({ times: [0, 1], values: [...tucked, ...open] }) }],
  });
  const terms = physics ? [...WISHES, { type: 'physics' } as const] : WISHES;
  return { duration: 1, intervals, reference, terms };
}
