import type { FigureData, Quadruple, Triple } from 'poise/figure';
import { Bone, type Quaternion } from 'three';
import { createPrng } from './prng.js';

/*
 * One humanoid in three forms: 26 bodies, the root free and 25 on ball joints, so 6 + 75 = 81 degrees of freedom, and
 * five sites. Bodies stand in depth-first order, the order of MuJoCo's compiler and of a figure's bones.
 */

interface Body {
  readonly name: string;
  readonly parent: number;
  readonly position: Triple;
}

export interface Site {
  readonly name: string;
  readonly body: number;
  readonly position: Triple;
}

export const BODIES: readonly Body[] = (() => {
  const bodies: Body[] = [];
  const add = (name: string, parent: number, x: number, y: number, z: number): number =>
    bodies.push({ name, parent, position: [x, y, z] }) - 1;
  const pelvis = add('pelvis', -1, 0, 0.96, 0);
  const lumbar = add('lumbar', pelvis, 0, 0.08, -0.01);
  const waist = add('waist', lumbar, 0, 0.11, 0.01);
  const chest = add('chest', waist, 0, 0.12, 0.005);
  const upperChest = add('upper-chest', chest, 0, 0.1, -0.01);
  const neck = add('neck', upperChest, 0, 0.13, 0.01);
  const head = add('head', neck, 0, 0.09, 0.015);
  add('jaw', head, 0, 0.01, 0.05);
  for (const [side, s] of [
    ['left', 1],
    ['right', -1],
  ] as const) {
    const clavicle = add(`${side}-clavicle`, upperChest, 0.03 * s, 0.09, 0.02);
    const shoulder = add(`${side}-shoulder`, clavicle, 0.15 * s, 0.01, -0.03);
    const elbow = add(`${side}-elbow`, shoulder, 0.29 * s, 0.004, -0.006);
    const wrist = add(`${side}-wrist`, elbow, 0.25 * s, -0.003, 0.008);
    add(`${side}-knuckles`, wrist, 0.09 * s, 0.005, 0.01);
  }
  for (const [side, s] of [
    ['left', 1],
    ['right', -1],
  ] as const) {
    const hip = add(`${side}-hip`, pelvis, 0.09 * s, -0.04, 0.01);
    const knee = add(`${side}-knee`, hip, 0.01 * s, -0.43, 0.02);
    const ankle = add(`${side}-ankle`, knee, -0.005 * s, -0.42, -0.03);
    add(`${side}-toes`, ankle, 0.01 * s, -0.06, 0.14);
  }
  return bodies;
})();

export const SITES: readonly Site[] = (() => {
  const site = (name: string, body: string, position: Triple): Site => ({
    name,
    body: BODIES.findIndex((candidate) => candidate.name === body),
    position,
  });
  return [
    site('crown', 'head', [0, 0.19, 0.02]),
    site('left-fingertips', 'left-knuckles', [0.08, 0.002, 0.003]),
    site('right-fingertips', 'right-knuckles', [-0.08, 0.002, 0.003]),
    site('left-toe-tip', 'left-toes', [0.003, -0.01, 0.07]),
    site('right-toe-tip', 'right-toes', [-0.003, -0.01, 0.07]),
  ];
})();

export const DOF = 6 + 3 * (BODIES.length - 1);

/** Rest rotations: the identity for all, or one of up to a radian for each body, as rigs from artists have. */
export function restRotations(rotated: boolean): Quadruple[] {
  const prng = createPrng(81);
  return BODIES.map(() => {
    const angle = rotated ? prng.uniform() : 0;
    const v = [prng.normal(), prng.normal(), prng.normal()];
    const s = Math.sin(angle / 2) / Math.hypot(...v);
    return [s * v[0], s * v[1], s * v[2], Math.cos(angle / 2)] as const;
  });
}

export function humanoidFigure(rests: readonly Quadruple[]): FigureData {
  return {
    name: 'humanoid',
    bones: BODIES.map((body, b) => ({
      name: body.name,
      parent: BODIES[body.parent]?.name ?? null,
      rest: { position: body.position, rotation: rests[b] },
      joint: { type: b === 0 ? ('free' as const) : ('ball' as const) },
    })),
  };
}

/** The same as three.js bones; the caller moves them. */
export function humanoidBones(rests: readonly Quadruple[]): { bones: Bone[]; rest: Quaternion[] } {
  const bones = BODIES.map((body, b) => {
    const bone = new Bone();
    bone.name = body.name;
    bone.position.set(...body.position);
    bone.quaternion.set(...rests[b]);
    return bone;
  });
  BODIES.forEach((body, b) => {
    if (body.parent >= 0) bones[body.parent].add(bones[b]);
  });
  return { bones, rest: bones.map((bone) => bone.quaternion.clone()) };
}

/** The same in MuJoCo's language; rest rotations are the identity. */
export function humanoidMjcf(): string {
  const body = (b: number): string => {
    const children = BODIES.map((child, c) => (child.parent === b ? body(c) : ''));
    const sites = SITES.map((site) =>
      site.body === b ? `<site name="${site.name}" pos="${site.position.join(' ')}"/>` : '',
    );
    return [
      `<body name="${BODIES[b].name}" pos="${BODIES[b].position.join(' ')}">`,
      b === 0 ? '<freejoint/>' : '<joint type="ball"/>',
      '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>',
      ...sites,
      ...children,
      '</body>',
    ].join('');
  };
  return `<mujoco><worldbody>${body(0)}</worldbody></mujoco>`;
}

/**
 * `count` poses, 81 numbers each: root position within a metre, then rotation vectors uniform in the ball of radius
 * pi, the root's first. Cycled through in every timing, so that nothing can be computed once.
 */
export function randomPoses(count: number, seed: number): Float64Array[] {
  const prng = createPrng(seed);
  return Array.from({ length: count }, () => {
    const pose = new Float64Array(DOF);
    for (let k = 0; k < 3; k++) pose[k] = 2 * prng.uniform() - 1;
    for (let o = 3; o < DOF; o += 3) {
      const v = [prng.normal(), prng.normal(), prng.normal()];
      const s = (Math.PI * Math.cbrt(prng.uniform())) / Math.hypot(...v);
      for (let k = 0; k < 3; k++) pose[o + k] = s * v[k];
    }
    return pose;
  });
}
