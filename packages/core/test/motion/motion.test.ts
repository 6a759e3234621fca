import fc from 'fast-check';
import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createMotion,
  createMotionSampler,
  easeTiming,
  linearCurve,
  type Motion,
  type MotionData,
  motionToData,
  orientationHermite,
  retimeCurve,
  samplePose,
  simplifyRotation,
  slerpCurve,
  type TrackData,
} from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { FigureError, MotionError } from '../../src/errors.js';

const figure = createFigure({
  name: 'arm',
  bones: [
    { name: 'root', parent: null, joint: { type: 'free' } },
    { name: 'upperArm', parent: 'root', joint: { type: 'ball' } },
    { name: 'elbow', parent: 'upperArm', joint: { type: 'hinge', axis: [0, 0, 1] } },
    {
      name: 'finger',
      parent: 'elbow',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mimic: { bone: 'elbow', polynomial: [0, 0.5] },
    },
    { name: 'mark', parent: 'elbow' },
  ],
});
const bend = (times: number[], values: number[]) => linearCurve({ times, values });
/** 0.9 of half a turn about z in a second. */
const halfTurn = {
  times: [0, 1],
  quaternions: [0, 0, 0, 1, 0, 0, Math.sin(0.45 * Math.PI), Math.cos(0.45 * Math.PI)],
};
const elbow = { bone: 'elbow', curve: bend([1, 2], [0, 1]) };

describe('a clip', () => {
  test('holds its tracks in coordinate order, its range, and rest where nothing moves', () => {
    const motion = createMotion(figure, {
      name: 'wave',
      tracks: [elbow, { bone: 'upperArm', curve: bend([0, 1.5], [0, 0, 0, 1, 2, 3]) }],
      outside: { after: 'loop' },
    });
    expect(motion).toMatchObject({ name: 'wave', dof: 10, start: 0, end: 2 });
    expect(motion.tracks.map(({ coordinate }) => coordinate)).toEqual([6, 9]);
    expect(motion.outside).toEqual({ before: 'clamp', after: 'loop' });
    expect(Array.from(motion.base)).toEqual(Array(10).fill(0));
  });

  test('names a bone by name or index, a part of a joint, or coordinates over several joints', () => {
    const positions: [TrackData, number][] = [
      [{ bone: 1, curve: bend([0, 1], [0, 0, 0, 1, 1, 1]) }, 6],
      [{ bone: 'root', component: 3, curve: bend([0, 1], [0, 0, 0, 1, 1, 1]) }, 3],
      [{ bone: 'root', component: 1, curve: bend([0, 1], [0, 1]) }, 1],
      [{ coordinate: 2, curve: bend([0, 1], Array(14).fill(0.5)) }, 2],
    ];
    for (const [track, coordinate] of positions) {
      expect(createMotion(figure, { tracks: [track] }).tracks[0].coordinate).toBe(coordinate);
    }
  });

  test('copies its data', () => {
    const times = [0, 1];
    const values = [0, 1];
    const base = createPose(figure);
    const curve = bend(times, values);
    const motion = createMotion(figure, { tracks: [{ bone: 'elbow', curve }], base });
    const before = structuredClone(motion);
    base.fill(3);
    (curve.controls as Float64Array).fill(7);
    (curve.knots as Float64Array)[0] = -5;
    expect(motion).toEqual(before);
  });

  test('is frozen, and the same after a clone', () => {
    const motion = createMotion(figure, { tracks: [elbow] });
    for (const piece of [motion, motion.tracks, motion.tracks[0], motion.tracks[0].curve, motion.outside]) {
      expect(Object.isFrozen(piece)).toBe(true);
    }
    const clone = structuredClone(motion);
    expect(clone).toEqual(motion);
    const [a, b] = [motion, clone].map((each) => createMotionSampler(figure, each));
    for (const t of [-1, 1, 1.3, 2, 9]) {
      expect(samplePose(b, t, createPose(figure))).toEqual(samplePose(a, t, createPose(figure)));
    }
  });

  test('is the same to the last bit after JSON', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -10, max: 10 }), { minLength: 19, maxLength: 19 }),
        (x) => {
          const motion = createMotion(figure, {
            name: 'wave',
            base: x.slice(0, 10),
            outside: { before: 'mirror', after: 'offset' },
            tracks: [
              {
                ...elbow,
                curve: linearCurve({ times: [-0, 1 / 3], values: x.slice(10, 12) }, { outside: 'linear' }),
              },
              {
                bone: 'upperArm',
                keys: { times: [0, 1], values: x.slice(12, 18), tangents: Array(6).fill(x[18]) },
              },
            ],
          });
          const read = createMotion(figure, JSON.parse(JSON.stringify(motionToData(motion))));
          expect(read).toStrictEqual(motion);
          const [a, b] = [motion, read].map((each) => createMotionSampler(figure, each));
          for (const t of [-1, 0, 0.3, 1, 9]) {
            expect(samplePose(b, t, createPose(figure))).toStrictEqual(samplePose(a, t, createPose(figure)));
          }
        },
      ),
    );
  });

  test('converts to plain arrays', () => {
    const data = motionToData(createMotion(figure, { tracks: [elbow] }));
    expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data);
  });

  test('takes its base pose from the limits where rest is not allowed', () => {
    const bent = createFigure({
      bones: [
        {
          name: 'a',
          parent: null,
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: 0.5, max: 1 },
        },
        { name: 'b', parent: 'a', joint: { type: 'ball' } },
      ],
    });
    const motion = createMotion(bent, { tracks: [{ bone: 'b', curve: bend([0, 1], [0, 0, 0, 1, 1, 1]) }] });
    expect(Array.from(motion.base)).toEqual([0.5, 0, 0, 0]);
  });

  test('without tangents keys give a Catmull-Rom curve, which meets them', () => {
    const keys = { times: [0, 1, 3], values: [0, 0, 0, 1, 0.5, 0, 0.3, 0.2, 0.1] };
    const sampler = createMotionSampler(
      figure,
      createMotion(figure, { tracks: [{ bone: 'upperArm', keys }] }),
    );
    keys.times.forEach((t, i) => {
      expect(Array.from(samplePose(sampler, t, createPose(figure)).subarray(6, 9))).toEqual(
        keys.values.slice(3 * i, 3 * i + 3),
      );
    });
  });
});

