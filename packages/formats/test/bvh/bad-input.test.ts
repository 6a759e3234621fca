import { readBvh } from '@poise/formats';
import { threadTime } from '@poise/test-support/thread-time';
import fc from 'fast-check';
import { FormatError, type PoiseErrorCode } from 'poise';
import { figureToData } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { refusal, twoJoints } from './support.js';

const FRAME = '0 1 0 0 0 0 0 0 0';
const GOOD = twoJoints(FRAME, FRAME);

/** Title, edit of the valid file, and expected error. */
const CASES: readonly [string, (text: string) => string, PoiseErrorCode, string, RegExp][] = [
  ['nothing', () => '', 'invalid-file', '1', /has no HIERARCHY/],
  ['no HIERARCHY', (t) => t.replace('HIERARCHY\n', ''), 'invalid-file', '1', /is "ROOT", not HIERARCHY/],
  ['another format', () => '<robot name="x"/>', 'invalid-file', '1', /not HIERARCHY/],
  ['no ROOT', (t) => t.replace('ROOT', 'JOINT'), 'invalid-file', '2', /"JOINT", not ROOT/],
  ['HIERARCHY alone', () => 'HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n', 'invalid-file', '1', /no ROOT/],
  ['no name', (t) => t.replace('ROOT hip', 'ROOT'), 'invalid-file', '2', /ROOT has no name/],
  [
    'a brace that does not close',
    (t) => t.replace('  }\n}\n', '  }\n'),
    'invalid-file',
    '15',
    /ends inside 'hip' \(line 2\)/,
  ],
  [
    'a file cut inside a joint',
    (t) => t.slice(0, t.indexOf('End Site')),
    'invalid-file',
    '10',
    /inside 'arm' \(line 6\)/,
  ],
  [
    'a file cut inside an End Site',
    (t) => t.slice(0, t.indexOf(' 0.25') + 5),
    'invalid-file',
    '12',
    /inside the End Site \(line 10\)/,
  ],
  [
    'a brace too many',
    (t) => t.replace('}\nMOTION', '}\n}\nMOTION'),
    'invalid-file',
    '16',
    /is "}", not ROOT or MOTION/,
  ],
  ['no brace', (t) => t.replace('{\n', '\n'), 'invalid-file', '4', /is "OFFSET", not the \{ of 'hip'/],
  ['no OFFSET', (t) => t.replace('OFFSET 0.5 0 0', ''), 'invalid-file', '6', /'arm' has no OFFSET/],
  [
    'two OFFSETs',
    (t) => t.replace('OFFSET 0.5 0 0', 'OFFSET 1 2 3 OFFSET 1 2 3'),
    'invalid-file',
    '8',
    /second OFFSET/,
  ],
  ['an OFFSET of two', (t) => t.replace('0.5 0 0', '0.5 0'), 'wrong-size', '8', /fewer than three numbers/],
  ['an OFFSET of four', (t) => t.replace('0.5 0 0', '0.5 0 0 7'), 'invalid-file', '8', /is "7", not OFFSET/],
  [
    'an OFFSET of words',
    (t) => t.replace('0.5 0 0', '0.5 0 -x'),
    'invalid-file',
    '8',
    /"-x" is not a number/,
  ],
  ['an OFFSET that is none', (t) => t.replace('0.5 0 0', '0.5 0 1e999'), 'not-finite', '8', /"1e999"/],
  [
    'an End Site without OFFSET',
    (t) => t.replace('OFFSET 0 0 0.25', ''),
    'invalid-file',
    '13',
    /End Site has no OFFSET/,
  ],
  ['End and no Site', (t) => t.replace('End Site', 'End'), 'invalid-file', '10', /End without Site/],
  [
    'an unknown word',
    (t) => t.replace('OFFSET 0.5', 'SCALE 0.5'),
    'invalid-file',
    '8',
    /is "SCALE", not OFFSET, CHANNELS/,
  ],
  [
    'an unknown channel',
    (t) => t.replace('Zposition', 'Zpositoin'),
    'unknown-name',
    '5',
    /Did you mean 'Zposition'/,
  ],
  [
    'a channel of another kind',
    (t) => t.replace('Zposition', 'W'),
    'unknown-name',
    '5',
    /"W" is not a channel. Channels are Xposition/,
  ],
  [
    'too few channels',
    (t) => t.replace('CHANNELS 3', 'CHANNELS 4'),
    'wrong-size',
    '9',
    /CHANNELS 4 but names 3/,
  ],
  [
    'too many channels',
    (t) => t.replace('CHANNELS 3', 'CHANNELS 2'),
    'invalid-file',
    '9',
    /"Xrotation", not OFFSET/,
  ],
  [
    'no number of channels',
    (t) => t.replace('CHANNELS 3', 'CHANNELS'),
    'invalid-file',
    '9',
    /"Yrotation" in place of the number/,
  ],
  [
    'a channel twice',
    (t) => t.replace('Zrotation Xrotation\n', 'Yrotation Xrotation\n'),
    'duplicate-name',
    '9',
    /Yrotation is listed twice/,
  ],
  [
    'no channel at all',
    (t) => t.replace(/CHANNELS.*/g, 'CHANNELS 0'),
    'invalid-file',
    '16',
    /no joint has channels/,
  ],
  [
    'no Frames',
    (t) => t.replace('Frames: 2\n', ''),
    'invalid-file',
    '17',
    /is "Frame Time: 0.04", not Frames:/,
  ],
  [
    'nothing behind MOTION',
    (t) => t.slice(0, t.indexOf('Frames')),
    'invalid-file',
    '17',
    /ends without Frames:/,
  ],
  [
    'a frame time too short for velocities',
    () => twoJoints(FRAME, '0 1 0 0 90 0 0 0 0', FRAME).replace('0.04', '1e-320'),
    'out-of-range',
    '18',
    /frame time of 1e-320 s is too short/,
  ],
  [
    'a frame time too short for accelerations',
    (t) => t.replace('0.04', '1e-160'),
    'out-of-range',
    '18',
    /too short/,
  ],
  ['a frame time too long', (t) => t.replace('0.04', '1e308'), 'out-of-range', '18', /too long/],
  ['no Frame Time', (t) => t.replace('Frame Time: 0.04\n', ''), 'invalid-file', '18', /not Frame Time:/],
  [
    'frames denied',
    (t) => t.replace('Frames: 2', 'Frames: 0'),
    'wrong-size',
    '19',
    /2 frames where line 17 says 0/,
  ],
  [
    'half a frame',
    (t) => t.replace('Frames: 2', 'Frames: 1.5'),
    'out-of-range',
    '17',
    /1.5 is not a number of frames/,
  ],
  [
    'words for frames',
    (t) => t.replace('Frames: 2', 'Frames: two'),
    'invalid-file',
    '17',
    /"two" is not a number/,
  ],
  ['no time between', (t) => t.replace('0.04', '0'), 'out-of-range', '18', /the frame time is/],
  ['time backwards', (t) => t.replace('0.04', '-0.04'), 'out-of-range', '18', /the frame time is/],
  [
    'frames missing',
    (t) => t.replace('Frames: 2', 'Frames: 4'),
    'wrong-size',
    '20',
    /2 frames where line 17 says 4/,
  ],
  [
    'frames too many',
    (t) => t.replace('Frames: 2', 'Frames: 1').concat(`${FRAME}\n`),
    'wrong-size',
    '20',
    /3 frames where line 17 says 1/,
  ],
  [
    'frames of a billion',
    (t) => t.replace('Frames: 2', 'Frames: 1e9'),
    'wrong-size',
    '20',
    /says 1000000000/,
  ],
  [
    'a number missing',
    (t) => t.replace(/ 0\n$/, '\n'),
    'wrong-size',
    '20',
    /frame 1 has 8 numbers; the joints have 9 channels/,
  ],
  ['a number too many', (t) => t.replace(/ 0\n$/, ' 0 0\n'), 'wrong-size', '20', /frame 1 has 10 numbers/],
  ['a NaN', (t) => t.replace(/ 0\n$/, ' NaN\n'), 'not-finite', '20', /"NaN" is not a finite number/],
  ['an infinity', (t) => t.replace(/ 0\n$/, ' -inf\n'), 'not-finite', '20', /"-inf"/],
  ['a comma', (t) => t.replace(/ 0\n$/, ' 0,5\n'), 'invalid-file', '20', /"0,5" is not a number/],
  ['hexadecimal', (t) => t.replace(/ 0\n$/, ' 0x10\n'), 'invalid-file', '20', /"0x10" is not a number/],
];

describe('a bad file is refused with the line and a reason', () => {
  test.each(CASES)('%s', (_, spoil, code, line, words) => {
    const text = spoil(GOOD);
    expect(text).not.toBe(GOOD);
    const error = refusal(text, { source: 'bad.bvh' });
    expect({ code: error.code, path: error.path }).toEqual({ code, path: `bad.bvh:${line}` });
    expect(error.message).toMatch(words);
    expect(error.remedy).not.toBe('');
  });

  test('a count of frames that is off by one is a warning', () => {
    for (const said of [1, 3]) {
      const { frames, motion, warnings } = readBvh(GOOD.replace('Frames: 2', `Frames: ${said}`), {
        source: 'a.bvh',
      });
      expect([frames, motion.end]).toEqual([2, 0.04]);
      expect(warnings[0]).toBe(
        `a.bvh:20: there are 2 frames where line 17 says ${said}; all that are there are read.`,
      );
    }
  });

  test('a skeleton alone has a rest pose for a motion, with a warning', () => {
    const whole = readBvh(GOOD, { source: 'a.bvh' });
    const empty = GOOD.replace('Frames: 2', 'Frames: 0').replaceAll(`${FRAME}\n`, '');
    for (const text of [GOOD.slice(0, GOOD.indexOf('MOTION')), empty]) {
      const { figure, motion, frames, warnings } = readBvh(text, { source: 'a.bvh' });
      expect(figureToData(figure)).toEqual(figureToData(whole.figure));
      expect([frames, motion.start, motion.end]).toEqual([0, 0, 1]);
      const pose = samplePose(createMotionSampler(figure, motion), 0.5, new Float64Array(figure.dof));
      expect(pose.every((x) => x === 0)).toBe(true);
      expect(warnings.some((text) => /skeleton and no frames/.test(text))).toBe(true);
    }
  });

  test('equal names get numbers, with a warning', () => {
    const { figure, warnings } = readBvh(GOOD.replace('JOINT arm', 'JOINT hip'), { source: 'a.bvh' });
    expect(figure.bones.map(({ name, parent }) => [name, parent])).toEqual([
      ['hip', -1],
      ['hip_2', 0],
    ]);
    expect(warnings[0]).toBe("a.bvh:6: 'hip' is the name of another joint too; this one is read as 'hip_2'.");
  });

  test('bytes that are no text, and a scale that is none', () => {
    expect(refusal(Uint8Array.of(0xff, 0xfe, 0xfa))).toMatchObject({
      code: 'invalid-file',
      path: 'motion.bvh',
    });
    for (const scale of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(refusal(GOOD, { scale })).toMatchObject({ code: 'out-of-range', path: 'scale' });
    }
  });

  test('whatever is done to a file, it is read or refused', () => {
    const words = [
      '{',
      '}',
      'JOINT',
      'ROOT a',
      'End Site',
      'OFFSET',
      'CHANNELS 1',
      'MOTION',
      '\n',
      'NaN',
      '-',
      '1e400',
      '',
    ];
    const edit = fc.tuple(fc.nat(GOOD.length), fc.nat(40), fc.constantFrom(...words));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let text = GOOD;
        for (const [at, length, word] of edits) text = text.slice(0, at) + word + text.slice(at + length);
        try {
          const { motion } = readBvh(text);
          expect(motion.end).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('joints that nest ten thousand deep', () => {
    const deep = 10_000;
    const open = Array.from(
      { length: deep },
      (_, k) => `${k === 0 ? 'ROOT' : 'JOINT'} j${k} {\nOFFSET 0 0 1\nCHANNELS 1 Xrotation\n`,
    );
    const row = Array.from({ length: deep }, () => '1').join(' ');
    const text = `HIERARCHY\n${open.join('')}${'}\n'.repeat(deep)}MOTION\nFrames: 1\nFrame Time: 1\n${row}\n`;
    expect(readBvh(text, { budget: { bones: deep } }).figure.bones).toHaveLength(deep);
  });
});

test('a header of 200,000 spaces takes no time in the square of its length', () => {
  const hierarchy = 'HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n';
  const started = threadTime();
  for (const header of [`Frames: a${' '.repeat(200_000)}b`, `Frames:${' '.repeat(200_000)}1 b`]) {
    expect(() => readBvh(`${hierarchy}${header}\nFrame Time: 0.1\n0\n`)).toThrow(FormatError);
  }
  const time = `frame${' '.repeat(200_000)}time${' '.repeat(200_000)}:${' '.repeat(200_000)}0.1`;
  expect(readBvh(`${hierarchy}Frames:1\n${time}\n0\n`).frameTime).toBe(0.1);
  expect(threadTime() - started).toBeLessThan(2000);
});
