/** Hands with the limits of fingers: from rest every finger bends into the palm, and never to the back of the hand. */
import { readFileSync } from 'node:fs';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { findHumanoid, type HumanBone, withAnatomicalLimits } from 'poise/humanoid';
import { expect, test } from 'vitest';
import { parseGltf, readGltfAnimation, rigFromDocument, vrmHumanoid } from '../../src/index.js';
import { mhskelBones } from './bodies.js';

const FINGERS = ['Index', 'Middle', 'Ring', 'Little'];

function frames(figure: Figure, pose: Float64Array): (bone: number, point?: readonly number[]) => number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const m = state.worldFromBone.slice();
  return (b, p = [0, 0, 0]) =>
    [0, 1, 2].map((r) => m[12 * b + 9 + r] + [0, 1, 2].reduce((s, k) => s + m[12 * b + 3 * r + k] * p[k], 0));
}

/** All joints of fingers bent by a fraction of what is left of their flexion. */
function fist(figure: Figure, bones: readonly number[], fraction: number): Float64Array {
  const pose = createPose(figure);
  for (const b of bones) {
    const { joint, limit, coordinate } = figure.bones[b];
    if (joint.type === 'hinge' && limit?.type === 'interval') pose[coordinate] = fraction * (limit.max ?? 0);
    if (limit?.type === 'swing-twist' && limit.swing?.type === 'quad-ellipse')
      pose[coordinate] = fraction * limit.swing.s[1];
  }
  return pose;
}

function expectHands(given: Figure, bonesByName?: Parameters<typeof withAnatomicalLimits>[1]): void {
  const figure = withAnatomicalLimits(given, bonesByName);
  const { bones } = findHumanoid(figure, bonesByName ?? {}) as NonNullable<ReturnType<typeof findHumanoid>>;
  expect(limitViolation(figure, createPose(figure))).toBeLessThan(1e-12);
  for (const side of ['left', 'right']) {
    const of = (name: string): number => bones[`${side}${name}` as HumanBone] as number;
    for (const finger of FINGERS) {
      const chain = ['Proximal', 'Intermediate', 'Distal'].map((part) => of(`${finger}${part}`));
      expect(chain.map((b) => figure.bones[b].joint.type)).toEqual(['ball-and-socket', 'hinge', 'hinge']);
      const rest = frames(figure, createPose(figure));
      const [knuckle, , last] = chain;
      // The palm from four points of the rest pose: wrist, two knuckles and the thumb's side.
      const across = sub(rest(of('LittleProximal')), rest(of('IndexProximal')));
      const along = sub(rest(knuckle), rest(of('Hand')));
      const normal = cross(along, across).map((x) => (side === 'left' ? -x : x));
      const down = normal.map((x) => x / Math.hypot(...normal));
      const bent = frames(figure, fist(figure, chain, 0.6));
      const move = sub(bent(last), rest(last));
      const length = Math.hypot(...sub(rest(last), rest(knuckle)));
      // Into the palm, and hardly out of the plane of the finger, which may be spread.
      expect(dot(move, down)).toBeGreaterThan(0.4 * length);
      const sideways = cross(down, sub(rest(last), rest(knuckle)));
      expect(Math.abs(dot(move, sideways)) / Math.hypot(...sideways)).toBeLessThan(0.25 * length);
      // A fist closes towards the wrist.
      const closed = frames(figure, fist(figure, chain, 1));
      expect(Math.hypot(...sub(closed(last), closed(of('Hand'))))).toBeLessThan(
        0.85 * Math.hypot(...sub(rest(last), rest(of('Hand')))),
      );
    }
  }
}

const sub = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x - b[k]);
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((s, x, k) => s + x * b[k], 0);
const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

describeWithData('a VRM animation', 'vrm/test.vrma', (path) => {
  test('has fingers that bend into the palm', () => {
    const rig = rigFromDocument(parseGltf(readFileSync(path), { source: path }));
    expect(readGltfAnimation(rig, 0)).toBeDefined();
    expectHands(rig.figure, { bones: vrmHumanoid(rig) ?? {} });
  });
});

describeWithData('MakeHuman', 'makehuman', (folder) => {
  test('has fingers that bend into the palm', () => {
    const read = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8');
    expectHands(mhskelBones(read('default.mhskel'), read('base.obj')));
  });
});
