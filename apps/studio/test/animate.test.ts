import { limitViolation } from 'poise/figure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyTimes } from '../src/animate/clip/clip.js';
import { poseAt } from '../src/animate/clip/clip-motion.js';
import { ghostsOf, trailOf } from '../src/animate/ghosts.js';
import {
  changeClip,
  copySelected,
  currentClip,
  deleteSelected,
  enter,
  goTo,
  goToKey,
  keyAll,
  moveSelected,
  paste,
  pause,
  play,
  selectAll,
  useAnimate,
} from '../src/animate/store.js';
import { advanced, timeline } from '../src/animate/timeline.js';
import { live } from '../src/live/driver.js';
import { session, useStudio } from '../src/session/store.js';

const studio = () => useStudio.getState();

describe('time that is played', () => {
  it('continues without a jump in a loop, and stops at the end without one', () => {
    expect(advanced(1.9, 0.25, 2, true).time).toBeCloseTo(0.15, 12);
    expect(advanced(0, 7.5, 2, true).time).toBeCloseTo(1.5, 12);
    expect(advanced(1.9, 0.25, 2, false)).toEqual({ time: 2, ends: true });
    expect(advanced(1, 0.25, 2, false)).toEqual({ time: 1.25, ends: false });
  });
});

describe('animating', () => {
  let leave: () => void;
  beforeEach(() => {
    while (studio().steps.undo !== undefined) studio().undo();
    timeline.time = 0;
    useAnimate.setState({ selected: new Set(), autokey: true, loops: true, speed: 1, copied: undefined });
    leave = enter();
  });
  afterEach(() => leave());

  function drag(id: string, by: readonly number[]): void {
    studio().beginDrag(id);
    const [x, y, z] = session.handlePosition(id);
    for (let frame = 1; frame <= 20; frame++) {
      session.dragTo(x + (frame / 20) * by[0], y + (frame / 20) * by[1], z + (frame / 20) * by[2]);
      session.step(1 / 60);
    }
    studio().endDrag();
  }

  const apart = (pose: ArrayLike<number>) =>
    session.pose.reduce((most, value, n) => Math.max(most, Math.abs(value - pose[n])), 0);

  it('keeps on writing keys where it is chosen again', () => {
    useStudio.setState({ mode: 'animate' });
    studio().setMode('animate');
    expect(live.completes).toBeDefined();
    expect(live.cancels).toBeDefined();
    useStudio.setState({ mode: 'pose' });
  });

  it('leaves pins where the pose of the document has them, whatever clip comes', () => {
    drag('leftHand', [0.2, 0.4, 0.1]);
    const clip = currentClip();
    const { leftLeg } = clip.keys;
    const lifted = leftLeg.map((key) => ({ ...key, values: key.values.map((x) => x + 0.2) }));
    changeClip('Lift the leg', { ...clip, keys: { ...clip.keys, leftLeg: lifted } });
    studio().setMode('animate');
    studio().setMode('pose');
    for (const id of session.pins.keys())
      expect([id, session.distanceLeft(id)]).toEqual([id, expect.closeTo(0, 9)]);
  });

  it('writes keys of what is posed at the time, as one step of undo', () => {
    const before = session.snapshot().pose;
    goTo(1);
    drag('leftHand', [0.2, 0.4, 0.1]);
    expect(studio().steps.undo).toBe('Move the left hand');
    expect(keyTimes(currentClip())).toEqual([0, 1]);
    const posed = session.snapshot().pose;
    expect(apart(before)).toBeGreaterThan(0.3);
    goTo(0);
    expect(apart(before)).toBeLessThan(1e-12);
    goTo(1);
    expect(apart(posed)).toBeLessThan(1e-12);
    goTo(2);
    drag('head', [0.05, -0.02, 0.1]);
    const { keys } = currentClip();
    expect(keys.head.map(({ time }) => time)).toContain(2);
    studio().undo();
    expect(keyTimes(currentClip())).toEqual([0, 1]);
    studio().undo();
    expect(studio().document.clip).toBeUndefined();
    expect(studio().steps.undo).toBeUndefined();
  });

  it('keys only the groups whose joints changed', () => {
    studio().releasePins();
    keyAll();
    goTo(1);
    const pose = Float64Array.from(session.pose);
    const neck = session.figure.bones.find(({ name }) => name === 'neck');
    pose[neck?.coordinate ?? 0] += 0.1;
    studio().keepPose('Nod', pose);
    expect(
      Object.entries(currentClip().keys)
        .filter(([, keys]) => keys.length > 1)
        .map(([id]) => id),
    ).toEqual(['head']);
  });

  it('writes none where that is switched off, until all is keyed', () => {
    keyAll();
    useAnimate.setState({ autokey: false });
    goTo(1);
    drag('leftHand', [0.1, 0.3, 0]);
    const posed = session.snapshot().pose;
    expect(keyTimes(currentClip())).toEqual([0]);
    expect(apart(posed)).toBe(0);
    keyAll();
    expect(keyTimes(currentClip())).toEqual([0, 1]);
    expect(apart(posed)).toBeLessThan(1e-12);
  });

  it('takes back retiming, pasting and deleting to the bit', () => {
    keyAll();
    goTo(1);
    drag('rightHand', [-0.2, 0.5, 0.2]);
    const clip = currentClip();
    selectAll();
    copySelected();
    moveSelected(0.5);
    goTo(2);
    paste();
    expect(currentClip().duration).toBe(3);
    selectAll();
    deleteSelected();
    expect(keyTimes(currentClip())).toEqual([]);
    for (let k = 0; k < 3; k++) studio().undo();
    expect(currentClip()).toEqual(clip);
    for (let k = 0; k < 3; k++) studio().redo();
    expect(keyTimes(currentClip())).toEqual([]);
  });

  it('plays to the frame, follows with handles, and stops on a frame', () => {
    keyAll();
    goTo(1);
    drag('leftHand', [0.2, 0.4, 0.1]);
    goTo(0);
    const start = session.handlePosition('leftHand');
    play();
    for (let frame = 1; frame <= 45; frame++) {
      const pose = live.driver?.step(1 / 30);
      if (pose !== undefined) session.follow(pose);
      expect(timeline.time).toBeCloseTo(frame / 30, 9);
      expect(apart(poseAt(currentClip(), session.character, timeline.time))).toBeLessThan(1e-12);
      expect(limitViolation(session.figure, session.pose)).toBeLessThan(1e-12);
    }
    live.driver?.step(0.013);
    pause();
    expect(timeline.time).toBe(1.5);
    expect(live.driver).toBeUndefined();
    expect(Math.hypot(...session.handlePosition('leftHand').map((x, n) => x - start[n]))).toBeGreaterThan(
      0.3,
    );
    goToKey(-1);
    expect(timeline.time).toBe(1);
    // A frame that follows solves nothing else.
    const shown = session.snapshot().pose;
    session.step(1 / 60);
    expect(apart(shown)).toBe(0);
  });

  it('shows poses before and after within the clip, and the path of a handle through its keys', () => {
    keyAll();
    goTo(1);
    drag('leftHand', [0.2, 0.4, 0.1]);
    const { character } = session;
    const clip = currentClip();
    expect(ghostsOf(clip, character, 1).map(({ side }) => Math.sign(side))).toEqual([-1, -1, -1, 1, 1, 1]);
    expect(ghostsOf(clip, character, 0).every(({ side }) => side > 0)).toBe(true);
    const { path, keys } = trailOf(clip, character, session.handle('leftHand'));
    expect([path.length / 3, keys.length / 3]).toEqual([61, 2]);
    const here = session.handlePosition('leftHand');
    expect(Math.hypot(...here.map((x, n) => x - keys[3 + n]))).toBeLessThan(1e-9);
    expect(Math.hypot(...here.map((x, n) => x - path[90 + n]))).toBeLessThan(1e-9);
  });

  it('stops at the end where it does not loop', () => {
    keyAll();
    useAnimate.setState({ loops: false });
    play();
    for (let frame = 0; frame < 70; frame++) live.driver?.step(1 / 30);
    expect([timeline.time, useAnimate.getState().isPlaying]).toEqual([2, false]);
    play();
    live.driver?.step(1 / 30);
    expect(timeline.time).toBeCloseTo(1 / 30, 12);
  });
});
