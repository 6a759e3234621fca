import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGltfRig } from '@poise/formats/gltf';
import { describeWithData } from '@poise/test-support/shared-data';
import { limitViolation } from 'poise/figure';
import { findHumanoid, withAnatomicalLimits } from 'poise/humanoid';
import { vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { createCharacter, createHuman } from '../src/character/character.js';
import { mirrored, mirroredPins, mirroredPoint } from '../src/posing/mirror.js';
import { Gaze } from '../src/session/gaze.js';
import { Session } from '../src/session/session.js';

const DEGREE = Math.PI / 180;
const undrawn = () => {
  throw new Error('nothing is drawn');
};
const session = () => looking(new Session(createHuman(1.75, undrawn)));

function looking(body: Session): Session {
  body.gazeOf = Gaze.of;
  return body;
}

/** What is looked at, so far to its left, up and forward from the eyes. */
function from(of: Session, [left, up, forward]: readonly number[]): number[] {
  const eyes = of.eyes();
  if (eyes === undefined) throw new Error('it has no head');
  return vec3.add(eyes, [left, up, forward]);
}

function gazeAt(of: Session, target: readonly number[]): void {
  of.beginGaze();
  of.gazeTo(target[0], target[1], target[2]);
  of.step(1 / 60);
  of.endGaze();
}

const turnOf = (of: Session, name: string): number => {
  const bone = of.figure.bones.find((each) => each.name === name);
  if (bone === undefined) throw new Error(name);
  return vec3.norm(of.pose.subarray(bone.coordinate, bone.coordinate + bone.dof));
};

describe('the gaze', () => {
  it('is mirrored with the pose, and grows with the body', () => {
    const body = session();
    body.look('ahead');
    gazeAt(body, from(body, [0.5, 0.1, 0.7]));
    const { character, pose } = body;
    const image = mirroredPoint(character, body.gaze ?? []);
    body.setPose(character, mirrored(character, pose), mirroredPins(character, body.pins), image);
    const rotated = Float64Array.from(body.pose);
    body.step(1 / 60);
    expect(body.gazeLeft()).toBeLessThan(0.02);
    expect(Math.max(...rotated.map((x, n) => Math.abs(x - body.pose[n])))).toBe(0);
    // The next solve is no longer for the result alone.
    body.look(body.gaze);
    body.step(1 / 60);
    expect(Math.max(...rotated.map((x, n) => Math.abs(x - body.pose[n])))).toBeLessThan(0.02);
    body.resize(createHuman(2.1, undrawn));
    expect(body.gaze).toEqual(image.map((x) => x * (2.1 / 1.75)));
    expect(body.gazeLeft()).toBeLessThan(0.02);
  });

  it('is met by chest, neck and head in shares, while the feet stand', () => {
    const body = session();
    const feet = ['leftFoot', 'rightFoot'].map((id) => body.handlePosition(id));
    const before = ['upperChest', 'neck', 'head'].map((name) => turnOf(body, name));
    body.look('ahead');
    expect(body.gazeLeft()).toBeLessThan(1e-6);
    for (const at of [
      [0.6, 0, 0.7],
      [-0.5, 0.3, 0.6],
      [0.2, -0.4, 0.5],
    ]) {
      gazeAt(body, from(body, at));
      expect(body.gazeLeft(), String(at)).toBeLessThan(0.02);
      expect(limitViolation(body.figure, body.pose)).toBeLessThan(1e-9);
    }
    gazeAt(body, from(body, [0.9, 0, 0.7]));
    const angles = ['upperChest', 'neck', 'head'].map((name, n) => turnOf(body, name) - before[n]);
    for (const angle of angles) expect(angle).toBeGreaterThan(1 * DEGREE);
    expect(angles[2]).toBeGreaterThan(angles[1]);
    ['leftFoot', 'rightFoot'].forEach((id, n) => {
      expect(vec3.distance(body.handlePosition(id), feet[n])).toBeLessThan(5e-4);
    });
  });

  it('stops at the limits of the neck, and says how far it is short', () => {
    const body = session();
    body.look('ahead');
    gazeAt(body, from(body, [0, 0.1, -1]));
    expect(limitViolation(body.figure, body.pose)).toBeLessThan(1e-9);
    expect(body.gazeLeft()).toBeGreaterThan(20 * DEGREE);
  });

  it('stays where it is pinned while the body is dragged', () => {
    const body = session();
    body.look('ahead');
    gazeAt(body, from(body, [0.4, 0, 0.8]));
    const target = body.gaze;
    for (const [id, by] of [
      ['leftHand', [0.3, 0.4, 0.2]],
      ['hips', [0.05, -0.2, 0]],
      ['rightHand', [-0.3, -0.2, 0.5]],
      ['head', [0.06, -0.05, 0.05]],
    ] as const) {
      body.beginDrag(id);
      const [x, y, z] = body.handlePosition(id);
      for (let frame = 1; frame <= 30; frame++) {
        const share = Math.min(1, frame / 15);
        body.dragTo(x + share * by[0], y + share * by[1], z + share * by[2]);
        body.step(1 / 60);
      }
      expect(body.gazeLeft(), id).toBeLessThan(id === 'head' ? 0.15 : 0.02);
      expect(limitViolation(body.figure, body.pose)).toBeLessThan(1e-9);
      body.endDrag();
      body.step(1 / 60);
      expect(body.gazeLeft(), `after ${id}`).toBeLessThan(0.02);
      expect(body.gaze).toBe(target);
    }
  });

  it('does not depend on the path on which it was dragged, and is put back by Escape', () => {
    const [a, b] = [session(), session()];
    for (const each of [a, b]) each.look('ahead');
    const end = from(a, [-0.5, 0.2, 0.7]);
    gazeAt(a, end);
    b.beginGaze();
    for (const way of [
      [0.9, 0, 0.4],
      [0.2, -0.6, 0.5],
      [0, 0.7, 0.4],
    ]) {
      const [x, y, z] = vec3.add(end, way);
      b.gazeTo(x, y, z);
      b.step(1 / 60);
    }
    b.gazeTo(end[0], end[1], end[2]);
    b.step(1 / 60);
    b.endGaze();
    a.pose.forEach((x, n) => {
      expect(b.pose[n]).toBeCloseTo(x, 9);
    });
    const before = b.snapshot();
    b.beginGaze();
    b.gazeTo(1, 1, 1);
    b.step(1 / 60);
    b.cancelDrag();
    expect(b.snapshot().gaze).toBe(before.gaze);
    expect(b.pose).toEqual(Float64Array.from(before.pose));
  });

  it('ends where the head is angles by hand, and is back where that is cancelled', () => {
    const body = session();
    body.look('ahead');
    const { gaze } = body;
    body.beginTurn('head');
    body.turnTo([0, 1, 0], 0.3);
    body.step(1 / 60);
    expect(body.gaze).toBeUndefined();
    body.cancelDrag();
    expect(body.gaze).toBe(gaze);
    body.beginTurn('leftHand');
    body.endDrag();
    expect(body.gaze).toBe(gaze);
  });

  it('goes by the eyes alone where the rotation of the head is pinned', () => {
    const body = session();
    body.pin('head', 'rotation');
    body.look('ahead');
    const before = Float64Array.from(body.pose);
    gazeAt(body, from(body, [0.5, 0, 0.8]));
    body.pose.forEach((x, n) => {
      expect(x).toBeCloseTo(before[n], 3);
    });
  });
});

describeWithData('the gaze of files', 'vrm', (folder) => {
  it('turns their eyes too', () => {
    const { figure: given } = readGltfRig(readFileSync(join(folder, 'cryptovoxels.vrm')));
    const figure = withAnatomicalLimits(given);
    const humanoid = findHumanoid(figure);
    const body = looking(
      new Session(
        createCharacter({
          source: { type: 'file', name: 'cryptovoxels.vrm' },
          figure,
          humanoid,
          createModel: undrawn,
          write: undrawn,
        }),
      ),
    );
    body.look('ahead');
    const { up, left, forward } = humanoid ?? { up: [], left: [], forward: [] };
    const eyes = body.eyes() ?? [];
    const at = vec3.addScaled(vec3.addScaled(vec3.addScaled(eyes, left, 0.5), up, 0.1), forward, 0.8);
    gazeAt(body, Array.from(at));
    expect(body.gazeLeft()).toBeLessThan(0.03);
    expect(limitViolation(figure, body.pose)).toBeLessThan(1e-9);
  });
});
