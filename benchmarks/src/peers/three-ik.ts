import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as three from 'three-legacy';
import { forward } from '../check.js';
import { ballsOf, type ProblemSet, repositoryRoot, type TargetPose } from '../problems.js';
import { type Peer, packageVersion, type Session } from './peer.js';

interface IkChain {
  add(joint: object, options?: { target?: three.Object3D | null }): IkChain;
  connect(chain: IkChain): IkChain;
}
interface IkSystem {
  add(chain: IkChain): void;
  solve(): void;
}
interface ThreeIk {
  IK: new () => IkSystem;
  IKChain: new () => IkChain;
  IKJoint: new (bone: three.Bone, options?: { constraints?: object[] }) => object;
  IKBallConstraint: new (degrees: number) => object;
}

/** three-ik's published UMD build, given the three of its time instead of the one the benchmarks use elsewhere. */
function loadThreeIk(): ThreeIk {
  const file = join(repositoryRoot(), 'node_modules/three-ik/build/three-ik.js');
  const module = { exports: {} };
  new Function('module', 'exports', 'require', readFileSync(file, 'utf8'))(
    module,
    module.exports,
    () => three,
  );
  return module.exports as ThreeIk;
}

export interface ThreeIkSettings {
  /** Calls of solve(), one FABRIK iteration each, after which it gives up. */
  readonly maxSolves: number;
  /** Give IKBallConstraint where the set is limited and the rig is a straight chain along +Z. */
  readonly constrain: boolean;
}

/** Chosen with tune-peers.ts; see benchmarks/README.md. */
export const THREE_IK_SETTINGS: ThreeIkSettings = { maxSolves: 1000, constrain: true };

/** THREE.IK: FABRIK on bones. One iteration a solve() and no tolerance, so the caller's loop looks at the distance. */
export function createThreeIk(settings: ThreeIkSettings = THREE_IK_SETTINGS): Peer {
  const library = loadThreeIk();
  return {
    name: 'three-ik',
    version: `${packageVersion('three-ik')} on three ${three.REVISION}`,
    role: 'peer',
    settings: `up to ${settings.maxSolves} iterations, cone constraint on limited straight chains: ${settings.constrain}`,
    create: (set) => createSession(library, set, settings),
  };
}

