import { describe, expect, test } from 'vitest';
import { findFootPoints } from '../../src/dynamics/index.js';
import { cleanMotion, findFootContacts, makePhysical } from '../../src/editing/index.js';
import { boneIndex, createFigure, createPose, figureToData } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotion } from '../../src/motion/index.js';
import { distance, pointOf, poseOf, sampleTimes } from './support.js';

const human = createHumanFigure();
const SIDES = ['left', 'right'] as const;

/** A pose with arms that hang and knees bent by an angle, rad: hips and ankles bend by their shares, and the root sinks by what the legs lose. */
function standing(knees = 0, height = 0): Float64Array {
  const pose = createPose(human);
  const set = (bone: string, angle: number, axis = 0): void => {
    pose[human.bones[boneIndex(human, bone)].coordinate + axis] = angle;
  };
  for (const side of SIDES) {
    set(`${side}UpperArm`, -1.3, 1);
    set(`${side}LowerLeg`, knees);
    set(`${side}UpperLeg`, 0.6 * knees);
    set(`${side}Foot`, 0.4 * knees);
  }
  pose[1] = height - 0.12 * knees * knees;
  return pose;
}

/** Two points of each sole. */
const soles = SIDES.map((side) => {
  const [heel, , ball] = findFootPoints(human, `${side}Foot`);
  return { bone: `${side}Foot`, points: [heel, ball] };
});

