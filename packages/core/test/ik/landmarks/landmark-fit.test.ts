import { createFigure, createPose, type Figure, figureToData, humanFigure, limitExcess } from 'poise/figure';
import {
  BODY_LANDMARKS,
  bodyLandmarks,
  createLandmarkFit,
  fitLandmarkLengths,
  fitLandmarks,
  fittedFigure,
  fromMediaPipe,
  HAND_LANDMARKS,
  handFigure,
  handLandmarks,
  type Marker,
  solveLandmarks,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { scaleFigure } from '../../../src/ik/landmarks/length-groups.js';
import { createRandom } from '../../figure/support.js';
import { measured, placesOf, smoothClip } from './support.js';

const human = humanFigure();
const landmarks = bodyLandmarks(human);

/** All lengths that landmarks tell. Not the trunk's: between hips and shoulders a longer one bends more. */
const GROUPS = [
  ['hips'],
  ['neck', 'head'],
  ['leftUpperArm', 'rightUpperArm'],
  ['leftLowerArm', 'rightLowerArm'],
  ['leftHand', 'rightHand'],
  ['leftUpperLeg', 'rightUpperLeg'],
  ['leftLowerLeg', 'rightLowerLeg'],
  ['leftFoot', 'rightFoot', 'leftToes', 'rightToes'],
];

/** Another person: the human with the groups scaled, and the landmarks on it. */
function person(factors: readonly number[]): { figure: Figure; marks: Marker[]; factorOfBone: number[] } {
  const factorOfBone = human.bones.map(
    ({ name }) => factors[GROUPS.findIndex((group) => group.includes(name))] ?? 1,
  );
  const marks = landmarks.map((mark) => ({
    ...mark,
    point: Array.from(mark.point ?? [0, 0, 0], (x) => x * factorOfBone[mark.bone as number]),
  }));
  return { figure: scaleFigure(human, factorOfBone), marks, factorOfBone };
}

describe('bodyLandmarks', () => {
  it('puts all 33 on the human in MediaPipe order: shoulders at the shoulders, nose ahead of the ears, toes ahead of heels', () => {
    expect(landmarks.map(({ name }) => name)).toEqual(BODY_LANDMARKS);
    const places = placesOf(human, landmarks, createPose(human));
    const at = (name: string): number[] => {
      const m = landmarks.findIndex((mark) => mark.name === name);
      return Array.from(places.subarray(3 * m, 3 * m + 3));
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

  it('stands the same points on the same figure with turned bone frames and other names', () => {
    // Every bone frame turned by its own rest; names as Mixamo has them; the world places must not change.
    const turn = [0.5, 0.5, 0.5, 0.5] as const;
    const data = figureToData(human);
    const base = createFigure({
      bones: [
        { name: 'root', joint: { type: 'free' }, rest: { rotation: turn } },
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
    const mine = placesOf(base, same, createPose(base));
    const theirs = placesOf(human, landmarks, createPose(human));
    for (let k = 0; k < mine.length; k++) expect(Math.abs(mine[k] - theirs[k])).toBeLessThan(1e-12);
  });

  it('refuses a figure without a bone that it knows, and a name that is none', () => {
    const lamp = createFigure({ bones: [{ name: 'lamp', joint: { type: 'free' } }] });
    expect(() => bodyLandmarks(lamp)).toThrow(/none of the bones of a humanoid/);
    expect(() => bodyLandmarks(human, { bones: { hips: 'pelvis' } })).toThrow(/options\.bones\.hips/);
  });
});

describe('fromMediaPipe', () => {
  it("takes landmarks whose visibility is 0 throughout, as a hand's is, for seen", () => {
    const point = { x: 0.1, y: 0.2, z: 0.3, visibility: 0 };
    expect(Array.from(fromMediaPipe([point, point]).confidences)).toEqual([1, 1]);
    expect(Array.from(fromMediaPipe([point, { ...point, visibility: 0.5 }]).confidences)).toEqual([0, 0.5]);
  });

  it('turns half about x, keeps visibility, and leaves gaps NaN: a person facing the camera faces +Z', () => {
    const { positions, confidences } = fromMediaPipe([
      { x: 1, y: 2, z: 3, visibility: 0.5 },
      null,
      { x: 0, y: -1, z: -2 },
    ]);
    expect(Array.from(positions)).toEqual([1, -2, -3, Number.NaN, Number.NaN, Number.NaN, 0, 1, 2]);
    expect(Array.from(confidences)).toEqual([0.5, 0, 1]);
    // Nose nearer to the camera (z < 0) than the ears, eyes above the mouth (y down): the fit must face +Z, upright.
    const places = placesOf(human, landmarks, createPose(human));
    const raw = landmarks.map((_, m) => ({ x: places[3 * m], y: -places[3 * m + 1], z: -places[3 * m + 2] }));
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    pose.set([0, 0, 0, 0, 3, 0]);
    const frame = fromMediaPipe(raw);
    const result = solveLandmarks(fit, frame.positions, pose, frame.confidences);
    expect(result.status).toBe('converged');
    expect(Math.hypot(pose[3], pose[4], pose[5])).toBeLessThan(1e-3);
  });

  it('picks by name, and says which name is none', () => {
    const list = BODY_LANDMARKS.map((_, m) => ({ x: m, y: 0, z: 0 }));
    const picked = fromMediaPipe(list, ['left_knee', 'nose'], BODY_LANDMARKS);
    expect([picked.positions[0], picked.positions[3]]).toEqual([25, 0]);
    expect(() => fromMediaPipe(list, ['knee'], BODY_LANDMARKS)).toThrow(/'knee' is none/);
  });
});

describe('solveLandmarks', () => {
  it('takes numbers, a record by name, or a list of points, to the same bits', () => {
    const random = createRandom(3);
    const [truth] = smoothClip(human, random, 1, { turned: [0, 3, 0] });
    const places = placesOf(human, landmarks, truth);
    const at = (m: number): number[] => Array.from(places.subarray(3 * m, 3 * m + 3));
    const forms = [
      places,
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

  it('stays right with a wrist and a toe a metre off, facing anywhere', () => {
    for (let n = 0; n < 6; n++) {
      const random = createRandom(60 + n);
      const turned = [0, 1, 2].map(() => 3 * (2 * random() - 1));
      const [truth] = smoothClip(human, random, 1, { share: 0.8, turned });
      const places = placesOf(human, landmarks, truth);
      places[3 * 15] += 1.5;
      places[3 * 31 + 1] -= 1.2;
      const pose = createPose(human);
      const result = solveLandmarks(createLandmarkFit(human, { landmarks, hold: 0 }), places, pose);
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitExcess(human, pose)).toBe(0);
      const off = placesOf(human, landmarks, pose).map((x, k) =>
        [15, 31].includes(Math.floor(k / 3)) ? 0 : Math.abs(x - places[k]),
      );
      expect(Math.max(...off), `case ${n}`).toBeLessThan(0.03);
    }
  });

  it('seeks anew when the person jumps, and keeps the pose when nobody is seen', () => {
    const random = createRandom(5);
    const [a, b] = smoothClip(human, random, 2, { share: 0.8 });
    b[0] += 3;
    b[4] += 3;
    const fit = createLandmarkFit(human, { landmarks });
    const pose = createPose(human);
    solveLandmarks(fit, placesOf(human, landmarks, a), pose);
    const there = solveLandmarks(fit, placesOf(human, landmarks, b), pose);
    expect(there.max).toBeLessThan(0.02);
    const before = pose.slice();
    const gone = solveLandmarks(fit, new Float64Array(99).fill(Number.NaN), pose);
    expect(gone.status).toBe('unobserved');
    expect(pose).toEqual(before);
  });

  it('names the landmark that it does not know, the nearest one, and a place of the wrong size', () => {
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

describe('the hand', () => {
  it.each(['left', 'right'] as const)(
    '%s: 21 landmarks give its 26 coordinates back, wherever it is',
    (side) => {
      const hand = handFigure({ side });
      expect(hand.dof).toBe(26);
      const marks = handLandmarks(hand, { side });
      expect(marks.map(({ name }) => name)).toEqual(HAND_LANDMARKS);
      const fit = createLandmarkFit(hand, { landmarks: marks, hold: 0 });
      const pose = createPose(hand);
      for (const truth of smoothClip(hand, createRandom(8), 20, { share: 0.8, turned: [1, 2, 0.5] })) {
        const result = solveLandmarks(fit, placesOf(hand, marks, truth), pose);
        expect(result.status).toBe('converged');
        for (let i = 6; i < hand.dof; i++) expect(Math.abs(pose[i] - truth[i])).toBeLessThan(1e-6);
      }
    },
  );

  it('is 189 mm long with the palm down, right the mirror image of left, and scales', () => {
    const at = (side: 'left' | 'right', length?: number): Float64Array => {
      const hand = handFigure({ side, ...(length === undefined ? {} : { length }) });
      return placesOf(hand, handLandmarks(hand, { side }), createPose(hand));
    };
    const [left, right, small] = [at('left'), at('right'), at('left', 0.0945)];
    expect(left[3 * 12]).toBeCloseTo(0.189, 6);
    for (let m = 0; m < 21; m++) {
      expect(right[3 * m]).toBeCloseTo(-left[3 * m], 12);
      expect(right[3 * m + 1]).toBeCloseTo(left[3 * m + 1], 12);
      expect(right[3 * m + 2]).toBeCloseTo(left[3 * m + 2], 12);
      expect(small[3 * m]).toBeCloseTo(left[3 * m] / 2, 12);
    }
    const hand = handFigure();
    const curled = createPose(hand);
    const first = hand.bones.find(({ name }) => name === 'leftIndexIntermediate');
    curled[first?.coordinate ?? 0] = 1;
    const tip = HAND_LANDMARKS.indexOf('index_finger_tip');
    expect(placesOf(hand, handLandmarks(hand), curled)[3 * tip + 1]).toBeLessThan(left[3 * tip + 1] - 0.02);
    expect(() => handFigure({ length: -1 })).toThrow(/length/);
    expect(() => handLandmarks(human)).toThrow(/leftThumbMetacarpal/);
  });
});

describe('lengths', () => {
  const factors = [0.8, 0.85, 0.7, 0.78, 0.8, 0.72, 0.77, 0.83];

  it('one set for a clip: without noise every factor comes back to 1e-8, and the pose of every frame with it', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(12);
    const clip = smoothClip(figure, random, 30);
    const frames = clip.map((truth) => measured(placesOf(figure, marks, truth), random, 0, 0.05));
    const fitted = fitLandmarks(human, frames, {
      landmarks,
      lengths: GROUPS,
      loss: { type: 'squared' },
      hold: 0,
      lengthSpread: Number.POSITIVE_INFINITY,
    });
    expect(fitted.lengths?.status).toBe('converged');
    expect(fitted.lengths?.stationarity).toBeLessThan(1e-8);
    factors.forEach((factor, g) => {
      expect(Math.abs((fitted.lengths?.factors[g] ?? 0) - factor), GROUPS[g][0]).toBeLessThan(1e-8);
    });
    let corners = 0;
    fitted.frames.forEach(({ status, max }, f) => {
      expect(status).toBe('converged');
      if (!(max < 1e-8)) corners++;
      expect(limitExcess(fitted.figure, fitted.poses[f])).toBe(0);
    });
    // A frame may end in a corner of its limits next to the answer: one in 30 at most.
    expect(corners).toBeLessThanOrEqual(1);
    // The figure handed back has those lengths: its own landmarks lie where they were measured.
    const own = placesOf(fitted.figure, marks, fitted.poses[7]);
    frames[7].forEach((x, k) => {
      if (!Number.isNaN(x) && !Number.isNaN(frames[7][3 * Math.floor(k / 3) + 1]))
        expect(Math.abs(own[k] - x)).toBeLessThan(1e-8);
    });
  });

  it('with 1 cm of noise each limb comes out within 1.5 %, by defaults', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(13);
    const frames = smoothClip(figure, random, 60).map((truth) =>
      measured(placesOf(figure, marks, truth), random, 0.01, 0.05),
    );
    const fit = createLandmarkFit(human, { landmarks, lengths: 'bones' });
    const result = fitLandmarkLengths(fit, frames);
    expect(result.status).toBe('converged');
    const scaled = fittedFigure(fit);
    for (const name of ['leftLowerArm', 'leftHand', 'leftLowerLeg', 'leftFoot']) {
      const lengthOf = (each: Figure): number =>
        Math.hypot(...(each.bones.find((bone) => bone.name === name)?.rest.position ?? [0]));
      expect(Math.abs(lengthOf(scaled) / lengthOf(figure) - 1), name).toBeLessThan(0.015);
    }
  });

  it('scale alone: one number for a child of 0.6, whatever it does', () => {
    const factorOfBone = human.bones.map(() => 0.6);
    const child = scaleFigure(human, factorOfBone);
    const marks = landmarks.map((mark) => ({ ...mark, point: Array.from(mark.point ?? [], (x) => 0.6 * x) }));
    const random = createRandom(14);
    const frames = smoothClip(child, random, 5, { turned: [0, 2, 0] }).map((truth) =>
      placesOf(child, marks, truth),
    );
    const { lengths, figure } = fitLandmarks(human, frames, { landmarks, lengths: 'scale', hold: 0 });
    expect(lengths?.factors[0]).toBeCloseTo(0.6, 8);
    expect(figure.bones.find(({ name }) => name === 'head')?.tip?.[1]).toBeCloseTo(
      0.6 * (human.bones.find(({ name }) => name === 'head')?.tip?.[1] ?? 0),
      8,
    );
  });

  it('the reduced gradient is that of the least squares over poses and lengths together (by differences)', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(15);
    const frames = smoothClip(figure, random, 4).map((truth) =>
      measured(placesOf(figure, marks, truth), random, 0.01),
    );
    const options = {
      landmarks,
      lengths: GROUPS,
      loss: { type: 'squared' as const },
      hold: 0,
      lengthSpread: 1e9,
    };
    const poses = frames.map(() => createPose(human));
    const best = fitLandmarkLengths(createLandmarkFit(human, options), frames, undefined, poses);
    expect(best.status).toBe('converged');
    const sumAt = (g: number, h: number): number => {
      const factorOfBone = human.bones.map(({ name }) => {
        const group = GROUPS.findIndex((each) => each.includes(name));
        return group < 0 ? 1 : best.factors[group] + (group === g ? h : 0);
      });
      const scaled = scaleFigure(human, factorOfBone);
      const own = landmarks.map((mark) => ({
        ...mark,
        point: Array.from(mark.point ?? [], (x) => x * factorOfBone[mark.bone as number]),
      }));
      const fit = createLandmarkFit(scaled, { landmarks: own, loss: { type: 'squared' }, hold: 0 });
      return frames.reduce((sum, frame, f) => {
        const pose = poses[f].slice();
        fit.started = true;
        const { objective, lengthScale } = solveLandmarks(fit, frame, pose);
        return sum + objective * lengthScale ** 2;
      }, 0);
    };
    const center = sumAt(0, 0);
    const h = 1e-4;
    GROUPS.forEach((_, g) => {
      const [plus, minus] = [sumAt(g, h), sumAt(g, -h)];
      const curvature = (plus - 2 * center + minus) / h ** 2;
      expect(curvature, GROUPS[g][0]).toBeGreaterThan(0);
      // The slope, against what a hundredth of a factor makes of it.
      expect(Math.abs((plus - minus) / (2 * h)), GROUPS[g][0]).toBeLessThan(1e-3 * 0.01 * curvature);
    });
  });

  it('a clip in which nobody is seen keeps the lengths and says so', () => {
    const nothing = [new Float64Array(99).fill(Number.NaN)];
    const { lengths, frames, figure } = fitLandmarks(human, nothing, { landmarks, lengths: 'bones' });
    expect(lengths?.status).toBe('unobserved');
    expect(frames[0].status).toBe('unobserved');
    expect(figure.bones.map(({ rest }) => rest)).toEqual(human.bones.map(({ rest }) => rest));
  });
});
