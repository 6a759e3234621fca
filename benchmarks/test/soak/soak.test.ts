import { PoiseError } from 'poise';
import { describe, expect, test } from 'vitest';
import {
  checkPose,
  checkQuaternions,
  createPiece,
  digest,
  fail,
  limitsOf,
  type Piece,
  refusal,
  requireFinite,
  type Stream,
} from '../../src/soak/piece.js';
import { runBlock, STREAMS, type Sum, seedOf } from '../../src/soak/run-block.js';

/** Pieces of each stream: `npm run soak` runs a million. */
const PIECES: Record<string, number> = { ik: 40, dynamics: 3, spacetime: 3 };

describe('the library under load, in short', () => {
  // The torture plays a hundred of those in a test of its own.
  const streams = STREAMS.filter(({ name }) => name !== 'mistreated');
  test.each(streams.map((stream) => [`${stream.part}/${stream.name}`, stream] as const))(
    '%s',
    (_, stream) => {
      const { sum, faults } = run(stream, PIECES[stream.part]);
      expect(faults).toEqual([]);
      expect(sum.pieces).toBe(PIECES[stream.part]);
      expect(sum.count).toBeGreaterThanOrEqual(sum.pieces);
      expect(sum.repeated).toBeGreaterThan(0);
    },
  );
});

describe('what is wrong is found', () => {
  const limits = limitsOf(
    [
      {
        name: 'door',
        parent: null,
        rest: { position: [0, 0, 0], rotation: [0, 0, 0, 1] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        limit: { type: 'interval', min: 0, max: 1 },
      },
    ],
    1,
  );
  let calls = 0;
  const cases: readonly (readonly [string, (piece: Piece, number: number) => void, string])[] = [
    ['a number that is none', (piece) => requireFinite(piece, [0, Number.NaN], 'pose'), 'pose[1] is NaN'],
    [
      'a limit',
      (piece) => checkPose(piece, limits, [1.25], 1e-12, 'answer'),
      'the limit of door is exceeded by 0.25',
    ],
    ['a quaternion', (piece) => checkQuaternions(piece, [0, 0, 0, 2], 'body'), 'quaternion 0 has length 2'],
    ['other bits', (piece) => digest(piece, [calls++]), 'gives other bits when it runs again'],
    [
      'a foreign error',
      (piece) => {
        refusal(piece, new TypeError('of none'));
      },
      'TypeError: of none',
    ],
  ];

  test.each(cases)('%s', (_, judge, text) => {
    const { faults } = run(streamOf(judge), 3);
    expect(faults[0]).toContain(text);
  });

  test('an error of the library is an outcome', () => {
    const error = new PoiseError('out-of-range', 'is too much.', { path: 'options', remedy: 'Give less.' });
    const { sum, faults } = run(
      streamOf((piece) => refusal(piece, error)),
      2,
    );
    expect(faults).toEqual([]);
    expect(sum.outcomes).toEqual({ 'refused: out-of-range': 2 });
  });

  test('the number of a fault is that of its piece', () => {
    const numbers: number[] = [];
    const stream = streamOf((piece, number) => {
      if (number === 7) fail(piece, 'seven');
    });
    runBlock(stream, 1, 5, 10, (number) => numbers.push(number), { isTimed: false });
    expect(numbers).toEqual([7]);
  });
});

test('a seed is digits or letters', () => {
  expect(seedOf('17')).toBe(17);
  expect(seedOf('night')).toBe(seedOf('night'));
  expect(seedOf('night')).not.toBe(seedOf('nigth'));
});

function streamOf(judge: (piece: Piece, number: number) => void): Stream {
  const judged = (_: number, number: number): Piece => {
    const piece = createPiece();
    judge(piece, number);
    return piece;
  };
  return { part: 'test', name: 'test', share: 1, block: 3, most: 1000, run: judged };
}

function run(stream: Stream, pieces: number): { readonly sum: Sum; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const add = (number: number, fault: string): void => {
    faults.push(`${stream.part}/${stream.name}/${number}: ${fault}`);
  };
  return { sum: runBlock(stream, seedOf('tests'), 0, pieces, add, { isTimed: false }), faults };
}
