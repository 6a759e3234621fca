import type { Session } from './session.js';

/** A pose as a file: the whole vector, and the same by bone for people. */
export interface PoseFile {
  readonly figure: 'human';
  /** m */
  readonly height: number;
  readonly status: string;
  /** All coordinates: a pose of `humanFigure({ height })`. Radians and metres. */
  readonly coordinates: readonly number[];
  /** The same, bone by bone. */
  readonly bones: Readonly<Record<string, readonly number[]>>;
  /** World positions of what is pinned, m. */
  readonly pins: Readonly<Record<string, readonly number[]>>;
}

export function poseFile(session: Session): PoseFile {
  const { figure, pose, height, pins, result } = session;
  return {
    figure: 'human',
    height,
    status: result?.status ?? 'idle',
    coordinates: Array.from(pose),
    bones: Object.fromEntries(
      figure.bones.flatMap(({ name, coordinate, dof }) =>
        dof === 0 ? [] : [[name, Array.from(pose.subarray(coordinate, coordinate + dof))]],
      ),
    ),
    pins: Object.fromEntries([...pins].map(([id, { target }]) => [id, [...target]])),
  };
}
