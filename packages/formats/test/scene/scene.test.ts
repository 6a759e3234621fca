/** Scenes: reading, errors with their locations, and the resulting problem. */
import {
  type PoseData,
  poseToData,
  readScene,
  type SceneData,
  sceneFiles,
  spacetimeFromScene,
} from '@poise/formats';
import fc from 'fast-check';
import { FormatError, type PoiseError } from 'poise';
import { findFootPoints } from 'poise/dynamics';
import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion, createMotionSampler, type Motion, motionToData, samplePose } from 'poise/motion';
import { createSpacetimeProblem, type SpacetimeTerm } from 'poise/spacetime';
import { describe, expect, test } from 'vitest';

const human = createHumanFigure();

/** One term of every type, with every key that a scene writes otherwise than the library. */
const every: Record<SpacetimeTerm['type'], object> = {
  pose: { type: 'pose', at: 0, pose: 'rest', weight: 2, bones: ['hips'] },
  velocity: { type: 'velocity', at: 1, velocity: { bones: { hips: [0, 1, 0, 0, 0, 0] } } },
  acceleration: { type: 'acceleration', at: [0, 0.5], weight: 1, bones: ['head'] },
  goal: {
    type: 'goal',
    name: 'reach',
    at: 0.5,
    goal: { type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.4] },
  },
  effort: { type: 'effort', weight: 0.1, bones: { leftHand: 2 }, over: [0, 1] },
  'torque-limit': { type: 'torque-limit', limit: { leftHand: 20 } },
  'speed-limit': { type: 'speed-limit', limit: 10, over: [0, 1] },
  smoothness: { type: 'smoothness', order: 2, weight: 1e-3 },
  tracking: { type: 'tracking', bones: { spine: 2 } },
  duration: { type: 'duration', weight: 3 },
  contact: {
    type: 'contact',
    bone: 'leftFoot',
    points: 'sole',
    over: [0, 0.5],
    positions: 'free',
    friction: 1,
  },
  physics: { type: 'physics', undriven: ['hips'] },
  periodic: { type: 'periodic', bones: ['head'], travel: [0, null, 1] },
  clearance: {
    type: 'clearance',
    shapes: [{ type: 'sphere', bone: 'leftHand', radius: 0.05 }],
    world: [{ type: 'box', halfSizes: [1, 1, 1], placement: { position: [3, 0, 0] } }],
    distance: 0.01,
  },
};

const scene = (more: object = {}): object => ({
  format: 'poise-scene',
  version: 1,
  duration: { min: 0.5, max: 2, start: 1, pieces: 2 },
  terms: Object.values(every),
  ...more,
});

const read = (data: object): SceneData => readScene(JSON.stringify(data), { source: 'a.json' });

function refusal(data: unknown): PoiseError {
  try {
    readScene(typeof data === 'string' ? data : JSON.stringify(data), { source: 'a.json' });
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return error as PoiseError;
  }
  throw new Error('nothing was refused');
}

function refusedProblem(data: object, files: Parameters<typeof spacetimeFromScene>[2] = {}): PoiseError {
  const given = read(data);
  try {
    spacetimeFromScene(given, human, { source: 'a.json', ...files });
  } catch (error) {
    return error as PoiseError;
  }
  throw new Error('nothing was refused');
}

