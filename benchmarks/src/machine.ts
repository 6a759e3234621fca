import { cpus, loadavg, totalmem } from 'node:os';

/** Context of a timing: machine, load at the start, engine, date, command. */
export function machineLines(command: string): string[] {
  const cores = cpus();
  const load = loadavg()[0].toFixed(2);
  return [
    `- machine: ${cores[0]?.model.trim() ?? 'unknown'}, ${cores.length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
    `- load average when it began: ${load}${Number(load) > 0.5 ? ' (NOT quiet: other work ran beside it)' : ''}`,
    `- engine: Node ${process.version}, V8 ${process.versions.v8}`,
    `- date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `- command: \`${command}\``,
  ];
}