function createSession(library: ThreeIk, set: ProblemSet, settings: ThreeIkSettings): Session | null {
  const joints = ballsOf(set);
  if (!joints) return null;
  const { effectors } = set.model;

  // Its cone is measured from the parent bone's +Z, which is the joint's limit only on a chain built along +Z.
  const straight = [...joints.slice(1), ...effectors].every(
    (spec) => spec.pos[0] === 0 && spec.pos[1] === 0 && spec.pos[2] > 0,
  );
  const constraints = (theta: number): object[] =>
    set.limited && settings.constrain && straight
      ? [new library.IKBallConstraint((2 * theta * 180) / Math.PI - 1e-7)]
      : [];

  const scene = new three.Object3D();
  const ik = new library.IK();
  const targets = effectors.map(() => {
    const target = new three.Object3D();
    scene.add(target);
    return target;
  });
  const tips: three.Bone[] = [];
  const owned: three.Bone[] = [];
  const starts: three.Vector3[] = [];
  const boneOf: (three.Bone | undefined)[] = joints.map(() => undefined);
  const jointOf: object[] = [];
  const chainOf: IkChain[] = [];

  /** A bone for joint j under `parent`. */
  const makeBone = (j: number, parent: three.Object3D): three.Bone => {
    const bone = new three.Bone();
    bone.position.set(...joints[j].pos);
    parent.add(bone);
    owned.push(bone);
    starts.push(bone.position.clone());
    boneOf[j] ??= bone;
    scene.updateMatrixWorld(true);
    return bone;
  };

  effectors.forEach((effector, e) => {
    const path: number[] = [];
    for (let j = effector.joint; j >= 0; j = joints[j].parent) path.unshift(j);
    // Where the path leaves an earlier chain; a shared root stays put anyway and gets a bone of its own, since
    // three-ik no longer returns a chain's base to its place once another chain starts there.
    let shared = 0;
    while (shared < path.length && boneOf[path[shared]]) shared++;
    const chain = new library.IKChain();
    let parent: three.Object3D = scene;
    const begin = shared > 1 ? shared - 1 : 0;
    for (let k = begin; k < path.length; k++) {
      const j = path[k];
      if (k === begin && shared > 1) {
        parent = boneOf[j]!;
        chain.add(jointOf[j]);
        continue;
      }
      const bone = makeBone(j, parent);
      const joint = new library.IKJoint(bone, { constraints: constraints(joints[j].theta) });
      jointOf[j] ??= joint;
      chain.add(joint);
      chainOf[j] ??= chain;
      parent = bone;
    }
    const tip = new three.Bone();
    tip.position.set(...effector.pos);
    parent.add(tip);
    owned.push(tip);
    starts.push(tip.position.clone());
    tips.push(tip);
    scene.updateMatrixWorld(true);
    chain.add(new library.IKJoint(tip), { target: targets[e] });
    if (shared > 1) chainOf[path[begin]].connect(chain);
    else ik.add(chain);
  });

  const squared = set.tolerance.position ** 2;
  const reached = (): boolean => {
    for (let e = 0; e < tips.length; e++) {
      const a = tips[e].matrixWorld.elements as number[];
      const b = targets[e].matrixWorld.elements as number[];
      const x = a[12] - b[12];
      const y = a[13] - b[13];
      const z = a[14] - b[14];
      if (!(x * x + y * y + z * z <= squared)) return false;
    }
    return true;
  };
  const point = (object: three.Object3D): number[] => (object.matrixWorld.elements as number[]).slice(12, 15);

  const branches = joints.some((_, j) => joints.filter((joint) => joint.parent === j).length > 1);
  const leavesOut = [
    ...(branches ? ['the rigid angles between the branches of a bone'] : []),
    ...(set.limited && !straight ? ['the joint limits'] : []),
  ].join(' and ');

  return {
    ...(leavesOut === '' ? {} : { leavesOut }),
    prepare(target: readonly TargetPose[]) {
      owned.forEach((bone, i) => {
        bone.position.copy(starts[i]);
        bone.quaternion.set(0, 0, 0, 1);
      });
      target.forEach((goal, e) => {
        targets[e].position.set(...goal.p);
      });
      scene.updateMatrixWorld(true);
    },
    run() {
      for (let i = 0; i < settings.maxSolves && !reached(); i++) ik.solve();
    },
    read() {
      const points = {
        joints: new Float64Array(boneOf.flatMap((bone) => point(bone!))),
        effectors: new Float64Array(tips.flatMap(point)),
      };
      return { values: rotationsFromPoints(set, points.joints, points.effectors), points };
    },
  };
}

/**
 * Joint rotations of the points that FABRIK placed: from root to tip, the smallest rotation that turns each bone's
 * rest direction into the direction found (no twist, so the smallest total angle). A bone with several
 * children follows the first.
 */
function rotationsFromPoints(set: ProblemSet, joints: Float64Array, effectors: Float64Array): Float64Array {
  const { model } = set;
  const values = new Float64Array(4 * model.joints.length);
  for (let j = 0; j < model.joints.length; j++) values[4 * j + 3] = 1;
  model.joints.forEach((_, j) => {
    const child = model.joints.findIndex((joint) => joint.parent === j);
    const e = model.effectors.findIndex((effector) => effector.joint === j);
    const [at, to] = child >= 0 ? [3 * child, joints] : [3 * e, effectors];
    const pose = forward(model, values);
    const [px, py, pz] = pose.jointPositions[j];
    const rest = child >= 0 ? pose.jointPositions[child] : pose.effectorPositions[e];
    const from = new three.Vector3(...rest).sub(new three.Vector3(px, py, pz));
    const found = new three.Vector3(to[at], to[at + 1], to[at + 2]).sub(
      new three.Vector3(joints[3 * j], joints[3 * j + 1], joints[3 * j + 2]),
    );
    const world = new three.Quaternion().setFromUnitVectors(from.normalize(), found.normalize());
    // The turn happens in world axes in front of the joint's world rotation W (its own rotation being the
    // identity still): local = W^-1 turn W.
    const w = new three.Quaternion(...pose.jointRotations[j]);
    const local = w.clone().inverse().multiply(world).multiply(w).normalize();
    values.set([local.x, local.y, local.z, local.w], 4 * j);
  });
  return values;
}
