import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AsfSkeleton, readAmc, readAsf, readBvh } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { FormatError } from 'poise';
import { describe, expect, test } from 'vitest';
import { distance, positionsAt, specified } from './support.js';

const ASF = `:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 9
    axis 0 0 20 XYZ
    dof rx rz
    limits (-160.0 20.0)
           (-60.0 inf)
  end
  begin
    id 2
    name shin
    direction 0 -1 0
    length 4.5
    axis 10 20 30 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
`;
const AMC =
  ':FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 10 20 30\nthigh 10 20\nshin 30\n2\nroot 1 2 3 10 20 30\nthigh 10 20\nshin 60\n';

describe('readAsf and readAmc', () => {
  test('joints, limits and lengths', () => {
    const { figure, scale } = readAsf(ASF, { source: 'test.asf' });
    expect(scale).toBe(0.0254 / 0.45);
    expect(figure.bones.map(({ name, joint }) => [name, joint.type])).toEqual([
      ['root', 'free'],
      ['thigh', 'ball'],
      ['shin', 'hinge'],
    ]);
    expect(Math.hypot(...(figure.bones[1].tip ?? []))).toBeCloseTo(9 * scale, 15);
    const degree = Math.PI / 180;
    expect(figure.bones[2].limit).toEqual({ type: 'interval', min: -10 * degree, max: 170 * degree });
    const exact = readAsf(ASF, { joints: 'euler', scale: 1 }).figure;
    expect([exact.bones[1].joint, exact.bones[1].limit]).toEqual([
      { type: 'euler', order: 'ZXY' },
      { type: 'box', min: [-60 * degree, -160 * degree, 0], max: [null, 20 * degree, 0] },
    ]);
  });

  test.each(['ball', 'euler'] as const)('positions follow the specification: %s', (joints) => {
    const skeleton = readAsf(ASF, { joints, scale: 1 });
    const { motion, frames, frameTime } = readAmc(AMC, skeleton, { frameTime: 0.5 });
    expect([frames, frameTime, motion.end]).toEqual([2, 0.5, 0.5]);
    const at = positionsAt(skeleton.figure, motion, 0.5);
    const frame = AMC.split('\n2\n')[1];
    for (const [bone, position] of specified(ASF, frame))
      expect(distance(at(bone), position)).toBeLessThan(1e-13);
  });

  test('a frame that leaves bones out keeps them, with a warning', () => {
    const skeleton = readAsf(ASF);
    const clip = readAmc(AMC.replace('thigh 10 20\nshin 60\n', 'shin 60\n'), skeleton);
    expect(clip.warnings).toEqual(['motion.amc: 1 frames leave out bones, which stay as they were.']);
  });

  test('frames whose numbers jump are read one after the other, with a warning', () => {
    const skeleton = readAsf(ASF);
    const clip = readAmc(AMC.replace('\n2\n', '\n999999999\n'), skeleton);
    expect([clip.frames, clip.motion.end, clip.warnings]).toEqual([
      2,
      clip.frameTime,
      [
        'motion.amc:7: frame 999999999 follows frame 1; frames are read one after the other, whatever their numbers.',
      ],
    ]);
    expect(readAmc(AMC.replace('\n2\n', '\n8\n').replace('\n1\n', '\n7\n'), skeleton).warnings).toEqual([]);
  });

  test.each([
    ['no hierarchy', ASF.split(':hierarchy')[0], 'invalid-file', 'skeleton.asf:1'],
    ['a bone of no name', ASF.replace('name shin', 'nome shin'), 'invalid-file', 'skeleton.asf:23'],
    ['two bones of one name', ASF.replace('name shin', 'name thigh'), 'duplicate-name', 'skeleton.asf:25'],
    ['an unknown child', ASF.replace('root thigh', 'root thig'), 'unknown-name', 'skeleton.asf:34'],
    [
      'a bone with two parents',
      ASF.replace('thigh shin', 'thigh shin shin'),
      'duplicate-name',
      'skeleton.asf:35',
    ],
    ['a circle', ASF.replace('root thigh', 'shin thigh'), 'cycle', 'skeleton.asf:15'],
    ['a limit too few', ASF.replace('(-10.0 170.0)', '(-10.0)'), 'wrong-size', 'skeleton.asf:30'],
    ['a number that is none', ASF.replace('length 9', 'length nine'), 'invalid-file', 'skeleton.asf:17'],
    ['a negative length', ASF.replace('length 9', 'length -9'), 'out-of-range', 'skeleton.asf:17'],
    [
      'no direction',
      ASF.replace('0 -1 0\n    length 9', '0 0 0\n    length 9'),
      'not-unit',
      'skeleton.asf:16',
    ],
    ['an order of axes that is none', ASF.replace('20 XYZ', '20 XYX'), 'invalid-file', 'skeleton.asf:18'],
  ])('refuses %s', (_, text, code, path) => {
    expect(() => readAsf(text)).toThrow(expect.objectContaining({ code, path, name: FormatError.name }));
  });

  test.each([
    ['a bone of another skeleton', AMC.replace('shin 30', 'foot 30'), 'unknown-name', 'motion.amc:6'],
    ['a number too many', AMC.replace('shin 30', 'shin 30 1'), 'wrong-size', 'motion.amc:6'],
    ['a bone twice', AMC.replace('shin 30', 'thigh 1 2'), 'duplicate-name', 'motion.amc:6'],
    ['no frame', ':DEGREES\n', 'invalid-file', 'motion.amc'],
    ['what is before the first frame', 'root 1 2 3 4 5 6\n', 'invalid-file', 'motion.amc:1'],
  ])('refuses %s', (_, text, code, path) => {
    expect(() => readAmc(text, readAsf(ASF))).toThrow(expect.objectContaining({ code, path }));
  });

  test('frames without content cannot ask for memory without end', () => {
    const bones = Array.from({ length: 300 }, (_, k) => `begin\nname b${k}\ndof rx ry rz\nend\n`).join('');
    const names = Array.from({ length: 300 }, (_, k) => `b${k}`).join(' ');
    const skeleton = readAsf(
      ASF.replace(/:bonedata[\s\S]*/, `:bonedata\n${bones}:hierarchy\nbegin\nroot ${names}\nend\n`),
    );
    expect(() => readAmc('1\n'.repeat(10_000), skeleton)).toThrow(
      expect.objectContaining({ code: 'over-budget' }),
    );
  });
});

