// As in ../peers/closed-chain-ik.ts: the package's own entry does not import in Node, its core does.
import { Goal, Joint, Link, Solver } from 'closed-chain-ik/src/core/index.js';
import { packageVersion } from '../peers/peer.js';
import { type Chain, midRange, TIME_LIMIT, TOLERANCE } from './chain.js';
import { type ChainSession, type ChainSolver, quaternionOf } from './solver.js';

/** SOLVE_STATUS.CONVERGED and the DOF that a hinge about its own z has. */
const CONVERGED = 0;
const EZ = 5;

/** closed-chain-ik's damped least squares, called until 5 ms are over; its settings were not searched for this task. */
export function createClosedChain(): ChainSolver {
  return {
    name: 'closed-chain-ik',
    version: packageVersion('closed-chain-ik'),
    settings:
      'DLS, calls of 15 iterations until converged or 5 ms; dampingFactor 0.05, clamps of the error 0.1 (its defaults), divergeThreshold off, restPoseFactor 0, stallThreshold 1e-6',
    rounds: 1,
    create: createSession,
  };
}

function createSession(chain: Chain): ChainSession {
  const root = new Link();
  let link = root;
  const hinges: Joint[] = [];
  for (const { type, origin, axis, lower, upper } of chain.joints) {
    link = still(link, origin.slice(9), quaternionOf(origin));
    if (type === 'fixed') continue;
    // A joint turns about its own z: still joints around it bring the axis there and back.
    const toAxis = fromZ(axis);
    const hinge = new Joint();
    hinge.setQuaternion(...toAxis);
    hinge.setDoF(EZ);
    if (type === 'revolute') {
      // Its angles are single precision: a little inside, so that rounding stays within the limit.
      hinge.setMinLimits(lower + 1e-6);
      hinge.setMaxLimits(upper - 1e-6);
    }
    link.addChild(hinge);
    const rotated = new Link();
    hinge.addChild(rotated);
    hinges.push(hinge);
    link = still(rotated, [0, 0, 0], [-toAxis[0], -toAxis[1], -toAxis[2], toAxis[3]]);
  }
  const goal = new Goal();
  goal.makeClosure(link);
  const solver = new Solver(root);
  solver.maxIterations = 15;
  solver.dampingFactor = 0.05;
  solver.divergeThreshold = Infinity;
  solver.restPoseFactor = 0;
  solver.stallThreshold = 1e-6;
  // Single precision here too: half of the tolerance, so that its "converged" is true.
  solver.translationConvergeThreshold = TOLERANCE / 2;
  solver.rotationConvergeThreshold = TOLERANCE / 2;
  const start = midRange(chain);
  return {
    prepare(target) {
      hinges.forEach((joint, k) => {
        joint.setDoFValues(start[k]);
      });
      goal.setPosition(target[9], target[10], target[11]);
      goal.setQuaternion(...quaternionOf(target));
      goal.updateMatrixWorld();
    },
    run() {
      const end = performance.now() + TIME_LIMIT;
      try {
        do {
          if (solver.solve().every((status) => status === CONVERGED)) return;
        } while (performance.now() < end);
      } catch {
        // It throws when every degree of freedom is locked at a limit; the judge sees where it stands.
      }
    },
    read: () => hinges.map((joint) => Number(joint.getDoFValue(EZ))),
  };
}

/** A link behind a joint that does not move. */
function still(parent: Link, position: readonly number[], rotation: [number, number, number, number]): Link {
  const joint = new Joint();
  joint.setPosition(position[0], position[1], position[2]);
  joint.setQuaternion(...rotation);
  const link = new Link();
  parent.addChild(joint);
  joint.addChild(link);
  return link;
}

/** The least rotation from z to a unit axis. */
function fromZ([x, y, z]: readonly [number, number, number]): [number, number, number, number] {
  if (z < -1 + 1e-12) return [1, 0, 0, 0];
  const n = Math.hypot(-y, x, 1 + z);
  return [-y / n, x / n, 0, (1 + z) / n];
}
