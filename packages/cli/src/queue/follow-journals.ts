/** Reads what the processes of a batch append to their journals, as it comes. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type JournalEvent, journalFolder, parseEvent } from '../batch/journal.js';

export interface JournalReader {
  /** The events since the last call; at first all of them. */
  read(): AsyncGenerator<JournalEvent>;
}

/** Bytes read at once. */
const CHUNK = 1 << 18;
const NEWLINE = 10;

export function followJournals(out: string): JournalReader {
  const folder = journalFolder(out);
  /** By journal: where its first unread line begins. */
  const offsets = new Map<string, number>();
  return {
    async *read() {
      for (const name of await journalsIn(folder)) {
        const file = await open(join(folder, name));
        try {
          let at = offsets.get(name) ?? 0;
          let size = CHUNK;
          for (;;) {
            const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, at);
            // A line without its end is still being written, or its process was killed: it is read again with what follows.
            const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
            for (const line of buffer.toString('utf8', 0, end).split('\n')) {
              const event = parseEvent(line);
              if (event !== undefined) yield event;
            }
            at += end;
            offsets.set(name, at);
            if (bytesRead < size) break;
            if (end === 0) size *= 2;
          }
        } finally {
          await file.close();
        }
      }
    },
  };
}

async function journalsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}
