// The package's own entry pulls in a three of its day and does not import in Node; its core, from the same source
// package, does and is all that is measured.
import { Goal, Joint, Link, Solver } from 'closed-chain-ik/src/core/index.js';
import { ballsOf, type ProblemSet, type TargetPose } from '../problems.js';
import { inscribedEulerBox, type Peer, packageVersion, type Session } from './peer.js';

/** The package's DOF, which its types declare as a const enum that cannot be imported here. */
const DOF = { X: 0, Y: 1, Z: 2, EX: 3, EY: 4, EZ: 5 } as const;
/** SOLVE_STATUS.CONVERGED, likewise. */
const CONVERGED = 0;

export interface ClosedChainSettings {
  /** Iterations in one solve(). A joint that meets a limit is locked until the next solve(). */
  readonly maxIterations: number;
  /** Calls of solve() after which it gives up. */
  readonly maxCalls: number;
  /** dampingFactor as a part of the longest reach of the model. */
  readonly dampingFactor: number;
  /** Largest error of a goal in one step (translationErrorClamp), as a part of the longest reach of the model. */
  readonly errorClamp: number;
  readonly divergeThreshold: number;
  /** 0 skips the null-space product, which is not needed here. */
  readonly restPoseFactor: number;
  readonly stallThreshold: number;
  /** Half-width of the Euler box over that of the inscribed one. */
  readonly box: number;
}

/** Defaults of a new Solver except its five iterations; its lengths are metres, ours fractions of the reach. */
export const CLOSED_CHAIN_DEFAULTS = { divergeThreshold: 0.01, restPoseFactor: 0.01, stallThreshold: 1e-4 };

/** dampingFactor as a part of the reach, where another than 0.05 serves better. */
const DAMPING: Readonly<Record<string, number>> = { chain100: 0.01, body20: 0.01, 'body20-lim': 0.03 };

/**
 * Chosen for each set with tune-peers.ts. Few iterations a call suit limits, since a call frees the joints that the
 * last one locked; divergence checks only stop solves that would come back.
 */
export function closedChainSettings(id: string): ClosedChainSettings {
  return {
    maxIterations: 15,
    maxCalls: 40,
    dampingFactor: DAMPING[id] ?? 0.05,
    errorClamp: 0.2,
    divergeThreshold: Infinity,
    restPoseFactor: 0,
    stallThreshold: 1e-5,
    box: 1,
  };
}

/** closed-chain-ik's damped least squares on Euler joints, called until it says "converged". */
export function createClosedChain(settings: (id: string) => ClosedChainSettings = closedChainSettings): Peer {
  return {
    name: 'closed-chain-ik',
    version: packageVersion('closed-chain-ik'),
    role: 'peer',
    settings:
      `DLS; up to 40 calls of 15 iterations; dampingFactor 0.05 of the reach, by set: ${JSON.stringify(DAMPING)}; ` +
      'translationErrorClamp 0.2 of the reach; ' +
      'divergeThreshold off; restPoseFactor 0; stallThreshold 1e-5; limits: inscribed Euler box',
    create: (set) => createSession(set, settings(set.id)),
  };
}

/** Length of the longest path from a root to an effector, m. */
function longestReach(set: ProblemSet): number {
  const { joints, effectors } = set.model;
  const to = (j: number): number =>
    joints[j].parent < 0 ? 0 : to(joints[j].parent) + Math.hypot(...joints[j].pos);
  return Math.max(...effectors.map((effector) => to(effector.joint) + Math.hypot(...effector.pos)));
}

function createSession(set: ProblemSet, settings: ClosedChainSettings): Session | null {
  const specs = ballsOf(set);
  if (!specs) return null;
  const { effectors } = set.model;

  const root = new Link();
  const joints: Joint[] = [];
  const links: Link[] = [];
  specs.forEach((spec) => {
    const joint = new Joint();
    joint.setDoF(DOF.EX, DOF.EY, DOF.EZ);
    joint.setPosition(...spec.pos);
    joint.setQuaternion(spec.quat[1], spec.quat[2], spec.quat[3], spec.quat[0]);
    if (set.limited) {
      // Its values are single precision: 1e-6 inside, so that rounding at a corner stays within the limit.
      const a = settings.box * inscribedEulerBox(spec.theta) - 1e-6;
      joint.setMinLimits(-a, -a, -a);
      joint.setMaxLimits(a, a, a);
    }
    const link = new Link();
    (spec.parent < 0 ? root : links[spec.parent]).addChild(joint);
    joint.addChild(link);
    joints.push(joint);
    links.push(link);
  });
  const goals = effectors.map((effector) => {
    // Effectors hang on leaf joints, so the leaf's link is placed at the effector itself.
    const link = links[effector.joint];
    if (link.children.length > 0) throw new Error('closed-chain-ik: effector on an inner joint');
    link.setPosition(...effector.pos);
    link.setQuaternion(effector.quat[1], effector.quat[2], effector.quat[3], effector.quat[0]);
    const goal = new Goal();
    goal.setGoalDoF(DOF.X, DOF.Y, DOF.Z);
    goal.makeClosure(link);
    return goal;
  });

  const solver = new Solver(root);
  solver.maxIterations = settings.maxIterations;
  solver.dampingFactor = settings.dampingFactor * longestReach(set);
  solver.translationErrorClamp = settings.errorClamp * longestReach(set);
  solver.divergeThreshold = settings.divergeThreshold;
  solver.restPoseFactor = settings.restPoseFactor;
  solver.stallThreshold = settings.stallThreshold;
  // World matrices are single precision; 5 um inside the tolerance at 10 m, so that its "converged" is true.
  solver.translationConvergeThreshold = set.tolerance.position - 5e-6;

  return {
    prepare(target: readonly TargetPose[]) {
      for (const joint of joints) joint.setDoFValues(0, 0, 0);
      target.forEach((pose, e) => {
        const goal = goals[e];
        goal.setPosition(...pose.p);
        goal.updateMatrixWorld();
      });
    },
    run() {
      try {
        for (let call = 0; call < settings.maxCalls; call++) {
          const status = solver.solve();
          if (status.every((s) => s === CONVERGED)) return;
        }
      } catch {
        // It throws when every degree of freedom is locked at a limit; the judge sees where it stands.
      }
    },
    read() {
      const values = new Float64Array(4 * joints.length);
      joints.forEach((joint, j) => {
        const [hx, hy, hz] = [DOF.EX, DOF.EY, DOF.EZ].map((dof) => Number(joint.getDoFValue(dof)) / 2);
        const [sx, cx, sy, cy, sz, cz] = [hx, hy, hz].flatMap((h) => [Math.sin(h), Math.cos(h)]);
        // gl-matrix fromEuler, order zyx: R = Rz Ry Rx.
        values.set(
          [
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
            cx * cy * cz + sx * sy * sz,
          ],
          4 * j,
        );
      });
      return { values };
    },
  };
}