describe('a scene', () => {
  test('with every type of term gives the problem data', () => {
    const data = spacetimeFromScene(read(scene({ gravity: [0, -1.6, 0], locked: ['head'] })), human);
    expect(data).toMatchObject({ gravity: [0, -1.6, 0], locked: ['head'], duration: { start: 1 } });
    expect(Object.keys(data)).not.toContain('format');
    const byType = new Map(data.terms.map((term) => [term.type, term]));
    expect([...byType.keys()]).toEqual(Object.keys(every));
    for (const type of ['goal', 'effort', 'torque-limit', 'clearance', 'periodic'] as const) {
      expect(byType.get(type)).toEqual(every[type]);
    }
    expect(byType.get('pose')).toEqual({ ...every.pose, pose: new Float64Array(human.dof) });
    const velocity = new Float64Array(human.dof);
    velocity[1] = 1;
    expect(byType.get('velocity')).toEqual({ ...every.velocity, velocity });
    expect(byType.get('contact')).toEqual({ ...every.contact, points: findFootPoints(human, 'leftFoot') });
  });

  test('creates a spacetime problem', () => {
    const terms = Object.values(every).filter(({ type }: { type?: string }) => type !== 'periodic');
    const data = spacetimeFromScene(read(scene({ terms, intervals: 8 })), human);
    expect(createSpacetimeProblem(human, data).system.rows).toBeGreaterThan(0);
  });

  test('has poses as a list, by bone, as the content of a pose file, and by address', () => {
    const wave = createPose(human);
    wave.fill(0.1);
    const written = JSON.parse(
      JSON.stringify(poseToData(human, wave, { height: 1.75, pins: ['hips'] })),
    ) as PoseData;
    const poses = [Array.from(wave), { bones: written.bones }, written, { path: 'poses/wave.json' }];
    const given = read(scene({ terms: poses.map((pose) => ({ type: 'pose', at: 1, pose })) }));
    expect(sceneFiles(given)).toEqual({ poses: ['poses/wave.json'] });
    const files = { poses: new Map([['poses/wave.json', written]]) };
    for (const term of spacetimeFromScene(given, human, files).terms) {
      expect(term).toEqual({ type: 'pose', at: 1, pose: wave });
    }
  });

  test('has an armature for all, by bone, or per coordinate', () => {
    const of = (armature: unknown): unknown => spacetimeFromScene(read(scene({ armature })), human).armature;
    expect(of(0.5)).toEqual(new Float64Array(human.dof).fill(0.5));
    const each = Array.from({ length: human.dof }, (_, i) => i);
    expect(of(each)).toEqual(Float64Array.from(each));
    const head = human.bones.find(({ name }) => name === 'head');
    const wanted = new Float64Array(human.dof);
    wanted.fill(2, head?.coordinate, (head?.coordinate ?? 0) + (head?.dof ?? 0));
    expect(of({ head: 2 })).toEqual(wanted);
  });

  test('lists the files that it needs', () => {
    const given = read(
      scene({
        figure: { type: 'file', path: 'rig.glb' },
        reference: { type: 'file', path: 'walk.bvh' },
        terms: [
          { type: 'pose', at: 0, pose: { path: 'a.json' } },
          { type: 'pose', at: 1, pose: { path: 'b.json' } },
          { type: 'pose', at: 1, pose: { path: 'a.json' } },
        ],
      }),
    );
    expect(sceneFiles(given)).toEqual({ figure: 'rig.glb', clip: 'walk.bvh', poses: ['a.json', 'b.json'] });
  });
});

describe('a reference', () => {
  const ball = createFigure({ name: 'ball', bones: [{ name: 'a', joint: { type: 'ball' } }] });
  const poseAt = (motion: Motion, time: number): number[] => {
    const pose = new Float64Array(3);
    samplePose(createMotionSampler(ball, motion), time, pose);
    return Array.from(pose);
  };

  test('of key poses passes through them, by the shorter rotation, and gives the duration', () => {
    const { duration: _, ...given } = scene({
      reference: {
        type: 'keys',
        times: [0, 0.5, 1.5],
        poses: ['rest', [0, 0, 3], [0, 0, 3.3 - 2 * Math.PI]],
      },
      terms: [{ type: 'tracking' }],
    }) as Record<string, unknown>;
    const data = spacetimeFromScene(read(given), ball);
    const motion = data.reference as Motion;
    expect(data.duration).toBe(1.5);
    expect(poseAt(motion, 0)).toEqual([0, 0, 0]);
    expect(poseAt(motion, 0.5)[2]).toBeCloseTo(3, 14);
    // 3.3 and 3.3 - 2 pi are the same turn; the first is on the way on from 3.
    expect(poseAt(motion, 1.5)[2]).toBeCloseTo(3.3, 12);
  });

  test('of tracks is the motion with these tracks', () => {
    const motion = createMotion(ball, {
      tracks: [{ bone: 'a', keys: { times: [0, 1, 2], values: [0, 0, 0, 1, 0, 0, 1, 1, 0] } }],
    });
    const given = scene({
      reference: { type: 'motion', ...motionToData(motion) },
      terms: [{ type: 'tracking' }],
    });
    expect(spacetimeFromScene(read(given), ball).reference).toEqual(motion);
  });

  test('that is rest or missing is undefined; one of a file is the clip passed in', () => {
    const terms = [{ type: 'tracking' }];
    expect(spacetimeFromScene(read(scene({ terms })), ball)).not.toHaveProperty('reference');
    expect(spacetimeFromScene(read(scene({ terms, reference: { type: 'rest' } })), ball)).not.toHaveProperty(
      'reference',
    );
    const clip = createMotion(ball, {
      tracks: [{ bone: 'a', keys: { times: [0, 1], values: [0, 0, 0, 1, 0, 0] } }],
    });
    const file = scene({ terms, reference: { type: 'file', path: 'walk.bvh' } });
    expect(spacetimeFromScene(read(file), ball, { clip }).reference).toBe(clip);
  });
});

