import { limitViolation } from 'poise/figure';
import { quat, rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { createHuman } from '../src/character/character.js';
import { limbsOf } from '../src/character/limbs.js';
import { Session } from '../src/session/session.js';

const human = () =>
  createHuman(1.75, () => {
    throw new Error('nothing is drawn');
  });

describe('the swivel of a limb', () => {
  const character = human();

  it('is there for both elbows and both knees', () => {
    expect(limbsOf(character).map(({ id }) => id)).toEqual([
      'leftElbow',
      'leftKnee',
      'rightElbow',
      'rightKnee',
    ]);
  });

  it.each(limbsOf(character).map((limb) => [limb.id, limb] as const))(
    'turns %s about the line between its ends, which stay',
    (_id, limb) => {
      const session = new Session(human());
      // Bent first: a straight limb has no swivel to see.
      const bend = limb.id.endsWith('Elbow') ? 1.4 : 1.2;
      const pose = Float64Array.from(session.pose);
      pose[session.figure.bones[limb.middle].coordinate] = bend;
      session.setPose(session.character, pose, []);
      const at = (bone: number) => rigid.toPosition(session.frameOf(bone));
      const [start, middle, end] = [limb.start, limb.middle, limb.end].map(at);
      const hand = rigid.toQuat(session.frameOf(limb.end));
      const line = vec3.normalize(vec3.subtract(end, start));
      session.beginSwivel(limb);
      const from = session.swivelAt(limb);
      // Across the limb, by half a radian.
      const arm = vec3.subtract(from, start);
      const off = vec3.addScaled(arm, line, -vec3.dot(arm, line));
      const target = vec3.addScaled(from, vec3.cross(line, off), 0.5);
      for (let frame = 0; frame < 12; frame++) {
        session.dragTo(target[0], target[1], target[2]);
        session.step(1 / 60);
      }
      session.endDrag();
      const [a, b, c] = [limb.start, limb.middle, limb.end].map(at);
      expect(vec3.distance(a, start)).toBeLessThan(1e-9);
      expect(vec3.distance(c, end)).toBeLessThan(5e-4);
      // A hand keeps its rotation, a foot in the air turns with its leg.
      const now = rigid.toQuat(session.frameOf(limb.end));
      if (limb.id.endsWith('Elbow')) expect(quat.angleBetween(now, hand)).toBeLessThan(0.02);
      else {
        const along = quat.rotate(quat.conjugate(hand), line);
        expect(vec3.dot(quat.rotate(now, along), line)).toBeGreaterThan(Math.cos(0.02));
      }
      expect(vec3.distance(b, middle)).toBeGreaterThan(0.02);
      expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-9);
      // Nothing beside the limb moves.
      for (const { index, coordinate, dof } of session.figure.bones) {
        if (limb.joints.has(index)) continue;
        for (let n = 0; n < dof; n++) expect(session.pose[coordinate + n]).toBe(pose[coordinate + n]);
      }
    },
  );

  it('keeps a foot flat where it stands', () => {
    const session = new Session(human());
    session.beginDrag('hips');
    const [x, y, z] = session.handlePosition('hips');
    for (let frame = 0; frame < 30; frame++) {
      session.dragTo(x, y - 0.2, z - 0.08);
      session.step(1 / 60);
    }
    session.endDrag();
    const knee = limbsOf(session.character)[1];
    const up = () => quat.rotate(rigid.toQuat(session.frameOf(knee.end)), [0, 1, 0]);
    const ankle = rigid.toPosition(session.frameOf(knee.end));
    const before = rigid.toPosition(session.frameOf(knee.middle));
    const flat = up();
    session.beginSwivel(knee);
    const [a, b, c] = session.swivelAt(knee);
    for (let frame = 0; frame < 12; frame++) {
      session.dragTo(a + 0.12, b, c);
      session.step(1 / 60);
    }
    session.endDrag();
    expect(vec3.distance(rigid.toPosition(session.frameOf(knee.end)), ankle)).toBeLessThan(5e-4);
    expect(vec3.dot(up(), flat)).toBeGreaterThan(Math.cos(0.02));
    expect(vec3.distance(rigid.toPosition(session.frameOf(knee.middle)), before)).toBeGreaterThan(0.03);
    // The pin of the foot holds it as it now stands.
    const pose = Float64Array.from(session.pose);
    session.step(1 / 60);
    session.pose.forEach((x, n) => {
      expect(x).toBeCloseTo(pose[n], 3);
    });
  });

  it('is put back by Escape, and begins without a jump', () => {
    const session = new Session(human());
    const [elbow] = limbsOf(session.character);
    const before = Float64Array.from(session.pose);
    session.beginSwivel(elbow);
    session.step(1 / 60);
    session.pose.forEach((x, n) => {
      expect(x).toBeCloseTo(before[n], 4);
    });
    session.dragTo(0.3, 1.2, -0.5);
    for (let frame = 0; frame < 5; frame++) session.step(1 / 60);
    session.cancelDrag();
    expect(session.pose).toEqual(before);
  });
});
