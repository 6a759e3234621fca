import { Bone, Object3D, type SkinnedMesh, Vector3 } from 'three';
import { CCDIKSolver, type IK } from 'three/addons/animation/CCDIKSolver.js';
import { ballsOf, type ProblemSet, type TargetPose } from '../problems.js';
import { inscribedEulerBox, type Peer, packageVersion, type Session } from './peer.js';

export interface CcdSettings {
  /** Sweeps over a chain in one update, between two tests of the distance. */
  readonly iteration: number;
  /** Sweeps after which it gives up. */
  readonly maxSweeps: number;
  /** Largest rotation of one link in one step, rad; null: any. */
  readonly maxAngle: number | null;
  /** Half-width of the Euler box over that of the inscribed one; null: no limits given. */
  readonly box: number | null;
}

/** maxAngle where it helps; small turns keep long chains from curling up. Chosen for each set with tune-peers.ts. */
const MAX_ANGLE: Readonly<Record<string, number>> = {
  chain10: 1,
  'chain10-lim': 0.2,
  chain30: 0.5,
  chain100: 0.2,
  body20: 0.1,
  'body20-lim': 0.05,
};

export function ccdSettings(id: string): CcdSettings {
  return { iteration: 1, maxSweeps: 1000, maxAngle: MAX_ANGLE[id] ?? null, box: 1 };
}

/**
 * three.js CCDIKSolver. It has no tolerance and no status, so the caller's loop looks at the effectors after each
 * update. A ball's limit on the total angle cannot be expressed; `rotationMin` and `rotationMax` get the inscribed Euler box.
 */
export function createThreeCcd(settings: (id: string) => CcdSettings = ccdSettings): Peer {
  return {
    name: 'three.js CCD',
    version: packageVersion('three'),
    role: 'peer',
    settings: `looked at after each sweep, up to 1000; maxAngle by set: ${JSON.stringify(MAX_ANGLE)}; limits: inscribed Euler box`,
    create: (set) => createSession(set, settings(set.id)),
  };
}

function createSession(set: ProblemSet, settings: CcdSettings): Session | null {
  const joints = ballsOf(set);
  if (!joints) return null;
  const { effectors } = set.model;

  const root = new Object3D();
  const bones: Bone[] = [];
  joints.forEach((joint, j) => {
    const bone = new Bone();
    bone.name = `${joint.name}-${j}`;
    bone.position.set(...joint.pos);
    bones.push(bone);
    (joint.parent < 0 ? root : bones[joint.parent]).add(bone);
  });
  const effectorBones: Bone[] = [];
  const targetBones: Bone[] = [];
  for (const effector of effectors) {
    const bone = new Bone();
    bone.position.set(...effector.pos);
    bones[effector.joint].add(bone);
    effectorBones.push(bone);
    const target = new Bone();
    root.add(target);
    targetBones.push(target);
  }

  const all = [...bones, ...effectorBones, ...targetBones];
  const iks: IK[] = effectors.map((effector, e) => {
    const links: IK['links'] = [];
    for (let j = effector.joint; j >= 0; j = joints[j].parent) {
      const theta = joints[j].theta;
      if (set.limited && settings.box !== null) {
        // 1e-12 inside, so that rounding at a corner stays within the limit.
        const a = inscribedEulerBox(theta) * settings.box - 1e-12;
        links.push({ index: j, rotationMin: new Vector3(-a, -a, -a), rotationMax: new Vector3(a, a, a) });
      } else {
        links.push({ index: j });
      }
    }
    return {
      effector: joints.length + e,
      target: joints.length + effectors.length + e,
      links,
      iteration: settings.iteration,
      ...(settings.maxAngle === null ? {} : { maxAngle: settings.maxAngle }),
    };
  });
  // The solver reads nothing of the mesh but its skeleton's bones.
  const solver = new CCDIKSolver({ skeleton: { bones: all } } as unknown as SkinnedMesh, iks);
  const squared = set.tolerance.position ** 2;
  const reached = (): boolean => {
    for (let e = 0; e < effectorBones.length; e++) {
      const a = effectorBones[e].matrixWorld.elements;
      const b = targetBones[e].matrixWorld.elements;
      const x = a[12] - b[12];
      const y = a[13] - b[13];
      const z = a[14] - b[14];
      if (!(x * x + y * y + z * z <= squared)) return false;
    }
    return true;
  };

  return {
    prepare(target: readonly TargetPose[]) {
      for (const bone of bones) bone.quaternion.identity();
      target.forEach((goal, e) => {
        targetBones[e].position.set(...goal.p);
      });
      root.updateMatrixWorld(true);
    },
    run() {
      for (let sweeps = 0; sweeps < settings.maxSweeps && !reached(); sweeps += settings.iteration)
        solver.update();
    },
    read() {
      const values = new Float64Array(4 * bones.length);
      bones.forEach(({ quaternion: q }, j) => {
        values.set([q.x, q.y, q.z, q.w], 4 * j);
      });
      return { values };
    },
  };
}