describe('invalid scenes are refused', () => {
  const term = (change: object): object => scene({ terms: [{ ...every.goal, ...change }] });
  const goal = (change: object): object =>
    term({ goal: { type: 'position', bone: 'leftHand', target: [0, 1, 0], ...change } });

  test.each([
    ['text', '{', 'invalid-file', 'a.json', 'does not parse'],
    ['a list', [], 'invalid-file', 'a.json', "format is not 'poise-scene'"],
    ['another version', scene({ version: 2 }), 'unsupported', 'a.json#version', 'one of 1'],
    [
      'an unknown key',
      scene({ durations: 1 }),
      'unknown-name',
      'a.json#durations',
      "Did you mean 'duration'?",
    ],
    ['a key of a term', term({ wieght: 1 }), 'unknown-name', 'a.json#terms[0].wieght', "'weight'"],
    [
      'an old name',
      scene({ heldEnds: 'both' }),
      'unknown-name',
      'a.json#heldEnds',
      "Did you mean 'fixedEnds'?",
    ],
    ['a key of a goal', goal({ targets: 1 }), 'unknown-name', 'a.json#terms[0].goal.targets', "'target'"],
    [
      'the weight of a goal',
      goal({ weight: 1 }),
      'unsupported',
      'a.json#terms[0].goal.weight',
      'Put the weight into the term',
    ],
    ['a tolerance', goal({ tolerance: 1 }), 'unsupported', 'a.json#terms[0].goal.tolerance', 'Remove it'],
    ['a type', term({ type: 'gaol' }), 'unsupported', 'a.json#terms[0].type', "'goal'"],
    ['a kind of goal', goal({ type: 'postion' }), 'unsupported', 'a.json#terms[0].goal.type', "'position'"],
    ['no type', scene({ terms: [{ at: 0 }] }), 'invalid-file', 'a.json#terms[0].type', 'is missing'],
    ['no time', scene({ terms: [{ type: 'pose' }] }), 'invalid-file', 'a.json#terms[0].at', 'is missing'],
    ['no terms', { format: 'poise-scene', version: 1 }, 'invalid-file', 'a.json#terms', 'is missing'],
    ['terms that are none', scene({ terms: {} }), 'invalid-file', 'a.json#terms', 'a list of terms'],
    ['null', scene({ terms: [null] }), 'invalid-file', 'a.json#terms[0]', 'is null'],
    ['a text for a number', term({ weight: '1' }), 'invalid-file', 'a.json#terms[0].weight', 'Give a number'],
    [
      'two numbers for three',
      goal({ target: [0, 1] }),
      'wrong-size',
      'a.json#terms[0].goal.target',
      '3 numbers',
    ],
    [
      'a figure of no kind',
      scene({ figure: { type: 'humna' } }),
      'unsupported',
      'a.json#figure.type',
      "'human'",
    ],
    [
      'a bone with a dot',
      scene({ terms: [{ ...every.effort, bones: { 'a.b': 'x' } }] }),
      'invalid-file',
      "a.json#terms[0].bones['a.b']",
      'a number',
    ],
  ])('%s', (_, data, code, path, words) => {
    const error = refusal(data);
    expect([error.code, error.path]).toEqual([code, path]);
    expect(error.message).toContain(words);
  });

  test('numbers that overflow in JSON', () => {
    const error = refusal(JSON.stringify(scene()).replace('"weight":2', '"weight":1e999'));
    expect([error.code, error.path]).toEqual(['not-finite', 'a.json#terms[0].weight']);
  });

  test.each([
    ['no duration', { ...scene(), duration: undefined }, 'invalid-file', 'a.json#duration'],
    [
      'a pose of another size',
      scene({ terms: [{ type: 'pose', at: 0, pose: [1] }] }),
      'wrong-size',
      'a.json#terms[0].pose',
    ],
    [
      'an unknown bone of a pose',
      scene({ terms: [{ type: 'pose', at: 0, pose: { bones: { hip: [0] } } }] }),
      'unknown-name',
      'a.json#terms[0].pose.bones.hip',
    ],
    [
      'too many numbers for a bone',
      scene({ terms: [{ type: 'velocity', at: 0, velocity: { bones: { hips: [0] } } }] }),
      'wrong-size',
      'a.json#terms[0].velocity.bones.hips',
    ],
    [
      'a file that was not given',
      scene({ terms: [{ type: 'pose', at: 0, pose: { path: 'p.json' } }] }),
      'missing-resource',
      'a.json#terms[0].pose.path',
    ],
    [
      'a clip that was not given',
      scene({ reference: { type: 'file', path: 'c.bvh' } }),
      'missing-resource',
      'a.json#reference.path',
    ],
    [
      'one key',
      scene({ reference: { type: 'keys', times: [0], poses: ['rest'] } }),
      'wrong-size',
      'a.json#reference',
    ],
    [
      'keys that begin late',
      scene({ reference: { type: 'keys', times: [1, 2], poses: ['rest', 'rest'] } }),
      'out-of-range',
      'a.json#reference.times[0]',
    ],
    [
      'keys that go back',
      scene({ reference: { type: 'keys', times: [0, 2, 1], poses: ['rest', 'rest', 'rest'] } }),
      'not-increasing',
      'a.json#reference.times[2]',
    ],
    [
      'a track of no bone',
      scene({ reference: { type: 'motion', tracks: [{ bone: 'hip', keys: {} }] } }),
      'unknown-name',
      'a.json#reference.tracks[0].bone',
    ],
    [
      'the sole of a hand',
      scene({ terms: [{ type: 'contact', bone: 'leftHand', points: 'sole', over: [0, 1] }] }),
      'unknown-name',
      'a.json#terms[0].points',
    ],
    ['an armature of nobody', scene({ armature: { hip: 1 } }), 'unknown-name', 'a.json#armature.bones.hip'],
  ])('%s', (_, data, code, path) => {
    const error = refusedProblem(data);
    expect([error.code, error.path.slice(0, path.length)]).toEqual([code, path]);
  });

  test('a pose of another figure names its own file', () => {
    const pose: PoseData = { format: 'poise-pose', version: 1, figure: 'x', bones: { tail: [1] } };
    const data = scene({ terms: [{ type: 'pose', at: 0, pose: { path: 'p.json' } }] });
    expect(refusedProblem(data, { poses: new Map([['p.json', pose]]) }).path).toBe('p.json#bones.tail');
  });

  test('any changed value is accepted, or refused with a location in the file', () => {
    const text = JSON.stringify(
      scene({
        figure: { type: 'human' },
        reference: { type: 'keys', times: [0, 1], poses: ['rest', 'rest'] },
      }),
    );
    const paths = pathsOf(JSON.parse(text));
    const junk = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(null, -1, 1e308, '', 'rest', [], {}, [[]], '__proto__'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), junk, fc.boolean(), (path, value, add) => {
        const data = JSON.parse(text) as Record<string, unknown>;
        change(data, path, value, add);
        try {
          spacetimeFromScene(readScene(JSON.stringify(data), { source: 'a.json' }), human, {
            source: 'a.json',
          });
        } catch (error) {
          expect(error).toMatchObject({ code: expect.any(String), path: expect.stringMatching(/^a\.json/) });
        }
      }),
      { numRuns: 400 },
    );
  });
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, entry]) => pathsOf(entry, [...path, key]))];
}

/** Puts a value in the place of another, or beside it. */
function change(data: Record<string, unknown>, path: Path, value: unknown, add: boolean): void {
  if (path.length === 0) return;
  let at = data;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const key = path[path.length - 1];
  at[add && !Array.isArray(at) ? `${key}s` : key] = value;
}
