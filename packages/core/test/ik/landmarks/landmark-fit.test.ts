import { clampToLimits, createFigure, createPose, figureToData, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  BODY_LANDMARKS,
  bodyLandmarks,
  createHandFigure,
  createLandmarkFit,
  fromHolistic,
  fromMediaPipe,
  HAND_LANDMARKS,
  HOLISTIC_LANDMARKS,
  handLandmarks,
  holisticLandmarks,
  solveLandmarks,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { clipAtLimits } from '../../../../../scripts/oracles/markers/clip-at-limits.js';
import { scaleFigure } from '../../../src/ik/markers/length-groups.js';
import { createRandom } from '../../figure/support.js';
import { measured, positionsOf, smoothClip } from '../markers/support.js';

const human = createHumanFigure();
const landmarks = bodyLandmarks(human);

describe('bodyLandmarks', () => {
  it('gives all 33 on the human in MediaPipe order: shoulders at the shoulders, nose ahead of the ears, toes ahead of heels', () => {
    expect(landmarks.map(({ name }) => name)).toEqual(BODY_LANDMARKS);
    const positions = positionsOf(human, landmarks, createPose(human));
    const at = (name: string): number[] => {
      const m = landmarks.findIndex((mark) => mark.name === name);
      return Array.from(positions.subarray(3 * m, 3 * m + 3));
    };
    const shoulder = human.bones.find(({ name }) => name === 'leftUpperArm');
    expect(landmarks[11].bone).toBe(shoulder?.index);
    expect(at('nose')[2]).toBeGreaterThan(at('left_ear')[2] + 0.08);
    expect(at('left_ear')[0]).toBeCloseTo(-at('right_ear')[0], 12);
    expect(at('left_eye')[1]).toBeGreaterThan(at('mouth_left')[1] + 0.04);
    expect(at('left_foot_index')[2]).toBeGreaterThan(at('left_heel')[2] + 0.15);
    expect(at('left_heel')[1]).toBeGreaterThan(0);
    expect(at('left_index')[2]).toBeGreaterThan(at('left_pinky')[2]);
    // Eye height is 0.936 of stature (Drillis & Contini).
    expect(at('left_eye')[1] / 1.75).toBeCloseTo(0.936, 2);
  });

  it('gives the same points on the same figure with rotated bone frames and other names', () => {
    // Every bone frame turned by its own rest; names as Mixamo has them; the world places must not change.
    const rotation = [0.5, 0.5, 0.5, 0.5] as const;
    const data = figureToData(human);
    const base = createFigure({
      bones: [
        { name: 'root', joint: { type: 'free' }, rest: { rotation } },
        ...data.bones.slice(0, 1).map((bone) => ({
          ...bone,
          name: 'mixamorig:Hips',
          parent: 'root',
          rest: {
            position: [bone.rest?.position?.[1] ?? 0, 0, 0] as const,
            rotation: [-0.5, -0.5, -0.5, 0.5] as const,
          },
          joint: { type: 'fixed' as const },
        })),
        ...data.bones.slice(1).map((bone) => ({
          ...bone,
          name: `mixamorig:${bone.name}`,
          parent: bone.parent === 'hips' ? 'mixamorig:Hips' : `mixamorig:${bone.parent}`,
        })),
      ],
    });
    const bones = Object.fromEntries(
      human.bones.map(({ name }) => [name, name === 'hips' ? 'mixamorig:Hips' : `mixamorig:${name}`]),
    );
    const same = bodyLandmarks(base, { bones });
    const mine = positionsOf(base, same, createPose(base));
    const theirs = positionsOf(human, landmarks, createPose(human));
    for (let k = 0; k < mine.length; k++) expect(Math.abs(mine[k] - theirs[k])).toBeLessThan(1e-12);
  });

  it('refuses a figure without a known bone, and an unknown name', () => {
    const lamp = createFigure({ bones: [{ name: 'lamp', joint: { type: 'free' } }] });
    expect(() => bodyLandmarks(lamp)).toThrow(/none of the bones of a humanoid/);
    expect(() => bodyLandmarks(human, { bones: { hips: 'pelvis' } })).toThrow(/options\.bones\.hips/);
  });
});

describe('holisticLandmarks', () => {
  it('are those of the body on a figure without fingers, and refuse lists of the wrong size', () => {
    expect(holisticLandmarks(human)).toEqual(landmarks);
    expect(HOLISTIC_LANDMARKS).toHaveLength(75);
    const point = { x: 0.1, y: 0.2, z: 0.3 };
    const hand = HAND_LANDMARKS.map(() => point);
    // Without a body a hand is nowhere.
    const { positions, confidences } = fromHolistic({ leftHandWorldLandmarks: [hand] });
    expect(positions.every(Number.isNaN)).toBe(true);
    expect(confidences.some((x) => x !== 0)).toBe(false);
    expect(() => fromHolistic({ poseWorldLandmarks: [hand] })).toThrow(/poseWorldLandmarks: has 21/);
    expect(() => fromHolistic({}, ['left_hand'])).toThrow(/names/);
    expect(() => fromHolistic(undefined as never)).toThrow(/result: is undefined/);
  });
});

describe('fromMediaPipe', () => {
  it("treats landmarks with visibility 0 throughout, as a hand's, as observed", () => {
    const point = { x: 0.1, y: 0.2, z: 0.3, visibility: 0 };
    expect(Array.from(fromMediaPipe([point, point]).confidences)).toEqual([1, 1]);
    expect(Array.from(fromMediaPipe([point, { ...point, visibility: 0.5 }]).confidences)).toEqual([0, 0.5]);
  });

  it('rotates by pi about x, keeps visibility, and leaves gaps NaN: a person facing the camera faces +Z', () => {
    const { positions, confidences } = fromMediaPipe([
      { x: 1, y: 2, z: 3, visibility: 0.5 },
      null,
      { x: 0, y: -1, z: -2 },
    ]);
    expect(Array.from(positions)).toEqual([1, -2, -3, Number.NaN, Number.NaN, Number.NaN, 0, 1, 2]);
    expect(Array.from(confidences)).toEqual([0.5, 0, 1]);
    // Nose nearer to the camera (z < 0) than the ears, eyes above the mouth (y down): the fit must face +Z, upright.
    const worldPositions = positionsOf(human, landmarks, createPose(human));
    const raw = landmarks.map((_, m) => ({
      x: worldPositions[3 * m],
      y: -worldPositions[3 * m + 1],
      z: -worldPositions[3 * m + 2],
    }));
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    pose.set([0, 0, 0, 0, 3, 0]);
    const frame = fromMediaPipe(raw);
    const result = solveLandmarks(fit, frame.positions, pose, frame.confidences);
    expect(result.status).toBe('converged');
    expect(Math.hypot(pose[3], pose[4], pose[5])).toBeLessThan(1e-3);
  });

  it('picks by name, and names an unknown one', () => {
    const list = BODY_LANDMARKS.map((_, m) => ({ x: m, y: 0, z: 0 }));
    const picked = fromMediaPipe(list, ['left_knee', 'nose'], BODY_LANDMARKS);
    expect([picked.positions[0], picked.positions[3]]).toEqual([25, 0]);
    expect(() => fromMediaPipe(list, ['knee'], BODY_LANDMARKS)).toThrow(/'knee' is not among/);
  });
});

describe('solveLandmarks', () => {
  it('accepts numbers, a record by name, or a list of points, with the same bits', () => {
    const random = createRandom(3);
    const [truth] = smoothClip(human, random, 1, { rotation: [0, 3, 0] });
    const positions = positionsOf(human, landmarks, truth);
    const at = (m: number): number[] => Array.from(positions.subarray(3 * m, 3 * m + 3));
    const forms = [
      positions,
      Object.fromEntries(landmarks.map(({ name }, m) => [name, at(m)])),
      landmarks.map((_, m) => ({ x: at(m)[0], y: at(m)[1], z: at(m)[2] })),
    ];
    const poses = forms.map((form) => {
      const pose = createPose(human);
      expect(solveLandmarks(createLandmarkFit(human, { landmarks }), form, pose).max).toBeLessThan(0.01);
      return Array.from(pose);
    });
    expect(poses[1]).toEqual(poses[0]);
    expect(poses[2]).toEqual(poses[0]);
  });

  it('is exact in clips without noise that touch the limits, and feasible, with the same bits twice', () => {
    for (const [salt, shape] of [
      [70, { reach: 1.5 }],
      [71, { reach: 3, rest: 0.6 }],
    ] as const) {
      const clamp = (pose: Float64Array): boolean => clampToLimits(human, pose);
      const clip = clipAtLimits(human, clamp, createRandom(salt), 96, shape);
      const run = (): Float64Array[] => {
        const fit = createLandmarkFit(human, { landmarks });
        const pose = createPose(human);
        return clip.map((truth, f) => {
          const { status, rms, missed } = solveLandmarks(fit, positionsOf(human, landmarks, truth), pose);
          expect(rms, `clip ${salt}, frame ${f}`).toBeLessThan(1e-6);
          expect([status, missed.length, limitViolation(human, pose)]).toEqual(['converged', 0, 0]);
          return pose.slice();
        });
      };
      expect(run()).toEqual(run());
    }
  });

  it('says fitted where the residuals are noise, with its size, and names what the noise does not explain', () => {
    const random = createRandom(72);
    const clip = smoothClip(human, random, 60, { share: 0.9 });
    for (const noise of [0.005, 0.02]) {
      const fit = createLandmarkFit(human, { landmarks });
      const pose = createPose(human);
      for (const [f, truth] of clip.entries()) {
        const frame = measured(positionsOf(human, landmarks, truth), random, noise, 0.05);
        const isWrong = f >= 40;
        const wrist = BODY_LANDMARKS.indexOf('left_wrist');
        if (isWrong) frame.set([frame[3 * wrist] + 1, 0, 0], 3 * wrist);
        const result = solveLandmarks(fit, frame, pose);
        expect(result.noise / noise).toBeGreaterThan(0.6);
        expect(result.noise / noise).toBeLessThan(1.5);
        if (!isWrong) {
          expect(result.status).toBe('fitted');
          expect(result.missed).toEqual([]);
          continue;
        }
        expect(result.status).toMatch(/out-of-reach|limit-blocked/);
        expect(result.missed.map(({ name }) => name)).toEqual(['left_wrist']);
        expect(result.missed[0].distance).toBe(result.residuals[wrist]);
      }
    }
  });

  it('says limit-blocked without noise where a joint is beyond its limit, and what is missed', () => {
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    const truth = createPose(human);
    const knee = human.bones.find(({ name }) => name === 'leftLowerLeg')?.coordinate ?? 0;
    for (let f = 0; f < 40; f++) {
      truth[knee] = 0.3 - 0.01 * f * (f < 20 ? 0 : 1);
      const result = solveLandmarks(fit, positionsOf(human, landmarks, truth), pose);
      if (truth[knee] >= 0) expect(result.status).toBe('converged');
      else if (truth[knee] < -0.02) {
        expect(result.status).toBe('limit-blocked');
        expect(result.activeLimits.map(({ bone }) => bone)).toContain('leftLowerLeg');
        expect(result.missed.map(({ name }) => name)).toContain('left_ankle');
      }
    }
    const noise = new Float64Array(99).fill(Number.NaN);
    expect(solveLandmarks(fit, noise, pose)).toMatchObject({ status: 'unobserved', missed: [] });
  });

  it('is robust to a wrist and a toe a metre off, facing anywhere', () => {
    for (let n = 0; n < 6; n++) {
      const random = createRandom(60 + n);
      const rotated = [0, 1, 2].map(() => 3 * (2 * random() - 1));
      const [truth] = smoothClip(human, random, 1, { share: 0.8, rotation: rotated });
      const positions = positionsOf(human, landmarks, truth);
      positions[3 * 15] += 1.5;
      positions[3 * 31 + 1] -= 1.2;
      const pose = createPose(human);
      const result = solveLandmarks(createLandmarkFit(human, { landmarks, prior: 0 }), positions, pose);
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitViolation(human, pose)).toBe(0);
      const off = positionsOf(human, landmarks, pose).map((x, k) =>
        [15, 31].includes(Math.floor(k / 3)) ? 0 : Math.abs(x - positions[k]),
      );
      expect(Math.max(...off), `case ${n}`).toBeLessThan(0.03);
    }
  });

  it('searches globally when the person jumps, and keeps the pose when nobody is observed', () => {
    const random = createRandom(5);
    const [a, b] = smoothClip(human, random, 2, { share: 0.8 });
    b[0] += 3;
    b[4] += 3;
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    solveLandmarks(fit, positionsOf(human, landmarks, a), pose);
    const there = solveLandmarks(fit, positionsOf(human, landmarks, b), pose);
    expect(there.max).toBeLessThan(0.02);
    const before = pose.slice();
    const gone = solveLandmarks(fit, new Float64Array(99).fill(Number.NaN), pose);
    expect(gone.status).toBe('unobserved');
    // MediaPipe has no list at all then.
    for (const nobody of [undefined, []]) {
      const { positions, confidences } = fromMediaPipe(nobody);
      expect(solveLandmarks(fit, positions, pose, confidences).status).toBe('unobserved');
    }
    expect(solveLandmarks(fit, [], pose).status).toBe('unobserved');
    expect(pose).toEqual(before);
  });

  it('has a cooldown after failed searches, and searches at once after a good frame', () => {
    // Somebody half as tall as the figure: half of the landmarks stay more than lostAbove off in every frame.
    const child = scaleFigure(
      human,
      human.bones.map(() => 0.5),
    );
    const marks = landmarks.map((mark) => ({ ...mark, point: Array.from(mark.point ?? [], (x) => 0.5 * x) }));
    const small = smoothClip(child, createRandom(19), 40).map((truth) => positionsOf(child, marks, truth));
    const fit = createLandmarkFit(human, { landmarks, lostAbove: 0.005 });
    const pose = createPose(human);
    const sought = small.map((frame) => {
      const isDue = fit.lostFrames.frames === 0;
      const { residuals } = solveLandmarks(fit, frame, pose);
      expect(residuals.slice().sort()[16]).toBeGreaterThan(0.005);
      return isDue;
    });
    // The first frame, and after failed searches, frames 2, 4, 7, 12, 21 and 38.
    expect(sought.filter(Boolean).length).toBeLessThan(16);
    const [truth] = smoothClip(human, createRandom(20), 1, { rotation: [0, 3, 0] });
    // The next search is due within 32 frames, and finds it.
    for (let n = 0; n < 33; n++) solveLandmarks(fit, positionsOf(human, landmarks, truth), pose);
    expect(solveLandmarks(fit, positionsOf(human, landmarks, truth), pose).max).toBeLessThan(1e-6);
    truth[0] += 3;
    expect(solveLandmarks(fit, positionsOf(human, landmarks, truth), pose).max).toBeLessThan(1e-6);
  });

  it('names an unknown landmark, the nearest one, and a position of the wrong size', () => {
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    expect(() => solveLandmarks(fit, { left_elbo: [0, 0, 0] }, pose)).toThrow(/Did you mean 'left_elbow'/);
    expect(() => solveLandmarks(fit, { left_elbow: [0, 0] }, pose)).toThrow(/frame\.left_elbow/);
    expect(() => solveLandmarks(fit, new Float64Array(9), pose)).toThrow(/99/);
    expect(() => createLandmarkFit(human, { landmarks, lengths: 'all' as 'keep' })).toThrow(
      /options\.lengths/,
    );
    expect(() => createLandmarkFit(human, { landmarks, lengths: [['hips'], ['hips']] })).toThrow(
      /two groups/,
    );
    expect(() => createLandmarkFit(human, { landmarks, noise: 0 })).toThrow(/options\.noise/);
  });
});

