import { createFigure, createPose, type Figure, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  bodyLandmarks,
  createLandmarkFit,
  fitLandmarkLengths,
  fitLandmarks,
  fittedFigure,
  type Marker,
  solveLandmarks,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { scaleFigure } from '../../../src/ik/markers/length-groups.js';
import { createRandom } from '../../figure/support.js';
import { measured, positionsOf, smoothClip } from '../markers/support.js';

const human = createHumanFigure();
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

describe('lengths', () => {
  it.each([
    ['leftHand', 'rightHand'],
    ['mixamorig:LeftHand', 'mixamorig:RightHand'],
    ['hand.l', 'hand.r'],
    ['Hand_L', 'Hand_R'],
    ['hand.L.001', 'hand.R.001'],
    ['J_Bip_L_Hand', 'J_Bip_R_Hand'],
    ['Bip01 L Hand', 'Bip01 R Hand'],
    ['lHand', 'rHand'],
    ['LHand', 'RHand'],
    ['lefthand', 'righthand'],
    ['handLeft', 'handRight'],
  ])('of left and right are one by name: %s and %s', (left, right) => {
    const bone = (name: string) => ({ name, parent: 'spine', rest: { position: [1, 0, 0] as const } });
    const figure = createFigure({
      bones: [
        { name: 'spine', joint: { type: 'free' } },
        bone(left),
        bone(right),
        bone(`${left}2`),
        bone('Clavicle'),
      ],
    });
    const options = { landmarks: [{ name: 'tip', bone: left }], lengths: 'bones' } as const;
    const { groups } = fitLandmarkLengths(createLandmarkFit(figure, options), [{ tip: [1, 0, 0] }]);
    expect(groups).toEqual(['spine', `${left}, ${right}`, `${left}2`, 'Clavicle']);
  });

  const factors = [0.8, 0.85, 0.7, 0.78, 0.8, 0.72, 0.77, 0.83];

  it('of one clip are the same bits in repeated fits', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(17);
    const frames = smoothClip(figure, random, 6).map((truth) =>
      measured(positionsOf(figure, marks, truth), random, 0.002, 0.05).map((x) => 2.5 * x),
    );
    const fit = createLandmarkFit(human, { landmarks, lengths: GROUPS });
    const [first, second] = [1, 2].map(() => fitLandmarkLengths(fit, frames));
    expect(second).toEqual(first);
    expect(first.center).toBeGreaterThan(1.5);
  });

  it('common to a clip: without noise every factor is recovered to 1e-8, and the pose of every frame', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(12);
    const clip = smoothClip(figure, random, 30);
    const frames = clip.map((truth) => measured(positionsOf(figure, marks, truth), random, 0, 0.05));
    const fitted = fitLandmarks(human, frames, {
      landmarks,
      lengths: GROUPS,
      loss: { type: 'squared' },
      prior: 0,
      lengthSpread: Number.POSITIVE_INFINITY,
    });
    expect(fitted.lengths?.status).toBe('converged');
    expect(fitted.lengths?.stationarity).toBeLessThan(1e-8);
    factors.forEach((factor, g) => {
      expect(Math.abs((fitted.lengths?.factors[g] ?? 0) - factor), GROUPS[g][0]).toBeLessThan(1e-8);
    });
    fitted.frames.forEach(({ status, max }, f) => {
      expect(status).toBe('converged');
      expect(max, `frame ${f}`).toBeLessThan(1e-8);
      expect(limitViolation(fitted.figure, fitted.poses[f])).toBe(0);
    });
    // The figure handed back has those lengths: its own landmarks lie where they were measured.
    const own = positionsOf(fitted.figure, marks, fitted.poses[7]);
    frames[7].forEach((x, k) => {
      if (!Number.isNaN(x) && !Number.isNaN(frames[7][3 * Math.floor(k / 3) + 1]))
        expect(Math.abs(own[k] - x)).toBeLessThan(1e-8);
    });
  });

  it('also with the defaults: the priors on joints and lengths adapt to the noise', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(16);
    const frames = smoothClip(figure, random, 20).map((truth) =>
      measured(positionsOf(figure, marks, truth), random, 0, 0.05),
    );
    const fitted = fitLandmarks(human, frames, { landmarks, lengths: GROUPS });
    expect(fitted.lengths?.status).toBe('converged');
    factors.forEach((factor, g) => {
      expect(Math.abs((fitted.lengths?.factors[g] ?? 0) - factor), GROUPS[g][0]).toBeLessThan(1e-6);
    });
    for (const { max, prior } of fitted.frames) {
      expect(max).toBeLessThan(1e-6);
      expect(prior).toBeLessThan(1e-12);
    }
  });

  it('the initial scale is the weighted median of rigid distances, robust to landmarks of low confidence', () => {
    const child = scaleFigure(
      human,
      human.bones.map(() => 0.6),
    );
    const marks = landmarks.map((mark) => ({ ...mark, point: Array.from(mark.point ?? [], (x) => 0.6 * x) }));
    const frames = smoothClip(child, createRandom(17), 3).map((truth) => positionsOf(child, marks, truth));
    // Both arms and one leg twice as far off, hardly believed: more pairs than the other leg has.
    const isDoubted = (m: number): boolean => [13, 14, 15, 16, 25, 27].includes(m);
    for (const frame of frames) for (let k = 0; k < 99; k++) if (isDoubted(Math.floor(k / 3))) frame[k] *= 2;
    const confidences = frames.map(() => landmarks.map((_, m) => (isDoubted(m) ? 1e-4 : 1)));
    const center = (given?: number[][]): number =>
      fitLandmarkLengths(createLandmarkFit(human, { landmarks, lengths: 'scale' }), frames, given).center;
    expect(center(confidences)).toBeCloseTo(0.6, 9);
    expect(center()).toBeGreaterThan(0.7);
  });

  it('reports the lengths at their bounds, and returns its own arrays', () => {
    const factorOfBone = human.bones.map(({ name }) => (/LowerArm/.test(name) ? 6 : 1));
    const odd = scaleFigure(human, factorOfBone);
    const marks = landmarks.map((mark) => ({
      ...mark,
      point: Array.from(mark.point ?? [0, 0, 0], (x) => x * factorOfBone[mark.bone as number]),
    }));
    const frames = smoothClip(odd, createRandom(18), 4).map((truth) => positionsOf(odd, marks, truth));
    const groups = [
      ['leftLowerArm', 'rightLowerArm'],
      ['leftLowerLeg', 'rightLowerLeg'],
    ];
    const fit = createLandmarkFit(human, { landmarks, lengths: groups, loss: { type: 'squared' }, prior: 0 });
    const result = fitLandmarkLengths(fit, frames);
    expect(result.status).toBe('limit-blocked');
    expect(result.blocked).toEqual(['leftLowerArm, rightLowerArm']);
    expect(result.factors[0]).toBe(4 * result.center);
    expect(result.stationarity).toBeLessThan(1e-8);
    result.factors[0] = 77;
    expect(fit.tracker.problem.lengths.factors[0]).toBe(4 * result.center);
    const before = result.factors.slice();
    fitLandmarkLengths(fit, [positionsOf(human, landmarks, createPose(human))]);
    expect(result.factors).toEqual(before);
  });

  it('with 1 cm of noise each limb is within 1.5 %, with the defaults', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(13);
    const frames = smoothClip(figure, random, 60).map((truth) =>
      measured(positionsOf(figure, marks, truth), random, 0.01, 0.05),
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

  it('scale: one factor for a child of 0.6 in any motion', () => {
    const factorOfBone = human.bones.map(() => 0.6);
    const child = scaleFigure(human, factorOfBone);
    const marks = landmarks.map((mark) => ({ ...mark, point: Array.from(mark.point ?? [], (x) => 0.6 * x) }));
    const random = createRandom(14);
    const frames = smoothClip(child, random, 5, { rotation: [0, 2, 0] }).map((truth) =>
      positionsOf(child, marks, truth),
    );
    const { lengths, figure } = fitLandmarks(human, frames, { landmarks, lengths: 'scale', prior: 0 });
    expect(lengths?.factors[0]).toBeCloseTo(0.6, 8);
    expect(figure.bones.find(({ name }) => name === 'head')?.tip?.[1]).toBeCloseTo(
      0.6 * (human.bones.find(({ name }) => name === 'head')?.tip?.[1] ?? 0),
      8,
    );
  });

  it('the reduced gradient is that of the joint least squares over poses and lengths (finite differences)', () => {
    const { figure, marks } = person(factors);
    const random = createRandom(15);
    const frames = smoothClip(figure, random, 4).map((truth) =>
      measured(positionsOf(figure, marks, truth), random, 0.01),
    );
    const options = {
      landmarks,
      lengths: GROUPS,
      loss: { type: 'squared' as const },
      prior: 0,
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
      const fit = createLandmarkFit(scaled, { landmarks: own, loss: { type: 'squared' }, prior: 0 });
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

  it('a clip without an observed landmark keeps the lengths and reports it', () => {
    const nothing = [new Float64Array(99).fill(Number.NaN)];
    const { lengths, frames, figure } = fitLandmarks(human, nothing, { landmarks, lengths: 'bones' });
    expect(lengths?.status).toBe('unobserved');
    expect(frames[0].status).toBe('unobserved');
    expect(figure.bones.map(({ rest }) => rest)).toEqual(human.bones.map(({ rest }) => rest));
  });

  it('of a long clip are decided by 64 frames, however long it is', () => {
    const clip = smoothClip(human, createRandom(21), 100);
    const frames = clip.map((truth) => positionsOf(human, landmarks, truth).map((x) => 0.8 * x));
    // Nobody in view at first.
    frames.unshift(...Array.from({ length: 40 }, () => new Float64Array(99).fill(Number.NaN)));
    const { lengths } = fitLandmarks(human, frames, { landmarks, lengths: 'scale' });
    expect(lengths?.frames).toBe(64);
    expect(lengths?.factors[0]).toBeCloseTo(0.8, 6);
    expect(fitLandmarks(human, frames.slice(0, 50), { landmarks, lengths: 'scale' }).lengths?.frames).toBe(
      50,
    );
  });
});
