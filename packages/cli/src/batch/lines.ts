/** Files of lines, read one line at a time. */
import { createReadStream } from 'node:fs';

/** The lines of a file in order, without their ends; none of a file that is not there. A last line without its end is given too. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (rest !== '') yield rest;
}