describeWithData('motion capture of CMU', 'amc', (path) => {
  const read = (name: string) => readFileSync(join(path, name), 'utf8');
  const clipOf = (asf: string, amc: string): [AsfSkeleton, ReturnType<typeof readAmc>] => {
    const skeleton = readAsf(read(asf), { source: asf });
    return [skeleton, readAmc(read(amc), skeleton, { source: amc })];
  };

  test.each([
    ['cmu_01.asf', 'cmu_01_01.amc', 2751],
    ['cmu_07_walk.asf', 'cmu_07_05_walk.amc', 517],
    ['cmu_09_run.asf', 'cmu_09_06_run.amc', 141],
  ])('%s, %s: counts, and positions of every bone by the specification', (asf, amc, count) => {
    const [skeleton, clip] = clipOf(asf, amc);
    expect([skeleton.figure.bones.length, clip.frames]).toEqual([31, count]);
    expect(skeleton.bones.slice(1).reduce((sum, { dof }) => sum + dof.length, 0)).toBe(56);
    expect([...skeleton.warnings, ...clip.warnings]).toEqual([]);
    const frames = read(amc)
      .split(/^\d+\s*$/m)
      .slice(1);
    expect(frames.length).toBe(count);
    for (const k of [0, 70, count - 1]) {
      const at = positionsAt(skeleton.figure, clip.motion, k * clip.frameTime);
      const expected = specified(read(asf), frames[k]);
      expect(expected.size).toBe(31);
      for (const [bone, position] of expected) {
        const metres = position.map((x) => x * skeleton.scale);
        expect(distance(at(bone), metres), `${bone} in frame ${k}`).toBeLessThan(1e-12);
      }
    }
  });

  test('the BVH of the same take has its joints in the same places', () => {
    const [skeleton, clip] = clipOf('cmu_01.asf', 'cmu_01_01.amc');
    const bvh = readBvh(readFileSync(join(path, '../bvh/cmu_01_01_hop_turn.bvh')), { scale: skeleton.scale });
    // Joint and bone, and where each is measured from: the BVH leaves out the thorax, so neck and arms start at its lower end.
    const pairs = [
      ...['Hips root', 'LeftUpLeg lfemur', 'LeftLeg ltibia', 'LeftFoot lfoot', 'LeftToeBase ltoes'],
      ...['RightUpLeg rfemur', 'RightLeg rtibia', 'RightFoot rfoot', 'Spine upperback', 'Spine1 thorax'],
      ...['Neck1 upperneck Neck lowerneck', 'Head head Neck lowerneck'],
      ...['LeftArm lhumerus LeftShoulder lclavicle', 'RightArm rhumerus RightShoulder rclavicle'],
      ...['LeftForeArm lradius LeftArm lhumerus', 'LeftHand lwrist LeftArm lhumerus'],
      ...['RightForeArm rradius RightArm rhumerus', 'RightHand rwrist RightArm rhumerus'],
    ].map((words) => words.split(' '));
    let worst = 0;
    for (let k = 0; k < clip.frames; k += 250) {
      const ours = positionsAt(skeleton.figure, clip.motion, k * clip.frameTime);
      // Its first frame is a T pose.
      const theirs = positionsAt(bvh.figure, bvh.motion, (k + 1) * bvh.frameTime);
      for (const [joint, bone, from, fromBone] of pairs) {
        const origin = from === undefined ? [0, 0, 0] : theirs(from);
        const ourOrigin = fromBone === undefined ? [0, 0, 0] : ours(fromBone);
        const a = theirs(joint).map((x, i) => x - origin[i]);
        const b = ours(bone).map((x, i) => x - ourOrigin[i]);
        worst = Math.max(worst, distance(a, b));
      }
    }
    // Printed with four digits of a degree.
    expect(worst).toBeLessThan(5e-5);
  });
});
