import { createState, forwardKinematics, limitViolation } from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { createMotionSampler, samplePose } from 'poise/motion';
import { describe, expect, it } from 'vitest';
import { type Clip, emptyClip, putKeys, setInterpolation } from '../src/animate/clip/clip.js';
import { curvesOf, poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { bend } from '../src/animate/trail/bend.js';
import { editedClip } from '../src/animate/trail/edited-clip.js';
import { pinnedWith, trailPoints, trailTimes } from '../src/animate/trail/trail.js';
import { createHuman } from '../src/character/character.js';

const character = createHuman(1.75, () => {
  throw new Error('nothing is drawn');
});
const { figure } = character;
const groups = jointGroups(character).map(({ id }) => id);
const handle = (id: string) =>
  character.handles.find((each) => each.id === id) as (typeof character.handles)[number];
const bone = (name: string) => figure.bones.findIndex((each) => each.name === name);

/** Four seconds of an arm that swings, on feet that stand. */
function swing(): Clip {
  const { coordinate } = figure.bones[bone('leftUpperArm')];
  let clip: Clip = { ...emptyClip(character, character.pose), duration: 4 };
  for (const [time, angle] of [0, 0.6, 0.1, 0.6, 0].entries()) {
    const pose = character.pose.map((x, n) => (n === coordinate ? x + angle : x));
    clip = putKeys(clip, character, time, pose, time === 0 || time === 4 ? groups : ['leftArm']);
  }
  return clip;
}

function pointAt(clip: Clip, time: number, at: { bone: number; point: ArrayLike<number> }): number[] {
  const state = createState(figure);
  forwardKinematics(state, poseAt(clip, character, time));
  const [x, y, z] = Array.from(at.point);
  return [...rigid.transformPoint(state.worldFromBone.subarray(12 * at.bone, 12 * at.bone + 12), [x, y, z])];
}

describe('the path of a handle', () => {
  it('is dragged at its keys and at moments between them, all on the path', () => {
    const clip = swing();
    const points = trailPoints(clip, character, handle('leftHand'), trailTimes(clip));
    expect(points.filter(({ isKey }) => isKey).map(({ time }) => time)).toEqual([0, 1, 2, 3, 4]);
    expect(points.length).toBeGreaterThan(12);
    expect(points.length).toBeLessThan(32);
    for (const { time, at } of points) expect(at).toEqual(pointAt(clip, time, handle('leftHand')));
    expect(trailTimes({ ...clip, duration: 400 }).length).toBeLessThan(32);
  });

  it.each(['leftHand', 'hips'])('that of %s bends where it is dragged, on feet that stay', (id) => {
    const clip = swing();
    const dragged = handle(id);
    const by = id === 'hips' ? ([0.04, -0.06, 0.02] as const) : ([0.05, 0.08, 0.03] as const);
    const from = pointAt(clip, 2, dragged);
    const motion = bend(
      {
        figure,
        motion: curvesOf(clip, character),
        bone: figure.bones[dragged.bone].name,
        point: [dragged.point[0], dragged.point[1], dragged.point[2]],
        at: 2,
        pinned: pinnedWith(character, dragged),
        size: character.size,
      },
      by,
    );
    const bent = editedClip(clip, character, motion, 2, [1, 3]);
    const to = from.map((x, n) => x + by[n]);
    expect(
      vec3.distance(pointAt(bent, 2, dragged) as [number, number, number], to as [number, number, number]),
    ).toBeLessThan(2e-3);
    // Feet are where they were, all the way.
    let [farthest, off, outside] = [0, 0, 0];
    const sampler = createMotionSampler(figure, motion);
    const apart = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Math.max(...Array.from(a, (x, n) => Math.abs(x - b[n])));
    for (let frame = 0; frame <= 120; frame++) {
      const time = frame / 30;
      const pose = poseAt(bent, character, time);
      expect(limitViolation(figure, pose)).toBeLessThan(1e-9);
      for (const name of ['leftFoot', 'rightFoot', 'leftToes', 'rightToes']) {
        const foot = { bone: bone(name), point: [0, 0, 0] };
        const [now, then] = [bent, clip].map((each) => pointAt(each, time, foot));
        farthest = Math.max(farthest, Math.hypot(...now.map((x, n) => x - then[n])));
      }
      // It is the motion that the edit gave; before and after, the clip is what it was.
      off = Math.max(off, apart(pose, samplePose(sampler, time, new Float64Array(figure.dof))));
      if (time <= 1 || time >= 3) outside = Math.max(outside, apart(pose, poseAt(clip, character, time)));
    }
    expect(off).toBeLessThan(0.0101);
    expect(outside).toBeLessThan(1e-8);
    console.log(`studio: feet move by ${(1000 * farthest).toFixed(1)} mm as the path of ${id} is bent`);
    expect(farthest).toBeLessThan(0.012);
    const count = Object.values(bent.keys).reduce((sum, keys) => sum + keys.length, 0);
    expect(count).toBeLessThan(Object.values(clip.keys).reduce((sum, keys) => sum + keys.length, 0) + 60);
  });

  it('leaves steps steps, and what does not move alone', () => {
    const clip = setInterpolation(swing(), new Set(['leftArm 1']), 'step');
    const dragged = handle('leftHand');
    const motion = bend(
      {
        figure,
        motion: curvesOf(clip, character),
        bone: 'leftHand',
        point: [0, 0, 0],
        at: 2.5,
        pinned: [],
        size: character.size,
      },
      [0, 0.05, 0],
    );
    const bent = editedClip(clip, character, motion, 2.5, [1.5, 3.5]);
    expect(bent.keys.leftArm.find(({ time }) => time === 1)?.interpolation).toBe('step');
    expect(bent.keys.rightLeg).toBe(clip.keys.rightLeg);
    expect(pinnedWith(character, dragged).map(({ bone }) => bone)).toEqual([
      'leftFoot',
      'leftToes',
      'rightFoot',
      'rightToes',
    ]);
    expect(pinnedWith(character, handle('leftFoot')).map(({ bone }) => bone)).toEqual([
      'rightFoot',
      'rightToes',
    ]);
  });
});