describe('a search from the middle of the limits', () => {
  it('keeps what no landmark decides as it was in the last frame', () => {
    // Two hinges about one axis at one place: only their sum shows. The elbow jumps from one end of its range to the other.
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -1, max: 1 },
        },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -1, max: 1 },
        },
        {
          name: 'c',
          parent: 'b',
          rest: { position: [1, 0, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -3, max: 3 },
        },
      ],
    });
    const marks = [
      { name: 'half', bone: 'b', point: [0.5, 0, 0] },
      { name: 'elbow', bone: 'b', point: [1, 0, 0] },
      { name: 'tip', bone: 'c', point: [0.5, 0, 0] },
    ] as const;
    const fit = createLandmarkFit(figure, { landmarks: marks });
    const pose = Float64Array.of(0.4, -0.4, 2.9);
    solveLandmarks(fit, positionsOf(figure, marks, pose), pose);
    const before = pose.slice();
    expect(before[0]).toBeCloseTo(0.4, 6);
    const { status } = solveLandmarks(
      fit,
      positionsOf(figure, marks, Float64Array.of(0.4, -0.4, -2.9)),
      pose,
    );
    expect(status).toBe('converged');
    expect(pose[2]).toBeCloseTo(-2.9, 4);
    expect(pose[0]).toBeCloseTo(before[0], 3);
    expect(pose[1]).toBeCloseTo(before[1], 3);
  });
});

