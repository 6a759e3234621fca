import { readBvh } from '@poise/formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusal } from './support.js';

const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((each) => each.join(''));

test('a number of any length is the double nearest to it, whatever ends the file', () => {
  const word = fc
    .tuple(fc.constantFrom('', '-', '+'), digits(1, 20), fc.constantFrom('', '.'), digits(0, 25))
    .chain(([sign, whole, point, decimals]) =>
      fc
        .constantFrom('', 'e-5', 'E+12', 'e0')
        .map((power) => `${sign}${whole}${point}${point && decimals}${power}`),
    );
  const end = fc.constantFrom('', '\n', ' ', '\r', '\n \n\t');
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), end, (words, last) => {
      const text = `HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: ${words.length}\nFrame Time: 1\n`;
      const { values } = readBvh(text + words.join('\n') + last, { scale: 1 }).layout;
      expect([...values]).toEqual(words.map(Number));
    }),
    { numRuns: 500 },
  );
});

test('a number as a program prints it is that number, and the middle of two goes to the even one', () => {
  const double = fc.double({ min: -1e4, max: 1e4, noNaN: true });
  const printed = double.chain((x) =>
    fc.constantFrom(
      String(x),
      ...[5, 12, 15, 16, 17, 18, 19, 20].flatMap((digits) => [
        x.toPrecision(digits),
        x.toFixed(digits),
        x.toExponential(digits),
      ]),
    ),
  );
  const middle = fc
    .tuple(
      fc.integer({ min: 2 ** 20, max: 2 ** 30 }),
      fc.integer({ min: 1, max: 2 ** 24 }),
      fc.constantFrom(-1n, 0n, 1n),
    )
    .map(([high, low, step]) => {
      // Odd multiples of 2^-e with 54 bits, printed with all digits, and one unit of the last digit beside them.
      const bits = (BigInt(high) << 24n) + BigInt(low);
      const odd = 2n * (bits << BigInt(53 - bits.toString(2).length)) + 1n;
      const digits = String(odd * 10n + step);
      return `${digits.slice(0, -1)}.${digits.slice(-1)}`;
    });
  fc.assert(
    fc.property(fc.array(fc.oneof(printed, middle), { minLength: 20, maxLength: 20 }), (words) => {
      const text = `HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: ${words.length}\nFrame Time: 1\n`;
      const { values } = readBvh(text + words.join('\n'), { scale: 1 }).layout;
      expect([...values]).toEqual(words.map(Number));
    }),
    { numRuns: 500 },
  );
});

test('bytes that are not UTF-8 are refused wherever they stand, and a name may be of any letters', () => {
  const text = `HIERARCHY\nROOT Hüfte\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 2\nFrame Time: 1\n1\n\u2003\n2\n`;
  const bytes = new TextEncoder().encode(text);
  const { figure, layout } = readBvh(bytes, { scale: 1 });
  expect([figure.bones[0].name, ...layout.values]).toEqual(['Hüfte', 1, 2]);
  for (const at of [text.indexOf('ü'), bytes.length - 2, bytes.length - 4]) {
    const broken = bytes.slice();
    broken[at] = 0xff;
    expect(refusal(broken).message).toMatch(/not UTF-8/);
  }
});
