import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeBase64,
  encodeBase64,
  formatDataUri,
  isDataUri,
  parseDataUri,
} from '../../src/gltf/container/data-uri.js';

test('base64 agrees with Node both ways', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 9000, size: 'max' }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(encodeBase64(bytes)).toBe(text);
      expect(Buffer.compare(decodeBase64(text) ?? new Uint8Array(1), bytes)).toBe(0);
      expect(Buffer.compare(decodeBase64(text.replace(/=+$/, '')) ?? new Uint8Array(1), bytes)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('URL-safe digits and line breaks are read', () => {
  expect(decodeBase64('-_-_')).toEqual(decodeBase64('+/+/'));
  expect(decodeBase64('AAEC\r\nAwQF\n')).toEqual(new Uint8Array([0, 1, 2, 3, 4, 5]));
});

test('invalid base64 is refused', () => {
  for (const text of ['A', 'AAAAA', 'AA*A', 'AAé', 'A=AA']) expect(decodeBase64(text)).toBeUndefined();
});

test('a data address round trips, and its parts are read whatever their case', () => {
  const bytes = new Uint8Array([1, 2, 254, 255]);
  const uri = formatDataUri('image/png', bytes);
  expect(uri).toBe('data:image/png;base64,AQL+/w==');
  expect(parseDataUri(uri)).toEqual({ mediaType: 'image/png', bytes });
  expect(parseDataUri('DATA:Image/PNG;charset=x;BASE64,AQL+/w==')).toEqual({ mediaType: 'image/png', bytes });
  expect(isDataUri('data.bin')).toBe(false);
});

test('percent-encoded data are read', () => {
  expect(parseDataUri('data:,a%00%fFé')?.bytes).toEqual(new Uint8Array([0x61, 0, 0xff, 0xc3, 0xa9]));
  for (const uri of ['data:,%', 'data:,%4', 'data:,%zz', 'data:,%é9', 'data:no comma', 'http:,x']) {
    expect(parseDataUri(uri)).toBeUndefined();
  }
});
