import { readFileSync } from 'node:fs';

/** Processor time, ms: of the calling thread where the system tells it (Linux), else of the process. */
export function threadTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
