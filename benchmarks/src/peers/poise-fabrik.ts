import { createFigure, createPose } from 'poise/figure';
import { createFabrik, type PositionGoal, solveFabrik } from 'poise/ik';
import { quaternionFromVector } from '../check.js';
import type { ProblemSet, TargetPose } from '../problems.js';
import { type Peer, packageVersion, type Session } from './peer.js';
import { figureData } from './poise.js';

/** Poise's FABRIK with its defaults, beside Poise's own solver: position sets only. */
export function createPoiseFabrik(): Peer {
  return {
    name: 'poise fabrik',
    version: packageVersion('poise'),
    role: 'reference',
    settings: 'solveFabrik, defaults; goal tolerances of the problem',
    create: (set) => (set.kind === 'position' ? createSession(set) : null),
  };
}

function createSession(set: ProblemSet): Session {
  const figure = createFigure(figureData(set));
  const { joints, effectors } = set.model;
  const coordinate = joints.map((joint) => {
    const bone = figure.bones.findIndex(({ name }) => name === joint.name);
    return figure.coordinateStart[bone];
  });
  const targets = effectors.map(() => new Float64Array(3));
  const goals = effectors.map(
    (effector, e): PositionGoal => ({
      type: 'position',
      bone: joints[effector.joint].name,
      point: effector.pos,
      target: targets[e],
      tolerance: set.tolerance.position,
    }),
  );
  const fabrik = createFabrik(figure, goals);
  const pose = createPose(figure);
  // Hinges start at mid-range, balls at identity.
  const start = createPose(figure);
  joints.forEach((joint, j) => {
    if (joint.type === 'hinge') start[coordinate[j]] = (joint.lo + joint.hi) / 2;
  });
  return {
    prepare(target: readonly TargetPose[]) {
      pose.set(start);
      target.forEach(({ p }, e) => {
        targets[e].set(p);
      });
    },
    run() {
      solveFabrik(fabrik, pose);
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
