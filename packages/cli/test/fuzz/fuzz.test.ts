import { sharedDataFolder } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { judge } from './judge.js';
import { createReaders } from './readers.js';

/** `npm run fuzz` reads 20,000 of each, in threads with a clock. */
const FILES = 100;

describe('a damaged file is read or refused with an error of the library', () => {
  test.each(createReaders(sharedDataFolder).map((reader) => [reader.name, reader] as const))(
    '%s',
    (_, reader) => {
      for (const { bytes } of reader.samples) reader.read(bytes);
      let read = 0;
      for (let number = 0; number < FILES; number++) {
        const { outcome, fault } = judge(reader, 'tests', number, false);
        expect(
          fault === undefined ? '' : `--seed tests --reader ${reader.name} --only ${number}: ${fault}`,
        ).toBe('');
        if (outcome === 'read') read++;
      }
      // Both outcomes occur, or the damage is too mild or too wild to show anything.
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(FILES);
    },
  );
});