describe('the hand', () => {
  it.each(['left', 'right'] as const)(
    '%s: 21 landmarks give its 26 coordinates back, wherever it is',
    (side) => {
      const hand = createHandFigure({ side });
      expect(hand.dof).toBe(26);
      const marks = handLandmarks(hand, { side });
      expect(marks.map(({ name }) => name)).toEqual(HAND_LANDMARKS);
      const fit = createLandmarkFit(hand, { landmarks: marks, prior: 0 });
      const pose = createPose(hand);
      for (const truth of smoothClip(hand, createRandom(8), 20, { share: 0.8, rotation: [1, 2, 0.5] })) {
        const result = solveLandmarks(fit, positionsOf(hand, marks, truth), pose);
        expect(result.status).toBe('converged');
        for (let i = 6; i < hand.dof; i++) expect(Math.abs(pose[i] - truth[i])).toBeLessThan(1e-6);
      }
    },
  );

  it('is 189 mm long with the palm down, right the mirror image of left, and scales', () => {
    const at = (side: 'left' | 'right', length?: number): Float64Array => {
      const hand = createHandFigure({ side, ...(length === undefined ? {} : { length }) });
      return positionsOf(hand, handLandmarks(hand, { side }), createPose(hand));
    };
    const [left, right, small] = [at('left'), at('right'), at('left', 0.0945)];
    expect(left[3 * 12]).toBeCloseTo(0.189, 6);
    for (let m = 0; m < 21; m++) {
      expect(right[3 * m]).toBeCloseTo(-left[3 * m], 12);
      expect(right[3 * m + 1]).toBeCloseTo(left[3 * m + 1], 12);
      expect(right[3 * m + 2]).toBeCloseTo(left[3 * m + 2], 12);
      expect(small[3 * m]).toBeCloseTo(left[3 * m] / 2, 12);
    }
    const hand = createHandFigure();
    const curled = createPose(hand);
    const first = hand.bones.find(({ name }) => name === 'leftIndexIntermediate');
    curled[first?.coordinate ?? 0] = 1;
    const tip = HAND_LANDMARKS.indexOf('index_finger_tip');
    expect(positionsOf(hand, handLandmarks(hand), curled)[3 * tip + 1]).toBeLessThan(
      left[3 * tip + 1] - 0.02,
    );
    expect(() => createHandFigure({ length: -1 })).toThrow(/length/);
    expect(() => handLandmarks(human)).toThrow(/leftThumbMetacarpal/);
  });
});
