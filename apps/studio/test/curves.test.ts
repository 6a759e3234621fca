import fc from 'fast-check';
import { limitViolation } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotionSampler, samplePose } from 'poise/motion';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { describe, expect, it } from 'vitest';
import {
  type Clip,
  clipFor,
  emptyClip,
  type Interpolation,
  keyId,
  putKeys,
  scaleKeys,
  selectedKeys,
  setInterpolation,
  setTangents,
} from '../src/animate/clip/clip.js';
import { curvesOf, partsOf, poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { addToValues, tangentOf, withRate } from '../src/animate/curves/curve-edit.js';
import { pathOf, valueScale } from '../src/animate/curves/curve-layout.js';
import { curveSets, usualSet } from '../src/animate/curves/curve-sets.js';
import { createHuman, shownAxes } from '../src/character/character.js';

function human(height = 1.75) {
  return createHuman(height, () => {
    throw new Error('nothing is drawn');
  });
}

const character = human();
const { figure } = character;
const groups = jointGroups(character);
const names = groups.map(({ id }) => id);
const [root] = groups;
/** Coordinates that are no part of a rotation vector. */
const plain = groups.flatMap((group) =>
  partsOf(figure, group).flatMap(({ isRotation, start, size }) =>
    isRotation ? [] : group.coordinates.slice(start, start + size),
  ),
);
/** First of the rotation vector of the root. */
const turn = root.coordinates[3];

const someClip = (interpolations: readonly Interpolation[], largest: number) =>
  fc
    .uniqueArray(
      fc.record({
        frame: fc.integer({ min: 0, max: 60 }),
        shifts: fc.array(fc.double({ min: -largest, max: largest, noNaN: true }), {
          minLength: figure.dof,
          maxLength: figure.dof,
        }),
        interpolation: fc.constantFrom(...interpolations),
      }),
      { minLength: 2, maxLength: 6, selector: ({ frame }) => frame },
    )
    .map((keys) =>
      keys.reduce<Clip>(
        (clip, { frame, shifts, interpolation }) =>
          putKeys(
            clip,
            character,
            frame / 30,
            character.pose.map((x, n) => x + shifts[n]),
            names,
            interpolation,
          ),
        emptyClip(character, character.pose),
      ),
    );

function all(clip: Clip): Set<string> {
  return new Set(
    Object.entries(clip.keys).flatMap(([group, own]) => own.map(({ time }) => keyId(group, time))),
  );
}

/** The curves themselves, before poses are clamped. */
function curvesAt(clip: Clip, time: number): Float64Array {
  const sampler = createMotionSampler(figure, curvesOf(clip, character));
  return samplePose(sampler, time, new Float64Array(figure.dof));
}

describe('tangents', () => {
  it('auto: pass no key on the way, and rest where the neighbour is the same', () => {
    fc.assert(
      fc.property(someClip(['auto'], 2), fc.double({ min: 0, max: 1, noNaN: true }), (clip, share) => {
        const { spine: keys } = clip.keys;
        for (let k = 0; k + 1 < keys.length; k++) {
          const [from, to] = [keys[k].time, keys[k + 1].time];
          const [a, b] = [curvesAt(clip, from), curvesAt(clip, to)];
          const between = curvesAt(clip, from + share * (to - from));
          for (const n of plain) {
            expect(between[n]).toBeGreaterThan(Math.min(a[n], b[n]) - 1e-9);
            expect(between[n]).toBeLessThan(Math.max(a[n], b[n]) + 1e-9);
          }
        }
      }),
      { numRuns: 15 },
    );
    const pose = (x: number) => character.pose.map((value, n) => (plain.includes(n) ? value + x : value));
    let clip = emptyClip(character, character.pose);
    for (const [time, x] of [0, 0.1, 0.1, 0].entries())
      clip = putKeys(clip, character, time / 2, pose(x), names);
    const constant = curvesAt(clip, 0.5);
    for (const time of [0.6, 0.75, 0.9])
      curvesAt(clip, time).forEach((x, n) => {
        expect(x).toBeCloseTo(constant[n], 12);
      });
    const over = curvesAt(setInterpolation(clip, all(clip), 'smooth'), 0.75);
    expect(plain.some((n) => over[n] > constant[n] + 1e-3)).toBe(true);
  });

  it('are the rates of the curves at their keys', () => {
    const step = 1e-6;
    fc.assert(
      fc.property(someClip(['auto', 'smooth', 'flat', 'linear'], 0.6), (clip) => {
        for (const { id, coordinates } of groups) {
          clip.keys[id].slice(0, -1).forEach((key) => {
            const rates = tangentOf(clip, character, id, key);
            const [a, b] = [curvesAt(clip, key.time), curvesAt(clip, key.time + step)];
            coordinates.forEach((n, k) => {
              expect((b[n] - a[n]) / step).toBeCloseTo(rates[k], 2);
            });
          });
        }
      }),
      { numRuns: 4 },
    );
  });

  it('free: at the rates that a key had, change nothing', () => {
    fc.assert(
      fc.property(
        someClip(['smooth'], 1),
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.integer({ min: 0, max: 5 }),
        (clip, time, k) => {
          const keys = clip.keys.spine;
          const ids = new Set(names.map((id) => keyId(id, keys[k % keys.length].time)));
          const free = setTangents(clip, ids, (group, key) => tangentOf(clip, character, group, key));
          const [a, b] = [curvesAt(clip, time), curvesAt(free, time)];
          for (const n of plain) expect(Math.abs(a[n] - b[n])).toBeLessThan(1e-9);
          expect(angleBetween(a, b)).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keep the spin of a body that turns again and again', () => {
    const rotated = (angle: number) => character.pose.map((x, n) => (n === turn + 1 ? angle : x));
    for (const interpolation of ['auto', 'free'] as const) {
      let clip = emptyClip(character, character.pose);
      for (const [n, angle] of [0, 2, 4, 6 - 2 * Math.PI, 8 - 2 * Math.PI].entries())
        clip = putKeys(clip, character, n / 2, rotated(angle), ['root']);
      if (interpolation === 'free')
        clip = setTangents(clip, all(clip), (_, key) => key.values.map((_, n) => (n === 4 ? 4 : 0)));
      const h = 1e-5;
      for (let time = 0.5; time < 2; time += 0.1) {
        const [a, b, c] = [time - h, time, time + h].map((at) => curvesAt(clip, at));
        const [before, after] = [angleBetween(a, b) / h, angleBetween(b, c) / h];
        expect(Math.abs(before - after)).toBeLessThan(0.02);
        if (interpolation === 'free') expect(before).toBeCloseTo(4, 2);
      }
    }
  });

  it('go the short way round for a body that leans and turns about', () => {
    const lean = quatFromRotationVector([(3 * Math.PI) / 180, 0, 0]);
    let clip = { ...emptyClip(character, character.pose), duration: 4 };
    for (let n = 0; n <= 4; n++) {
      const pose = Float64Array.from(character.pose);
      pose.set(
        rotationVectorFromQuat(quat.multiply(quat.fromAxisAngle([0, 1, 0], (n * Math.PI) / 2), lean)),
        turn,
      );
      clip = putKeys(clip, character, n, pose, ['root']);
    }
    for (let time = 0; time < 4; time += 0.05) {
      const way = angleBetween(curvesAt(clip, time), curvesAt(clip, time + 0.05));
      expect(way, String(time)).toBeLessThan((0.2 * Math.PI) / 2);
    }
  });

  it('are stretched with their keys, and scaled with the character', () => {
    let clip = putKeys(emptyClip(character, character.pose), character, 0, character.pose, names);
    clip = setTangents(clip, all(clip), (_, { values }) => values.map(() => 0.5));
    const slow = scaleKeys(clip, all(clip), 0, 2).clip;
    expect(slow.keys.spine[0].tangent?.[0]).toBe(0.25);
    const large = clipFor(clip, human(2)) as Clip;
    expect(large.keys.root[0].tangent?.[1]).toBeCloseTo((0.5 * 2) / 1.75, 12);
    expect(large.keys.root[0].tangent?.[4]).toBe(0.5);
    expect(clipFor({ ...clip, keys: { spine: [{ ...clip.keys.spine[0], tangent: [1] }] } }, character)).toBe(
      undefined,
    );
    expect(setInterpolation(clip, all(clip), 'auto').keys.spine[0].tangent).toBeUndefined();
  });
});

function angleBetween(a: Float64Array, b: Float64Array): number {
  const [p, q] = [a, b].map((pose) => quatFromRotationVector(pose.subarray(turn, turn + 3)));
  const [x, y, z, w] = quat.multiply(quat.conjugate(p), q);
  return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
}

describe('curves of joints', () => {
  const sets = curveSets(character);

  it('show each coordinate once', () => {
    const shown = sets.flatMap(({ lines }) => lines.map(({ coordinate }) => coordinate));
    expect(shown.sort((a, b) => a - b)).toEqual(Array.from({ length: figure.dof }, (_, n) => n));
    for (const { group, lines } of sets) {
      const { coordinates } = groups.find(({ id }) => id === group) as (typeof groups)[number];
      for (const { coordinate, value } of lines) expect(coordinates[value]).toBe(coordinate);
    }
    expect(usualSet(character, 'leftElbow', new Set())?.label).toBe('Left elbow');
    // About its left, its front and its up.
    const { lines } = sets.find(({ label }) => label === 'Hips, rotation') as (typeof sets)[number];
    const [left, up, forward] = shownAxes(character);
    for (const [axis, words] of [
      [left, 'Bend'],
      [forward, 'Lean'],
      [up, 'Turn'],
    ] as const)
      expect(lines[axis.findIndex((x) => Math.abs(x) > 0.9)].label).toBe(words);
    expect(usualSet(character, 'leftElbow', new Set(['head 0']))?.group).toBe('head');
  });

  it('are dragged as far as the joint goes, one without the others', () => {
    fc.assert(
      fc.property(
        someClip(['auto'], 0.5),
        fc.nat(),
        fc.nat(),
        fc.double({ min: -9, max: 9, noNaN: true }),
        (clip, a, b, by) => {
          const set = sets[a % sets.length];
          const line = set.lines[b % set.lines.length];
          const [first, ...others] = clip.keys[set.group];
          const dragged = addToValues(
            clip,
            character,
            set,
            line,
            new Set([keyId(set.group, first.time)]),
            by,
          );
          const [moved, ...rest] = dragged.keys[set.group];
          expect(rest).toEqual(others);
          moved.values.forEach((value, n) => {
            if (n !== line.value) expect(value).toBe(first.values[n]);
          });
          const shift = moved.values[line.value] - first.values[line.value];
          expect(Math.abs(shift)).toBeLessThanOrEqual(Math.abs(by) + 1e-12);
          expect(shift * by).toBeGreaterThanOrEqual(-1e-9);
          const pose = Float64Array.from(dragged.base);
          for (const { group, key } of selectedKeys(dragged, all(dragged)))
            if (key.time === first.time)
              groups
                .find(({ id }) => id === group)
                ?.coordinates.forEach((n, k) => {
                  pose[n] = key.values[k];
                });
          expect(limitViolation(figure, pose)).toBeLessThan(1e-8);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('take the rate of a tangent for one coordinate alone', () => {
    let clip = emptyClip(character, character.pose);
    for (const time of [0, 1, 2])
      clip = putKeys(
        clip,
        character,
        time,
        character.pose.map((x) => x + 0.05 * time),
        names,
      );
    const set = sets.find(({ group }) => group === 'leftArm') as (typeof sets)[number];
    const [line] = set.lines;
    const before = tangentOf(clip, character, set.group, clip.keys.leftArm[1]);
    const rotated = withRate(clip, character, line, new Set(['leftArm 1']), 0.7);
    const key = rotated.keys.leftArm[1];
    expect(key.interpolation).toBe('free');
    expect(tangentOf(rotated, character, set.group, key)).toEqual(
      before.map((rate, n) => (n === line.value ? 0.7 : rate)),
    );
    expect(poseAt(rotated, character, 1)).toEqual(poseAt(clip, character, 1));
  });
});

describe('the plot', () => {
  it('holds all values, with numbers on its axis', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -400, max: 400, noNaN: true }), { maxLength: 9 }),
        fc.integer({ min: 60, max: 400 }),
        (values, height) => {
          const scale = valueScale(values, height);
          for (const value of values) {
            expect(scale.y(value)).toBeGreaterThan(0);
            expect(scale.y(value)).toBeLessThan(height);
            expect(scale.value(scale.y(value))).toBeCloseTo(value, 9);
          }
          expect(scale.marks.length).toBeLessThanOrEqual(height / 26 + 1);
        },
      ),
    );
    expect(valueScale([20], 100).marks.length).toBeGreaterThan(1);
  });

  it('breaks a line where a rotation vector continues from its other end', () => {
    expect(pathOf([0, 1, 2], [3, -3, -2.9], (value) => value, Math.PI)).toBe('M0.0 3.0M1.0 -3.0L2.0 -2.9');
  });
});
