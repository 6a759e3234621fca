/** Samples of a motion for plots and pictures. */
import { createState, forwardKinematics } from 'poise/figure';
import { rigid, type Vec3 } from 'poise/math';
import { type SpacetimeProblem, sampleTrajectory, type Trajectory } from 'poise/spacetime';

/** Sample of a motion at a time. */
export interface Frame {
  /** s */
  readonly time: number;
  /** Origin and tip (the origin again where there is none) of each bone, world, m. */
  readonly origins: readonly Vec3[];
  readonly tips: readonly Vec3[];
  /** Joint forces by velocity coordinate, N m and N. */
  readonly torques: Float64Array;
  /** Each point of each contact, world, m, and its contact force, N; zero outside contact. */
  readonly points: readonly Vec3[];
  readonly forces: readonly Vec3[];
}

/** Frames at equidistant times, both ends included. */
export function sampleFrames({ problem, ...rest }: Trajectory, count: number): Frame[] {
  const trajectory = { problem, ...rest };
  const state = createState(problem.figure);
  const contactList = contactPoints(problem);
  return Array.from({ length: count }, (_, k) => {
    const time = (trajectory.duration * k) / (count - 1);
    const { pose, torques, forces } = sampleTrajectory(trajectory, time);
    forwardKinematics(state, pose);
    const worldPosition = (bone: number, point: Vec3): Vec3 =>
      rigid.transformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
    return {
      time,
      origins: problem.figure.bones.map(({ index }) => worldPosition(index, [0, 0, 0])),
      tips: problem.figure.bones.map(({ index, tip }) => worldPosition(index, tip ?? [0, 0, 0])),
      torques,
      points: contactList.map(({ bone, point }) => worldPosition(bone, point)),
      forces: contactList.map((_, c) => [forces[3 * c], forces[3 * c + 1], forces[3 * c + 2]]),
    };
  });
}

function contactPoints({ contacts }: SpacetimeProblem): { readonly bone: number; readonly point: Vec3 }[] {
  return contacts.flatMap(({ bone, points }) => points.map((point) => ({ bone, point })));
}
