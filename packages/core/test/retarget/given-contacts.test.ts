/** Contacts that are given, and those of the result as points of its bones. */
import { describe, expect, test } from 'vitest';
import { MotionError } from '../../src/errors.js';
import { createState, forwardKinematics, worldPoint } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import type { Numbers } from '../../src/math/index.js';
import { createMotionSampler, type Motion, samplePose } from '../../src/motion/index.js';
import {
  createRetargeter,
  type FootContact,
  groundContacts,
  type HandContact,
  retargetMotion,
} from '../../src/retarget/index.js';
import { squat } from './support.js';

const source = createHumanFigure({ height: 1.75 });
const clip = squat(source);
const retargeter = createRetargeter(source, createHumanFigure({ height: 1.2 }));
const { target } = retargeter;

describe('contacts given', () => {
  test('as found give the same clip to the last bit', () => {
    const found = retargetMotion(retargeter, clip);
    const { times, contacts: reports } = found.report;
    const contacts = reports.flatMap((report) =>
      report.spans.map(([from, to]): FootContact | HandContact => {
        const over = [times[from], times[to]] as const;
        return 'foot' in report
          ? { foot: report.foot, point: report.point, over }
          : { hand: report.hand, over };
      }),
    );
    expect(contacts).toHaveLength(4);
    const given = retargetMotion(retargeter, clip, { contacts });
    expect(given.motion).toEqual(found.motion);
    expect(given.report).toEqual(found.report);
  });

  test.each<[string, FootContact | HandContact, RegExp]>([
    ['after the clip', { foot: 'left', point: 'heel', over: [2, 3] }, /has no frame of the clip, 0 s to 1 s/],
    ['that ends before it begins', { hand: 'left', over: [0.5, 0.4] }, /goes from 0\.5 to 0\.4 s/],
  ])('%s are refused', (_, contact, message) => {
    const ask = () => retargetMotion(retargeter, clip, { contacts: [contact] });
    expect(ask).toThrow(MotionError);
    expect(ask).toThrow(message);
    expect(ask).toThrow(/options\.contacts\[0\]\.over/);
  });
});

describe('ground contacts', () => {
  test('are points of the bones that stay where they are, on the ground', () => {
    const { motion, report } = retargetMotion(retargeter, clip);
    const contacts = groundContacts(retargeter, report);
    expect(contacts.map(({ bone, points, over }) => [bone, points.length, over])).toEqual([
      ['leftFoot', 1, [0, 1]],
      ['leftFoot', 2, [0, 1]],
      ['rightFoot', 1, [0, 1]],
      ['rightFoot', 2, [0, 1]],
    ]);
    for (const { bone, points } of contacts) {
      for (const point of points) {
        const [start, middle] = [0, 0.5].map((time) => at(motion, time, bone, point));
        expect(Math.hypot(...start.map((x, k) => x - middle[k]))).toBeLessThan(1e-3);
        expect(Math.abs(middle[1])).toBeLessThan(1e-3);
      }
    }
    // The ball is as wide as the foot: left is left.
    const [left, right] = contacts[1].points.map((point) => at(motion, 0, 'leftFoot', point));
    expect(left[0] - right[0]).toBeGreaterThan(0.04);
  });

  test('begin and end half a frame beside the frames of the contact', () => {
    const contact = { foot: 'left', point: 'heel', over: [0.2, 0.6] } as const;
    const { report } = retargetMotion(retargeter, clip, { contacts: [contact] });
    const [{ over }, ...others] = groundContacts(retargeter, report);
    expect(others).toEqual([]);
    expect(over[0]).toBeCloseTo(0.2 - 1 / 60, 9);
    expect(over[1]).toBeCloseTo(0.6 + 1 / 60, 9);
  });
});

function at(motion: Motion, time: number, bone: string, point: Numbers): number[] {
  const state = createState(target);
  const sampler = createMotionSampler(target, motion);
  forwardKinematics(state, samplePose(sampler, time, new Float64Array(target.dof)));
  return Array.from(worldPoint(state, bone, point));
}
