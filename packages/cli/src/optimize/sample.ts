/** A motion as numbers for plots and pictures. */
import { createState, forwardKinematics } from 'poise/figure';
import { rigid, type Vec3 } from 'poise/math';
import { type SpacetimeProblem, sampleTrajectory, type Trajectory } from 'poise/spacetime';

/** A moment of a motion. */
export interface Frame {
  /** s */
  readonly time: number;
  /** Origin and tip (the origin again where there is none) of each bone, world, m. */
  readonly origins: readonly Vec3[];
  readonly tips: readonly Vec3[];
  /** Joint forces against nu, N m and N. */
  readonly torques: Float64Array;
  /** Each point of each contact, world, m, and what pushes it there, N; zero where it does not touch. */
  readonly points: readonly Vec3[];
  readonly forces: readonly Vec3[];
}

/** Frames at even moments, both ends among them. */
export function sampleFrames({ problem, ...rest }: Trajectory, count: number): Frame[] {
  const trajectory = { problem, ...rest };
  const state = createState(problem.figure);
  const carried = contactPoints(problem);
  return Array.from({ length: count }, (_, k) => {
    const time = (trajectory.duration * k) / (count - 1);
    const { pose, torques, forces } = sampleTrajectory(trajectory, time);
    forwardKinematics(state, pose);
    const place = (bone: number, point: Vec3): Vec3 =>
      rigid.transformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
    return {
      time,
      origins: problem.figure.bones.map(({ index }) => place(index, [0, 0, 0])),
      tips: problem.figure.bones.map(({ index, tip }) => place(index, tip ?? [0, 0, 0])),
      torques,
      points: carried.map(({ bone, point }) => place(bone, point)),
      forces: carried.map((_, c) => [forces[3 * c], forces[3 * c + 1], forces[3 * c + 2]]),
    };
  });
}

function contactPoints({ contacts }: SpacetimeProblem): { readonly bone: number; readonly point: Vec3 }[] {
  return contacts.flatMap(({ bone, points }) => points.map((point) => ({ bone, point })));
}
