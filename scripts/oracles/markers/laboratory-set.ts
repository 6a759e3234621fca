/** A marker as laboratories stick them on: name, bone of the built-in human of 1.75 m, place in the bone's frame, m, off the skin by a little. */
export type MarkerPlace = readonly [
  name: string,
  bone: string,
  point: readonly [x: number, y: number, z: number],
];

const CENTRAL: readonly MarkerPlace[] = [
  ['LASI', 'hips', [0.12, 0.06, 0.1]],
  ['RASI', 'hips', [-0.12, 0.06, 0.1]],
  ['SACR', 'hips', [0, 0.07, -0.1]],
  ['T12', 'spine', [0, 0.12, -0.1]],
  ['LRIB', 'spine', [0.14, 0.06, 0.04]],
  ['XIPH', 'chest', [0, 0.04, 0.12]],
  ['RT8', 'chest', [-0.1, 0.05, -0.1]],
  ['C7', 'upperChest', [0, 0.1, -0.06]],
  ['CLAV', 'upperChest', [0, 0.06, 0.09]],
  ['NECK', 'neck', [0.06, 0.05, 0]],
  ['LFHD', 'head', [0.07, 0.12, 0.08]],
  ['RFHD', 'head', [-0.07, 0.12, 0.08]],
  ['BHD', 'head', [0, 0.12, -0.1]],
];

/** Of the left side; x turns round on the right. */
const LATERAL: readonly MarkerPlace[] = [
  ['ACR', 'Shoulder', [0.14, 0.04, -0.01]],
  ['ELB', 'UpperArm', [0.27, 0, -0.04]],
  ['WRI', 'LowerArm', [0.25, 0, 0.03]],
  ['IDX', 'Hand', [0.09, 0.015, 0.03]],
  ['PNK', 'Hand', [0.08, 0.015, -0.035]],
  ['KNE', 'UpperLeg', [0.06, -0.38, 0]],
  ['SHK', 'LowerLeg', [0.05, -0.3, 0.04]],
  ['MT5', 'Foot', [0.05, -0.05, 0.08]],
  ['TOE', 'Toes', [0, 0, 0.06]],
];

/** 31 markers, at least one on each of the 22 bones, so that every direction of the pose is seen while none is missing. */
export const laboratorySet: readonly MarkerPlace[] = [
  ...CENTRAL,
  ...(['left', 'right'] as const).flatMap((side) =>
    LATERAL.map(
      ([name, bone, [x, y, z]]): MarkerPlace => [
        `${side === 'left' ? 'L' : 'R'}${name}`,
        `${side}${bone}`,
        [side === 'left' ? x : -x, y, z],
      ],
    ),
  ),
];
