import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGltfRig } from '@poise/formats/gltf';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { findHumanoid, withAnatomicalLimits } from 'poise/humanoid';
import { rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import {
  FINGERS,
  fingerPose,
  type HAND_POSES,
  type Hand,
  handsOf,
  setFinger,
  withHandPose,
} from '../src/character/fingers.js';
import { createHand, handFigure } from '../src/character/made/hand.js';
import { armFigure, createRobotArm } from '../src/character/made/robot-arm.js';
import { Session } from '../src/session/session.js';

/** Tips of thumb, index, ... little finger. */
function tipsOf(figure: Figure, pose: ArrayLike<number>, { fingers }: Hand): number[][] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return fingers.map(({ joints }) => {
    const { index, tip = [0, 0, 0] } = figure.bones[joints[joints.length - 1].bone];
    return Array.from(rigid.transformPoint(state.worldFromBone.subarray(12 * index, 12 * index + 12), tip));
  });
}

function checkHand(figure: Figure, hand: Hand, wrist: number): void {
  const rest = createPose(figure);
  const state = createState(figure);
  forwardKinematics(state, rest);
  const at = Array.from(state.worldFromBone.subarray(12 * wrist + 9, 12 * wrist + 12));
  const of = (name: (typeof HAND_POSES)[number]) => {
    const pose = withHandPose({ figure }, rest, hand, name);
    expect(limitViolation(figure, pose), name).toBeLessThan(1e-9);
    return tipsOf(figure, pose, hand);
  };
  const [open, fist, point, up, ok] = [of('Open hand'), of('Fist'), of('Point'), of('Thumbs up'), of('OK')];
  const reach = (tips: number[][]) => tips.map((tip) => vec3.distance(tip, at));
  // A fist brings all fingers back, a point all but the index finger, thumbs up all but the thumb.
  const [flat, closed] = [reach(open), reach(fist)];
  for (let n = 1; n < 5; n++) expect(closed[n], `finger ${n}`).toBeLessThan(0.75 * flat[n]);
  expect(reach(point)[1]).toBeGreaterThan(0.95 * flat[1]);
  expect(reach(point)[2]).toBeLessThan(0.75 * flat[2]);
  expect(reach(up)[0]).toBeGreaterThan(0.9 * flat[0]);
  expect(reach(up)[1]).toBeLessThan(0.75 * flat[1]);
  // The tips of a spread hand are farther apart, those of OK touch.
  const wide = vec3.distance(open[1], open[4]);
  expect(wide).toBeGreaterThan(
    1.2 * vec3.distance(tipsOf(figure, rest, hand)[1], tipsOf(figure, rest, hand)[4]),
  );
  expect(vec3.distance(ok[0], ok[1])).toBeLessThan(0.15 * vec3.distance(open[0], open[1]));
}

function checkSliders(figure: Figure, hand: Hand): void {
  for (const finger of hand.fingers) {
    const pose = createPose(figure);
    for (const [curl, spread] of [
      [0.3, 0.4],
      [0.9, -0.2],
      [0, 0],
    ] as const) {
      setFinger(figure, pose, finger, { curl, spread });
      const now = fingerPose(figure, pose, finger);
      expect(now.curl, finger.name).toBeCloseTo(curl, 1);
      expect(now.spread, finger.name).toBeCloseTo(spread, 1);
    }
    // One leaves the other as it is.
    setFinger(figure, pose, finger, { spread: 0.3 });
    setFinger(figure, pose, finger, { curl: 0.5 });
    expect(fingerPose(figure, pose, finger).spread, finger.name).toBeCloseTo(0.3, 1);
    expect(limitViolation(figure, pose)).toBeLessThan(1e-9);
  }
}

describe('the hand that the studio makes', () => {
  const character = createHand();
  const { figure } = character;
  const [hand] = handsOf(character);

  it('has five fingers with curl and spread, and poses of a hand', () => {
    expect(hand.side).toBe('right');
    expect(hand.fingers.map(({ name }) => name)).toEqual([...FINGERS]);
    checkSliders(figure, hand);
    checkHand(figure, hand, character.bones.rightHand as number);
  });

  it('curls into the palm, which is to the front', () => {
    const curled = tipsOf(figure, withHandPose({ figure }, createPose(figure), hand, 'Fist'), hand);
    for (const tip of curled.slice(1)) expect(tip[2]).toBeGreaterThan(0.01);
  });

  it('is dragged by its finger tips, and goes back to the bit', () => {
    const session = new Session(createHand());
    const before = session.snapshot();
    session.beginDrag('indexTip');
    const [x, y, z] = session.handlePosition('indexTip');
    for (let n = 0; n < 20; n++) {
      session.dragTo(x, y - 0.02, z + 0.03);
      session.step(1 / 60);
    }
    expect(session.distanceLeft('indexTip')).toBeLessThan(1e-3);
    session.endDrag();
    expect(limitViolation(handFigure(), session.pose)).toBeLessThan(1e-12);
    session.restore(before);
    expect(session.pose).toEqual(Float64Array.from(before.pose));
  });
});

describe('the robot arm that the studio makes', () => {
  it('is dragged by its tool, and turned by it', () => {
    const session = new Session(createRobotArm());
    const [x, y, z] = session.handlePosition('tool');
    session.beginDrag('tool');
    for (let n = 0; n < 30; n++) {
      session.dragTo(x + 0.15, y - 0.1, z - 0.05);
      session.step(1 / 60);
    }
    expect(session.distanceLeft('tool')).toBeLessThan(1e-3);
    session.endDrag();
    session.pin('tool', 'place');
    session.beginTurn('tool');
    session.turnTo([1, 0, 0], 0.4);
    for (let n = 0; n < 30; n++) session.step(1 / 60);
    expect(session.angleLeft('tool')).toBeLessThan(0.02);
    expect(limitViolation(armFigure(), session.pose)).toBeLessThan(1e-12);
  });
});

describeWithData('fingers of files', 'vrm', (folder) => {
  it('curl, spread and pose as those of the hand do, on both sides alike', () => {
    const { figure: given } = readGltfRig(readFileSync(join(folder, 'cryptovoxels.vrm')));
    const figure = withAnatomicalLimits(given);
    const bones = findHumanoid(figure)?.bones ?? {};
    const hands = handsOf({ figure, bones });
    expect(hands.map(({ side }) => side)).toEqual(['left', 'right']);
    for (const hand of hands) {
      checkSliders(figure, hand);
      checkHand(figure, hand, bones[`${hand.side}Hand`] as number);
    }
    // Alike: the file's own hands are not mirror images to the centimetre.
    let pose: Float64Array = createPose(figure);
    for (const hand of hands) pose = withHandPose({ figure }, pose, hand, 'Point');
    const [left, right] = hands.map((hand) => tipsOf(figure, pose, hand));
    for (let n = 1; n < 5; n++) {
      const [a, b] = [left, right].map((tips) => vec3.distance(tips[0], tips[n]));
      expect(Math.abs(a - b)).toBeLessThan(0.012);
    }
  });
});
