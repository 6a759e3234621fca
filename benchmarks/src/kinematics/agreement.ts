import type { Quadruple } from 'poise/figure';
import { forward, quaternionFromVector } from '../check.js';
import { BODIES, restRotations, SITES } from '../humanoid.js';
import type { mujocoRows } from './mujoco-rows.js';
import type { poiseRows } from './poise-rows.js';
import type { threeRows } from './three-rows.js';

/** Outputs of all forms agree to this, m and m/rad. */
export const AGREEMENT = 1e-9;

type Poise = ReturnType<typeof poiseRows>;
type Three = ReturnType<typeof threeRows>;
type Mujoco = Awaited<ReturnType<typeof mujocoRows>>;

export type Differences = Record<string, number>;

function note(differences: Differences, name: string, a: number, b: number): void {
  const d = Math.abs(a - b);
  differences[name] = Math.max(differences[name] ?? 0, Number.isNaN(d) ? Infinity : d);
}

/** Poise against the judge and three.js: all 12 numbers of every body's world transform, over all poses. */
export function compareWithThree(poses: readonly Float64Array[], poise: Poise, three: Three): Differences {
  const differences: Differences = {};
  for (const pose of poses) {
    poise.evaluate(pose);
    three.evaluate(pose);
    for (const [name, state, bones, rotated] of [
      ['', poise.state, three.bones, false],
      [' with rest rotations', poise.rotated, three.rotated, true],
    ] as const) {
      const judge = judgeTransforms(pose, restRotations(rotated));
      for (let b = 0; b < BODIES.length; b++) {
        const { elements } = bones[b].matrixWorld;
        for (let i = 0; i < 12; i++) {
          const own = state.worldFromBone[12 * b + i];
          note(differences, `judge${name}`, own, judge[b][i]);
          // three stores columns of four.
          note(
            differences,
            `three.js${name}`,
            own,
            elements[i < 9 ? 4 * (i % 3) + Math.floor(i / 3) : 3 + i],
          );
        }
      }
    }
  }
  return differences;
}

/** Poise against MuJoCo: world transforms and the five point Jacobians for joint velocities. */
export function compareWithMujoco(poses: readonly Float64Array[], poise: Poise, mujoco: Mujoco): Differences {
  const differences: Differences = {};
  const xpos = mujoco.data.xpos as Float64Array;
  const xmat = mujoco.data.xmat as Float64Array;
  poses.forEach((pose, k) => {
    poise.evaluate(pose);
    mujoco.evaluate(k);
    for (let b = 0; b < BODIES.length; b++) {
      // MuJoCo's body 0 is the world.
      for (let i = 0; i < 12; i++) {
        const theirs = i < 9 ? xmat[9 * (b + 1) + i] : xpos[3 * (b + 1) + i - 9];
        note(differences, 'MuJoCo', poise.state.worldFromBone[12 * b + i], theirs);
      }
    }
    SITES.forEach((_, s) => {
      const theirs = mujoco.jacobians[s].GetView() as Float64Array;
      poise.jacobians[s].forEach((value, i) => {
        note(differences, 'MuJoCo Jacobians', value, theirs[i]);
      });
    });
  });
  return differences;
}

/** One line of the report; throws where outputs differ by more than {@link AGREEMENT}. */
export function agreementLine(differences: Differences): string {
  for (const [name, value] of Object.entries(differences)) {
    if (!(value <= AGREEMENT)) throw new Error(`benchmarks: outputs differ from ${name} by ${value}`);
  }
  return Object.entries(differences)
    .map(([name, value]) => `${name} ${value.toExponential(1)}`)
    .join(', ');
}

/** World transforms by the judge of the IK benchmark: independent quaternion kinematics. */
function judgeTransforms(pose: Float64Array, rests: readonly Quadruple[]): number[][] {
  const values = new Float64Array(4 * BODIES.length);
  BODIES.forEach((_, b) => {
    values.set(quaternionFromVector(pose[3 + 3 * b], pose[4 + 3 * b], pose[5 + 3 * b]), 4 * b);
  });
  // The free root moves along its rest axes: p = p_rest + R_rest t, rows of R_rest from the judge itself.
  const joints = BODIES.map((body, b) => {
    const [x, y, z, w] = rests[b];
    const quat = [w, x, y, z] as const;
    return {
      name: body.name,
      parent: body.parent,
      type: 'ball' as const,
      theta: Math.PI,
      pos: body.position,
      quat,
    };
  });
  const [px, py, pz] = rotateBy(rests[0], [pose[0], pose[1], pose[2]]);
  const [rx, ry, rz] = BODIES[0].position;
  joints[0] = { ...joints[0], pos: [rx + px, ry + py, rz + pz] };
  const effectors = BODIES.flatMap((body, joint) =>
    [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].map(([x, y, z]) => ({ name: body.name, joint, pos: [x, y, z] as const, quat: [1, 0, 0, 0] as const })),
  );
  const { effectorPositions: p } = forward({ name: 'humanoid', joints, effectors }, values);
  // Columns of R are the images of the axes.
  return BODIES.map((_, b) => {
    const [o, x, y, z] = p.slice(4 * b, 4 * b + 4);
    const row = (r: number): number[] => [x[r] - o[r], y[r] - o[r], z[r] - o[r]];
    return [...row(0), ...row(1), ...row(2), ...o];
  });
}

function rotateBy(q: Quadruple, v: readonly [number, number, number]): readonly [number, number, number] {
  const [x, y, z, w] = q;
  const joint = { name: '', parent: -1, type: 'ball', theta: 0, pos: [0, 0, 0], quat: [w, x, y, z] } as const;
  const effector = { name: '', joint: 0, pos: v, quat: [1, 0, 0, 0] } as const;
  return forward({ name: '', joints: [joint], effectors: [effector] }, [0, 0, 0, 1]).effectorPositions[0];
}
