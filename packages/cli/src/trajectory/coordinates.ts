/** Names and units of the coordinates of a figure, as a controller reads them. */
import type { Bone, Figure } from 'poise/figure';

/** A coordinate of a pose, and the coordinate of the joint velocity that belongs to it. */
export interface CoordinateInfo {
  /** Name of its joint, and of the coordinate within it where there are several: `elbow`, `hips.rx`. */
  readonly name: string;
  /** Name of the velocity, the acceleration and the joint force: `hips.wx` where the velocity is no rate of the coordinate. */
  readonly velocityName: string;
  readonly bone: string;
  /** Of the coordinate: an angle or a length. */
  readonly unit: 'rad' | 'm';
}

/**
 * The coordinates of a pose in order.
 *
 * @param jointNames - By bone index: names of the joints, for a robot. Default: the bone's.
 */
export function coordinatesOf(
  figure: Figure,
  jointNames: ReadonlyMap<number, string> = new Map(),
): CoordinateInfo[] {
  return figure.bones
    .filter(({ dof, mimic }) => dof > 0 && mimic === undefined)
    .flatMap((bone) => {
      const joint = jointNames.get(bone.index) ?? bone.name;
      return coordinatesOfJoint(bone).map(([own, velocity, unit]) => ({
        name: `${joint}${own && `.${own}`}`,
        velocityName: `${joint}${velocity && `.${velocity}`}`,
        bone: bone.name,
        unit,
      }));
    });
}

type JointCoordinate = readonly [name: string, velocity: string, unit: 'rad' | 'm'];

const POSITION: readonly JointCoordinate[] = ['x', 'y', 'z'].map((k) => [k, k, 'm'] as const);
/** Rotation vector, and angular velocity in the bone frame. */
const ROTATION: readonly JointCoordinate[] = ['x', 'y', 'z'].map((k) => [`r${k}`, `w${k}`, 'rad'] as const);

function coordinatesOfJoint({ joint: { type }, dof }: Bone): readonly JointCoordinate[] {
  switch (type) {
    case 'free':
      return [...POSITION, ...ROTATION];
    case 'ball':
      return ROTATION;
    case 'slider':
      return [['', '', 'm']];
    case 'hinge':
      return [['', '', 'rad']];
    default:
      return angles(
        type === 'euler' ? ['angle1', 'angle2', 'angle3'] : ['swing1', 'swing2', 'twist'].slice(0, dof),
      );
  }
}

function angles(names: readonly string[]): JointCoordinate[] {
  return names.map((name) => [name, name, 'rad']);
}
