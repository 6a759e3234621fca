import { createFigure, createPose, type FigureData } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { quaternionFromVector } from '../check.js';
import type { JointSpec, ProblemSet, TargetPose } from '../problems.js';
import { type Peer, packageVersion, type Session } from './peer.js';

/** Poise with its defaults: no option is set for any problem set. */
export function createPoise(): Peer {
  return {
    name: 'poise',
    version: packageVersion('poise'),
    role: 'subject',
    settings: 'defaults; goal tolerances of the problem',
    create: createSession,
  };
}

export function figureData(set: ProblemSet): FigureData {
  const name = (joint: JointSpec | undefined): string | null => joint?.name ?? null;
  return {
    name: set.id,
    bones: set.model.joints.map((joint) => {
      const rest = {
        position: joint.pos,
        rotation: [joint.quat[1], joint.quat[2], joint.quat[3], joint.quat[0]] as const,
      };
      const base = { name: joint.name, parent: name(set.model.joints[joint.parent]), rest };
      if (joint.type === 'hinge') {
        return {
          ...base,
          joint: { type: 'hinge' as const, axis: joint.axis },
          limit: { type: 'interval' as const, min: joint.lo, max: joint.hi },
        };
      }
      const ball = { ...base, joint: { type: 'ball' as const } };
      return set.limited ? { ...ball, limit: { type: 'angle' as const, max: joint.theta } } : ball;
    }),
  };
}

function createSession(set: ProblemSet): Session {
  const figure = createFigure(figureData(set));
  const { joints, effectors } = set.model;
  const bone = joints.map((joint) => figure.bones.findIndex((b) => b.name === joint.name));
  const coordinate = bone.map((index) => figure.coordinateStart[index]);
  const positions = effectors.map(() => [0, 0, 0] as [number, number, number]);
  const rotations = effectors.map(() => [0, 0, 0, 1] as [number, number, number, number]);
  const goals: Goal[] = effectors.flatMap((effector, e) => {
    const name = joints[effector.joint].name;
    const position: Goal = {
      type: 'position',
      bone: name,
      point: effector.pos,
      target: positions[e],
      tolerance: set.tolerance.position,
    };
    if (set.kind === 'position') return [position];
    const offset = [effector.quat[1], effector.quat[2], effector.quat[3], effector.quat[0]] as const;
    const orientation: Goal = {
      type: 'orientation',
      bone: name,
      target: rotations[e],
      offset,
      tolerance: set.tolerance.angle,
    };
    return [position, orientation];
  });
  const ik = createIk(figure, goals);
  const pose = createPose(figure);
  // Hinges start at mid-range, balls at identity.
  const start = createPose(figure);
  joints.forEach((joint, j) => {
    if (joint.type === 'hinge') start[coordinate[j]] = (joint.lo + joint.hi) / 2;
  });

  return {
    prepare(target: readonly TargetPose[]) {
      pose.set(start);
      target.forEach(({ p, q }, e) => {
        const position = positions[e];
        for (let k = 0; k < 3; k++) position[k] = p[k];
        const rotation = rotations[e];
        for (let k = 0; k < 4; k++) rotation[k] = q[(k + 1) % 4];
      });
    },
    run() {
      solveIk(ik, pose);
    },
    read() {
      const values = new Float64Array(4 * joints.length);
      joints.forEach((joint, j) => {
        const c = coordinate[j];
        if (joint.type === 'hinge') values[4 * j] = pose[c];
        else values.set(quaternionFromVector(pose[c], pose[c + 1], pose[c + 2]), 4 * j);
      });
      return { values };
    },
  };
}