describe('an invalid clip is refused with path and remedy', () => {
  const keys = { times: [0, 1, 2], values: [0, 1, 0] };
  const track = (more: object): TrackData => ({ bone: 'elbow', keys: { ...keys, ...more } }) as TrackData;
  const cases: [string, Partial<MotionData>, string, string][] = [
    ['no track', { tracks: [] }, 'wrong-size', 'tracks'],
    ['tracks that are no list', { tracks: undefined as unknown as [] }, 'wrong-size', 'tracks'],
    ['an unknown bone', { tracks: [{ ...elbow, bone: 'ellbow' }] }, 'unknown-name', 'tracks[0].bone'],
    ['an index beyond the bones', { tracks: [{ ...elbow, bone: 9 }] }, 'unknown-name', 'tracks[0].bone'],
    ['a fixed bone', { tracks: [elbow, { ...elbow, bone: 'mark' }] }, 'unsupported', 'tracks[1].bone'],
    [
      'a bone with a mimic joint',
      { tracks: [{ ...elbow, bone: 'finger' }] },
      'unsupported',
      'tracks[0].bone',
    ],
    [
      'a curve of another size',
      { tracks: [{ ...elbow, bone: 'upperArm' }] },
      'wrong-size',
      'tracks[0].curve',
    ],
    ['keys of another size', { tracks: [{ bone: 'upperArm', keys }] }, 'wrong-size', 'tracks[0].keys.values'],
    [
      'a component that is none',
      { tracks: [{ ...elbow, component: 1 }] },
      'out-of-range',
      'tracks[0].component',
    ],
    [
      'a part too long',
      { tracks: [{ bone: 'root', component: 4, curve: bend([0, 1], [0, 0, 0, 0, 0, 0]) }] },
      'wrong-size',
      'tracks[0].curve',
    ],
    [
      'a coordinate beyond the pose',
      { tracks: [{ coordinate: 10, curve: elbow.curve }] as TrackData[] },
      'out-of-range',
      'tracks[0].coordinate',
    ],
    [
      'coordinates beyond the pose',
      { tracks: [{ coordinate: 9, curve: bend([0, 1], [0, 0, 0, 0]) }] },
      'wrong-size',
      'tracks[0].curve',
    ],
    ['two tracks for one joint', { tracks: [elbow, elbow] }, 'duplicate-name', 'tracks[1]'],
    [
      'tracks that overlap, whatever their order',
      { tracks: [elbow, { coordinate: 6, curve: bend([0, 1], Array(8).fill(0)) }] },
      'duplicate-name',
      'tracks[0]',
    ],
    ['neither curve nor keys', { tracks: [{ bone: 'elbow' } as TrackData] }, 'wrong-size', 'tracks[0]'],
    ['curve and keys', { tracks: [{ ...elbow, keys } as TrackData] }, 'wrong-size', 'tracks[0]'],
    [
      'times out of order',
      { tracks: [track({ times: [0, 2, 1] })] },
      'not-increasing',
      'tracks[0].keys.times[2]',
    ],
    [
      'repeated times',
      { tracks: [track({ times: [0, 1, 1] })] },
      'not-increasing',
      'tracks[0].keys.times[2]',
    ],
    ['one key', { tracks: [track({ times: [0], values: [1] })] }, 'wrong-size', 'tracks[0].keys.times'],
    [
      'a time that is none',
      { tracks: [track({ times: [0, Number.NaN, 2] })] },
      'not-finite',
      'tracks[0].keys.times[1]',
    ],
    [
      'a value that is none',
      { tracks: [track({ values: [0, 1, Infinity] })] },
      'not-finite',
      'tracks[0].keys.values[2]',
    ],
    [
      'tangents of another size',
      { tracks: [track({ tangents: [0, 1] })] },
      'wrong-size',
      'tracks[0].keys.tangents',
    ],
    [
      'a tangent that is none',
      { tracks: [track({ tangents: [0, Number.NaN, 0] })] },
      'not-finite',
      'tracks[0].keys.tangents[1]',
    ],
    ['arriving alone', { tracks: [track({ arriving: [0, 0, 0] })] }, 'wrong-size', 'tracks[0].keys.arriving'],
    [
      'an unknown unit of tangents',
      { tracks: [track({ tangents: [0, 0, 0], tangentsAs: 'spin' })] },
      'unsupported',
      'tracks[0].keys.tangentsAs',
    ],
    [
      'an angular velocity for a part of a rotation vector',
      {
        tracks: [
          {
            bone: 'root',
            component: 2,
            keys: {
              times: [0, 1],
              values: [0, 0, 1, 1],
              tangents: [0, 0, 0, 0],
              tangentsAs: 'joint-velocity',
            },
          },
        ],
      },
      'wrong-size',
      'tracks[0].keys.tangents',
    ],
    [
      'an angular velocity at a rotation of 2 pi',
      {
        tracks: [
          {
            bone: 'upperArm',
            keys: {
              times: [0, 1],
              values: [0, 0, 0, 2 * Math.PI, 0, 0],
              tangents: [0, 1, 0, 0, 1, 0],
              tangentsAs: 'joint-velocity',
            },
          },
        ],
      },
      'singular',
      'tracks[0].keys.tangents[3]',
    ],
    [
      'a curve with points that are none',
      { tracks: [{ bone: 'elbow', curve: { ...bend([0, 1], [0, 1]), controls: [0, Number.NaN] } }] },
      'not-finite',
      'tracks[0].curve.controls[1]',
    ],
    [
      'a curve with knots that fall',
      { tracks: [{ bone: 'elbow', curve: { ...bend([0, 1], [0, 1]), knots: [1, 0] } }] },
      'not-increasing',
      'tracks[0].curve.knots[1]',
    ],
    ['a track that is null', { tracks: [elbow, null as unknown as TrackData] }, 'unsupported', 'tracks[1]'],
    [
      'a curve that is null',
      { tracks: [{ bone: 'elbow', curve: null as never }] },
      'unsupported',
      'tracks[0].curve',
    ],
    [
      'keys that are null',
      { tracks: [{ bone: 'elbow', keys: null as never }] },
      'unsupported',
      'tracks[0].keys',
    ],
    [
      'keys without values',
      { tracks: [track({ values: undefined })] },
      'wrong-size',
      'tracks[0].keys.values',
    ],
    ['keys without times', { tracks: [track({ times: undefined })] }, 'wrong-size', 'tracks[0].keys.times'],
    [
      'tangents that are null',
      { tracks: [track({ tangents: null })] },
      'wrong-size',
      'tracks[0].keys.tangents',
    ],
    [
      'a curve that JSON has been through',
      { tracks: [{ bone: 'elbow', curve: JSON.parse(JSON.stringify(bend([0, 1], [0, 1]))) }] },
      'wrong-size',
      'tracks[0].curve.knots',
    ],
    [
      'keys that JSON has been through',
      { tracks: [track({ values: JSON.parse(JSON.stringify(Float64Array.of(0, 1, 0))) })] },
      'wrong-size',
      'tracks[0].keys.values',
    ],
    [
      'a base that JSON has been through',
      { base: JSON.parse(JSON.stringify(createPose(figure))) },
      'wrong-size',
      'base',
    ],
    [
      'a rotation curve',
      { tracks: [{ bone: 'upperArm', curve: slerpCurve(halfTurn) as never }] },
      'unsupported',
      'tracks[0].curve',
    ],
    [
      'a retimed curve',
      {
        tracks: [
          {
            bone: 'elbow',
            curve: retimeCurve(elbow.curve, easeTiming('ease', { start: 1, end: 2 })) as never,
          },
        ],
      },
      'unsupported',
      'tracks[0].curve',
    ],
    ['an unknown extrapolation', { outside: 'bounce' as 'loop' }, 'unsupported', 'outside'],
    ['a name that is none', { name: 3 as unknown as string }, 'unsupported', 'name'],
  ];
  test.each(cases)('%s', (_, data, code, path) => {
    let error: unknown;
    try {
      createMotion(figure, { tracks: [elbow], ...data });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(code === 'unknown-name' ? FigureError : MotionError);
    expect(error).toMatchObject({ code, path });
    expect((error as MotionError).remedy).toMatch(/^[A-Z].*[.?]$/);
  });

  test('the nearest name is offered', () => {
    expect(() => createMotion(createHumanFigure(), { tracks: [{ ...elbow, bone: 'LeftHand' }] })).toThrow(
      "Did you mean 'leftHand'?",
    );
  });

  test('a base pose of another figure', () => {
    expect(() => createMotion(figure, { tracks: [elbow], base: [0, 0] })).toThrow('has 2 coordinates');
  });

  test('no data', () => {
    expect(() => createMotion(figure, undefined as never)).toThrow(MotionError);
  });

  test('the remedy for a rotation curve is accepted', () => {
    const curve = slerpCurve(halfTurn);
    expect(() => createMotion(figure, { tracks: [{ bone: 'upperArm', curve: curve as never }] })).toThrow(
      "is a rotation curve of kind 'shortest slerp', not a curve of numbers. Give orientationHermite(simplifyRotation(curve, { tolerance }).keys)",
    );
    const { keys } = simplifyRotation(curve, { tolerance: 1e-4 });
    const motion = createMotion(figure, { tracks: [{ bone: 'upperArm', curve: orientationHermite(keys) }] });
    const pose = samplePose(createMotionSampler(figure, motion), 0.3, createPose(figure));
    const [x, y, z] = pose.subarray(6, 9);
    expect([x, y, z]).toEqual([0, 0, 0.3 * Math.PI * 0.9].map((v) => expect.closeTo(v, 3)));
  });

  test('a motion parsed from JSON without createMotion is refused', () => {
    const whole = createMotion(figure, { tracks: [elbow] });
    const spoilt: unknown[] = [
      JSON.parse(JSON.stringify(whole)),
      { ...whole, base: {} },
      { ...whole, base: [0] },
      ...['knots', 'controls'].map((key) => {
        const [{ coordinate, curve }] = whole.tracks;
        const numbers = curve[key as 'knots'];
        return { ...whole, tracks: [{ coordinate, curve: { ...curve, [key]: { ...Array.from(numbers) } } }] };
      }),
      { ...whole, tracks: [{ coordinate: 9, curve: { ...whole.tracks[0].curve, controls: [0, 1, 2] } }] },
    ];
    for (const motion of spoilt) {
      let error: unknown;
      try {
        createMotionSampler(figure, motion as Motion);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(MotionError);
      expect(error).toMatchObject({ code: 'wrong-size', path: expect.stringMatching(/^motion 'motion'\./) });
    }
    expect(() => createMotionSampler(figure, spoilt[0] as Motion)).toThrow('motionToData');
  });

  test('a motion of another figure is refused', () => {
    const motion = createMotion(figure, { tracks: [elbow] });
    expect(() => createMotionSampler(createHumanFigure(), motion)).toThrow(MotionError);
  });
});

test('a base with an object without a primitive is refused: JSON can hold one', () => {
  const figure = createFigure({ bones: [{ name: 'a', joint: { type: 'hinge', axis: [1, 0, 0] } }] });
  const keys = { times: [0, 1], values: [0, 1] };
  for (const base of ['[{"toString":1,"valueOf":1}]', '["0"]', '[null]']) {
    expect(() =>
      createMotion(figure, { tracks: [{ bone: 'a', keys }], base: JSON.parse(base) as number[] }),
    ).toThrow(expect.objectContaining({ code: 'not-finite', path: 'base[0]' }));
  }
});
