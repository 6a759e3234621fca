import { type BoneData, createFigure, createPose, type Figure } from 'poise/figure';
import type { Goal } from 'poise/ik';

interface SourceJoint {
  readonly name: string;
  readonly parent: number;
  readonly type: 'ball' | 'hinge';
  readonly pos: readonly [number, number, number];
  /** w, x, y, z */
  readonly quat: readonly [number, number, number, number];
  readonly theta: number;
  readonly axis: readonly [number, number, number];
  readonly lo: number;
  readonly hi: number;
}

interface Source {
  readonly limited: boolean;
  readonly tolerance: { readonly position: number };
  readonly model: {
    readonly joints: readonly SourceJoint[];
    readonly effectors: readonly {
      readonly joint: number;
      readonly pos: readonly [number, number, number];
    }[];
  };
  readonly targets: readonly (readonly { readonly p: readonly [number, number, number] }[])[];
}

export interface ProblemSet {
  readonly figure: Figure;
  readonly goals: readonly Goal[];
  readonly start: Float64Array;
  readonly count: number;
  /** Points the goals at problem n. */
  setTarget(n: number): void;
  /** Largest distance of an effector to its target, by a kinematics of the test's own (quaternions). */
  worstDistance(n: number, pose: Float64Array): number;
}

/** Reads a position set of `problems/*.json` (see its README). */
export function loadProblemSet(json: string): ProblemSet {
  const source = JSON.parse(json) as Source;
  const { joints, effectors } = source.model;
  const bones: BoneData[] = joints.map(
    ({ name, parent, pos, quat: [w, x, y, z], type, theta, axis, lo, hi }) => ({
      name,
      parent: parent < 0 ? null : joints[parent].name,
      rest: { position: pos, rotation: [x, y, z, w] },
      joint: type === 'ball' ? { type } : { type, axis },
      ...(source.limited && type === 'ball' ? { limit: { type: 'angle' as const, max: theta } } : {}),
      ...(type === 'hinge' ? { limit: { type: 'interval' as const, min: lo, max: hi } } : {}),
    }),
  );
  const figure = createFigure({ bones });
  const targets = effectors.map(() => new Float64Array(3));
  return {
    figure,
    goals: effectors.map(({ joint, pos }, k) => ({
      type: 'position',
      bone: joints[joint].name,
      point: pos,
      target: targets[k],
      tolerance: source.tolerance.position,
    })),
    start: createPose(figure),
    count: source.targets.length,
    setTarget: (n) => {
      source.targets[n].forEach(({ p }, k) => {
        targets[k].set(p);
      });
    },
    worstDistance: (n, pose) => {
      const frames = independentKinematics(joints, figure, pose);
      return Math.max(
        ...effectors.map(({ joint, pos }, k) => {
          const tip = add(frames[joint].position, rotate(frames[joint].rotation, pos));
          return Math.hypot(...source.targets[n][k].p.map((x, a) => x - tip[a]));
        }),
      );
    },
  };
}

type V = readonly number[];

/** Forward kinematics with Hamilton quaternions (w, x, y, z), sines and cosines: none of the library's code. */
function independentKinematics(
  joints: readonly SourceJoint[],
  figure: Figure,
  pose: Float64Array,
): { position: V; rotation: V }[] {
  const frames: { position: V; rotation: V }[] = [];
  for (const joint of joints) {
    const bone = figure.bones.find(({ name }) => name === joint.name);
    if (bone === undefined) throw new Error(`no bone ${joint.name}`);
    const parent = joint.parent < 0 ? { position: [0, 0, 0], rotation: [1, 0, 0, 0] } : frames[joint.parent];
    const v =
      joint.type === 'ball'
        ? Array.from(pose.subarray(bone.coordinate, bone.coordinate + 3))
        : joint.axis.map((a) => a * pose[bone.coordinate]);
    const angle = Math.hypot(...v);
    const rotation =
      angle === 0 ? [1, 0, 0, 0] : [Math.cos(angle / 2), ...v.map((x) => (x / angle) * Math.sin(angle / 2))];
    frames.push({
      position: add(parent.position, rotate(parent.rotation, joint.pos)),
      rotation: multiply(multiply(parent.rotation, joint.quat), rotation),
    });
  }
  return frames;
}

function multiply([aw, ax, ay, az]: V, [bw, bx, by, bz]: V): V {
  return [
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ];
}

function rotate(q: V, p: V): V {
  const [w, x, y, z] = q;
  return multiply(multiply(q, [0, ...p]), [w, -x, -y, -z]).slice(1);
}

function add(a: V, b: V): V {
  return a.map((x, k) => x + b[k]);
}