describe('contacts of feet that no one names', () => {
  const keys = { times: [1, 1.7], poses: [standing(), standing()] };

  test('a standing human stays standing, with both feet where they are', () => {
    const { motion, solution, contacts } = makePhysical(human, keys, { rate: 10 });
    expect(solution.status).toBe('converged');
    expect(contacts.map(({ bone, over }) => [bone, ...over])).toEqual(
      [...SIDES, ...SIDES].sort().map((side) => [`${side}Foot`, 1, 1.7]),
    );
    const pose = poseOf(human, motion);
    for (const time of sampleTimes(0, motion.end, 15)) expect(Math.abs(pose(time)[1])).toBeLessThan(0.01);
    for (const { bone, points } of soles) {
      for (const point of points) {
        const at = pointOf(human, motion, bone, point);
        for (const time of sampleTimes(0, motion.end, 15)) {
          expect(distance(at(time), at(0))).toBeLessThan(5e-4);
          expect(Math.abs(at(time)[1])).toBeLessThan(5e-4);
        }
      }
    }
  });

  test('`contacts: []` is a flight, and says so', () => {
    const { motion, contacts } = makePhysical(human, keys, { rate: 10, contacts: [], maxIterations: 60 });
    expect(contacts).toEqual([]);
    // A parabola of 0.7 s: g t^2 / 8.
    expect(poseOf(human, motion)(0.35)[1]).toBeCloseTo((9.81 * 0.7 ** 2) / 8, 1);
  });

  const one = { rate: 10, maxIterations: 1 };

  test('a squat whose feet slide and sink between keys is on its feet all the time', () => {
    const squat = { times: [0, 0.8, 1.6], poses: [standing(), standing(1), standing()] };
    const { contacts } = makePhysical(human, squat, one);
    expect(contacts).toHaveLength(4);
    for (const { over } of contacts) expect(over).toEqual([0, 1.6]);
  });

  test('a jump keeps its flight', () => {
    const poses = [
      standing(),
      standing(0.8),
      standing(),
      standing(0, 0.3),
      standing(),
      standing(0.8),
      standing(),
    ];
    const jump = { times: [0, 0.3, 0.6, 0.85, 1.1, 1.4, 1.7], poses };
    const { contacts } = makePhysical(human, jump, one);
    expect(contacts).toHaveLength(8);
    for (const { over } of contacts) {
      const isTakeOff = over[0] === 0;
      expect(isTakeOff ? over[1] : over[0]).toBeGreaterThan(isTakeOff ? 0.4 : 1.05);
      expect(isTakeOff ? over[1] : over[0]).toBeLessThan(isTakeOff ? 0.65 : 1.3);
      if (!isTakeOff) expect(over[1]).toBe(1.7);
    }
  });

  test('up is opposite to gravity, and without gravity nothing rests', () => {
    expect(makePhysical(human, keys, { ...one, gravity: [0, 0, 0] }).contacts).toEqual([]);
    const upright = makePhysical(human, keys, { ...one, gravity: [0, -1.6, 0] });
    expect(upright.contacts).toHaveLength(4);
    for (const { normal } of upright.contacts) {
      [0, 1, 0].forEach((x, k) => {
        expect(normal?.[k]).toBeCloseTo(x, 15);
      });
    }
  });

  test('are found in a recorded clip as well, unless points or contacts are given', () => {
    const values = keys.poses.flatMap((pose) => Array.from(pose));
    const clip = createMotion(human, { tracks: [{ coordinate: 0, keys: { times: keys.times, values } }] });
    expect(cleanMotion(human, clip, one).contacts).toHaveLength(4);
    expect(cleanMotion(human, clip, { ...one, contacts: [] }).contacts).toEqual([]);
    expect(cleanMotion(human, clip, { ...one, contactPoints: soles }).contacts).toHaveLength(2);
  });

  test('are found and pinned without physics as well, with the options of the detection', () => {
    const values = keys.poses.flatMap((pose, k) => Array.from(pose, (x, i) => x + (i === 0 ? 0.02 * k : 0)));
    const clip = createMotion(human, { tracks: [{ coordinate: 0, keys: { times: keys.times, values } }] });
    const kinematic = { ...one, physics: false };
    const { motion, contacts } = cleanMotion(human, clip, kinematic);
    expect(contacts).toHaveLength(4);
    for (const { bone, points } of soles) {
      for (const point of points) {
        const at = pointOf(human, motion, bone, point);
        // 2 cm of sliding in the clip.
        for (const time of sampleTimes(0, motion.end, 15))
          expect(distance(at(time), at(0))).toBeLessThan(1e-4);
      }
    }
    expect(cleanMotion(human, clip, { ...kinematic, contacts: [] }).contacts).toEqual([]);
    expect(cleanMotion(human, clip, { ...kinematic, detect: { ground: -0.5 } }).contacts).toEqual([]);
  });

  test('a humanoid whose feet are not found is refused, not left to fly', () => {
    const data = figureToData(human);
    const isLost = (name: string): boolean => /Foot|Toes/.test(name);
    const footless = createFigure({ ...data, bones: data.bones.filter(({ name }) => !isLost(name)) });
    const poses = [createPose(footless), createPose(footless)];
    expect(() => makePhysical(footless, { times: [0, 1], poses })).toThrow(
      expect.objectContaining({ code: 'unsupported', remedy: expect.stringContaining('`contacts: []`') }),
    );
    expect(makePhysical(footless, { times: [0, 1], poses }, { ...one, contacts: [] }).contacts).toEqual([]);
  });

  test('given back they change nothing, also where feet slide between the first and the last key', () => {
    const slid = standing();
    slid[2] += 0.04;
    const own = { times: [0, 0.8, 1.6], poses: [standing(), standing(1), slid] };
    const found = makePhysical(human, own, one);
    const again = makePhysical(human, own, { ...one, contacts: found.contacts });
    expect(found.contacts).toHaveLength(4);
    expect(again.solution.save.unknowns).toEqual(found.solution.save.unknowns);
  });

  test('`findFootContacts` finds them in a clip', () => {
    const values = keys.poses.flatMap((pose) => Array.from(pose));
    const clip = createMotion(human, { tracks: [{ coordinate: 0, keys: { times: keys.times, values } }] });
    expect(findFootContacts(human, clip)).toEqual(makePhysical(human, keys, one).contacts);
    expect(findFootContacts(human, clip, { isRecorded: true })).toEqual(
      cleanMotion(human, clip, one).contacts,
    );
    expect(findFootContacts(human, clip, { detect: { ground: -0.5 } })).toEqual([]);
    expect(findFootContacts(human, clip, { gravity: [0, 0, 0] })).toEqual([]);
  });

  test('`findFootContacts` takes the bones of the human that are given', () => {
    const values = keys.poses.flatMap((pose) => Array.from(pose));
    const clip = createMotion(human, { tracks: [{ coordinate: 0, keys: { times: keys.times, values } }] });
    const right = findFootContacts(human, clip).filter(({ bone }) => bone === 'rightFoot');
    expect(right).toHaveLength(2);
    expect(findFootContacts(human, clip, { bones: { leftFoot: null } })).toEqual(right);
    expect(() => findFootContacts(human, clip, { bones: { leftFoot: 'claw' } })).toThrow(
      expect.objectContaining({ code: 'unknown-name' }),
    );
  });

  test('a thrown box has none', () => {
    const box = createFigure({
      bones: [{ name: 'box', joint: { type: 'free' }, mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }],
    });
    const poses = [new Float64Array(6), new Float64Array(6)];
    expect(makePhysical(box, { times: [0, 0.5], poses }).contacts).toEqual([]);
  });
});
