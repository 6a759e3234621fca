/** Batches as processes: threads, kills, limits and full disks are real. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand } from '../support/built-command.js';
import { poise, temporaryFolder } from '../support/command.js';

const main = builtCommand();
const folder = temporaryFolder();
const isWindows = process.platform === 'win32';

/** A pendulum of a few degrees, a clip of its own for each number. */
function clip(number: number, frames: number): string {
  const rows = Array.from({ length: frames }, (_, f) => {
    const angle = (10 * Math.sin(0.1 * f + number)).toFixed(4);
    return `0 1 0 ${angle} 0 0 ${angle} 0 ${angle}`;
  });
  return [
    'HIERARCHY',
    'ROOT hips',
    '{',
    'OFFSET 0 0 0',
    'CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation',
    'JOINT arm',
    '{',
    'OFFSET 0 0.5 0',
    'CHANNELS 3 Zrotation Xrotation Yrotation',
    'End Site',
    '{',
    'OFFSET 0 0.4 0',
    '}',
    '}',
    '}',
    'MOTION',
    `Frames: ${frames}`,
    'Frame Time: 0.01',
    ...rows,
    '',
  ].join('\n');
}

/** A folder of so many clips, half of them in a folder below. @returns the folder of the test. */
function clips(name: string, count: number, frames = 30): string {
  const at = join(folder, name);
  for (let k = 0; k < count; k++) {
    const path = join(at, k % 2 === 0 ? `in/${k}.bvh` : `in/deep/${k}.bvh`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, clip(k, frames));
  }
  return at;
}

const convert = ['batch', 'convert', '--in', 'in/**/*.bvh', '--out', 'out', '--units', 'm', '--up', 'y'];

interface Event {
  readonly event: string;
  readonly input: string;
  readonly class?: string;
  readonly status?: number;
}

interface Ran {
  readonly status: number | null;
  readonly err: string;
  readonly events: readonly (Event & Record<string, unknown>)[];
}

const { FORCE_COLOR: _, NO_COLOR: __, ...env } = process.env;

/** Runs a command with `--json` to its end. @param onEvent - Told each event as it comes. */
function events(
  cwd: string,
  argv: readonly string[],
  onEvent: (event: Event, kill: (signal: NodeJS.Signals) => void) => void = () => {},
  shell?: string,
): Promise<Ran> {
  const given = [main, ...argv, '--json'];
  const child =
    shell === undefined
      ? spawn(process.execPath, given, { cwd, env })
      : spawn('bash', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, ...given], { cwd, env });
  let [rest, err] = ['', ''];
  const all: Ran['events'][number][] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() as string;
    for (const line of lines.filter((each) => each.startsWith('{"event"'))) {
      const event = JSON.parse(line) as Ran['events'][number];
      all.push(event);
      onEvent(event, (signal) => child.kill(signal));
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, err, events: all }));
  });
}

function ended(ran: Ran): Record<string, unknown> {
  return ran.events.find(({ event }) => event === 'end') as Record<string, unknown>;
}

function names(ran: Ran, event: string): string[] {
  return ran.events.filter((each) => each.event === event).map(({ input }) => input.split('/in/')[1]);
}

/** Hashes of all files of a folder but those of the batch itself. */
function outputs(at: string): Record<string, string> {
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('batch') && statSync(join(at, name)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(at, name)))
        .digest('hex'),
    ]),
  );
}

/** What the command writes of each clip of a test alone: the hashes, by the names that a batch gives them. */
async function alone(at: string): Promise<Record<string, string>> {
  const one = join(at, 'alone');
  mkdirSync(one);
  await poise('convert', join(at, 'in/**/*.bvh'), '--units', 'm', '--up', 'y', '-o', one);
  const hashes = Object.entries(outputs(one)).map(([name, hash]) => {
    return [Number.parseInt(name, 10) % 2 === 0 ? name : `deep/${name}`, hash] as const;
  });
  return Object.fromEntries(hashes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function failedLines(at: string): Record<string, unknown>[] {
  const lines = readFileSync(join(at, 'batch/failed.jsonl'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Of what processes do on a busy machine. */
const TIMEOUT = 240_000;

describe.concurrent('a batch', { timeout: TIMEOUT }, () => {
  test('of 20 files does each once; a rerun skips what is done, and does what changed', async () => {
    const at = clips('rerun', 20);
    const out = join(at, 'out');
    writeFileSync(join(at, 'in/4.bvh'), 'HIERARCHY\nnothing');
    const first = await events(at, [...convert, '--jobs', '2']);
    expect([first.status, first.err]).toEqual([42, '']);
    expect(ended(first)).toMatchObject({ done: 19, before: 0, failed: 1, classes: { 'bad-input': 1 } });
    const made = outputs(out);
    expect(Object.keys(made)).toHaveLength(19);
    expect(existsSync(join(out, 'deep/3.glb'))).toBe(true);
    expect(failedLines(out)).toMatchObject([
      { input: join(at, 'in/4.bvh'), class: 'bad-input', code: 'invalid-file' },
    ]);
    expect(readFileSync(join(out, 'batch/report.html'), 'utf8')).toContain('19 of 20 clips done, 1 failed.');

    // Bad input is not tried again; another input, an output that is gone and one that was cut are.
    writeFileSync(join(at, 'in/6.bvh'), clip(600, 31));
    rmSync(join(out, 'deep/5.glb'));
    truncateSync(join(out, 'deep/7.glb'), 100);
    const second = await events(at, [...convert, '--jobs', '2']);
    expect(second.status).toBe(42);
    expect(names(second, 'done').sort()).toEqual(['6.bvh', 'deep/5.bvh', 'deep/7.bvh']);
    expect(second.events[0]).toMatchObject({ changes: { added: 0, changed: 1, removed: 0 } });
    const { '6.glb': old, ...rest } = made;
    const { '6.glb': now, ...kept } = outputs(out);
    expect(kept).toEqual(rest);
    expect(now).not.toBe(old);

    writeFileSync(join(at, 'in/4.bvh'), clip(4, 30));
    const third = await events(at, convert);
    expect([third.status, ended(third)]).toMatchObject([0, { done: 1, before: 19, failed: 0 }]);
    expect(failedLines(out)).toEqual([]);
  });

  test('killed in the middle continues to the same bits; another on its folder is refused meanwhile', async () => {
    const at = clips('killed', 12, 400);
    let second: Promise<Ran> | undefined;
    const killed = await events(at, [...convert, '--jobs', '1'], ({ event }, kill) => {
      if (event !== 'done' || second) return;
      // It lives, and does nothing until the other has ended.
      kill('SIGSTOP');
      second = events(at, convert);
      void second.then(() => kill('SIGKILL'));
    });
    const refused = await second;
    expect(refused?.status).toBe(4);
    expect(refused?.err).toMatch(/^error\[cannot-write\] .*lock-0-of-1: is held by process \d+ on /);
    expect(killed.status).toBe(null);
    const before = names(killed, 'done').length;
    expect(before).toBeLessThan(12);

    const again = await events(at, [...convert, '--jobs', '1']);
    expect(again.status).toBe(0);
    expect(names(again, 'done').length + (ended(again).before as number)).toBe(12);
    expect(ended(again).before).toBeGreaterThanOrEqual(before);
    expect(outputs(join(at, 'out'))).toEqual(await alone(at));
  });

  test('ends on SIGTERM with its jobs, and continues', async () => {
    const at = clips('term', 10, 300);
    let sent = false;
    const stopped = await events(at, [...convert, '--jobs', '1'], ({ event }, kill) => {
      if (event === 'done' && !sent) kill('SIGTERM');
      sent ||= event === 'done';
    });
    expect(stopped.status).toBe(143);
    expect(stopped.err).toMatch(/ended by SIGTERM; the same command continues\.\n$/);
    const { done, before } = ended(stopped);
    expect(Object.keys(outputs(join(at, 'out')))).toHaveLength(done as number);
    expect([done, before]).not.toEqual([10, 0]);
    const status = await poise('batch', 'status', join(at, 'out'), '--json');
    expect(JSON.parse(status.out)).toMatchObject({ total: 10, done, open: 10 - (done as number), failed: 0 });
    const again = await events(at, convert);
    expect([again.status, ended(again)]).toMatchObject([0, { done: 10 - (done as number), before: done }]);
  });

  test('cancelled stays so until it is retried', async () => {
    const at = clips('cancelled', 2);
    const out = join(at, 'out');
    const argv = [
      'batch',
      'convert',
      '--in',
      join(at, 'in/**/*.bvh'),
      '--out',
      out,
      '--units',
      'm',
      '--up',
      'y',
    ];
    await poise(...argv, '--dry-run');
    expect(await poise('batch', 'cancel', out)).toMatchObject({ status: 0, err: '' });
    expect((await poise(...argv)).err).toMatch(
      /^error\[cancelled\] .*out: was cancelled\. Go on with 'poise batch retry .*out'\./,
    );
    const again = await events(at, ['batch', 'retry', 'out', '--jobs', '1']);
    expect([again.status, ended(again)]).toMatchObject([0, { done: 2 }]);
  });

  test('in two shards that run at once is the whole, and says where a clip may be in none', async () => {
    const at = clips('shards', 9);
    const shard = (part: string) => events(at, [...convert, '--jobs', '1', '--shard', part]);
    const [even, odd] = await Promise.all([shard('0/2'), shard('1/2')]);
    expect([even.status, odd.status]).toEqual([0, 0]);
    expect([ended(even).done, ended(odd).done]).toEqual([5, 4]);
    expect(outputs(join(at, 'out'))).toEqual(await alone(at));
    expect((await poise('batch', 'status', join(at, 'out'))).out).toMatch(
      /^9 of 9 clips done, 0 failed, 0 to do\n/,
    );
    // Between the starts of two shards a clip comes, and moves others from one to the other.
    writeFileSync(join(at, 'in/00.bvh'), clip(100, 30));
    const late = await shard('1/2');
    expect([late.status, late.err]).toEqual([
      0,
      'warning: out: its inputs have changed (1 new clip since the last run): run each shard again that began before.\n',
    ]);
    expect((await shard('0/2')).err).toBe('');
    expect((await poise('batch', 'status', join(at, 'out'))).out).toMatch(/^10 of 10 clips done/);
  });

  test.skipIf(isWindows)('continues where who reads its lines leaves', async () => {
    const at = clips('unread', 6);
    const argv = [process.execPath, main, ...convert, '--jobs', '1', '--json'].map((word) => `'${word}'`);
    const left = spawn('bash', ['-c', `set -o pipefail; ${argv.join(' ')} | true`], { cwd: at, env });
    const status = await new Promise((resolve) => left.on('close', resolve));
    expect([status, Object.keys(outputs(join(at, 'out'))).length]).toEqual([0, 6]);
  });

  test('sets a job aside that exceeds its time three times', async () => {
    const at = join(folder, 'slow');
    mkdirSync(at);
    const scene = { format: 'poise-scene', version: 1, duration: 1, intervals: 40 };
    const terms = [{ type: 'pose', at: 0 }, { type: 'periodic' }, { type: 'effort' }, { type: 'physics' }];
    writeFileSync(join(at, 'fall.json'), JSON.stringify({ ...scene, terms }));
    const argv = ['batch', 'optimize', '--in', '*.json', '--out', 'out', '--time-limit', '0.1'];
    const slow = await events(at, [...argv, '--jobs', '1']);
    expect(slow.status).toBe(4);
    const failed = slow.events.filter(({ event }) => event === 'failed');
    expect(failed).toMatchObject([
      { class: 'time', again: true },
      { class: 'time', again: true },
      { class: 'time', again: false },
    ]);
    expect(failedLines(join(at, 'out'))).toMatchObject([{ class: 'time', attempts: 3, setAside: true }]);
    const status = await poise('batch', 'status', join(at, 'out'), '--json');
    expect(JSON.parse(status.out)).toMatchObject({ failed: 1, open: 0, classes: { time: 1 } });
  });

  test.skipIf(isWindows)(
    'whose disk is full ends with a clear word, and continues when there is room',
    async () => {
      const at = clips('full', 6, 500);
      // Files end at 8 blocks of 1 KiB: the system refuses the rest while it is written.
      const full = await events(at, [...convert, '--jobs', '2'], undefined, 'ulimit -f 8');
      expect(full.status).toBe(4);
      expect(full.err).toMatch(/error\[cannot-write\] .*\n.*the same command continues\.\n$/);
      expect(outputs(join(at, 'out'))).toEqual({});
      const again = await events(at, [...convert, '--jobs', '2']);
      expect([again.status, ended(again)]).toMatchObject([0, { done: 6, failed: 0 }]);
    },
  );
});

test('a job that needs too much memory ends its thread alone; too large an output is not written', {
  timeout: TIMEOUT,
}, async () => {
  const at = clips('memory', 1, 10);
  writeFileSync(join(at, 'in/big.bvh'), clip(0, 150_000));
  writeFileSync(join(at, 'in/long.bvh'), clip(0, 100));
  const ran = await events(at, [
    ...convert,
    ...['--jobs', '1', '--memory-limit', '32', '--output-limit', '0.03'],
  ]);
  expect(ran).toMatchObject({ err: '', status: 4 });
  expect(ended(ran)).toMatchObject({ done: 1, failed: 2, classes: { memory: 1, 'output-size': 1 } });
  expect(failedLines(join(at, 'out'))).toMatchObject([
    { input: join(at, 'in/big.bvh'), class: 'memory', what: 'needs more than 32 MB.', attempts: 3 },
    { input: join(at, 'in/long.bvh'), class: 'output-size', attempts: 0 },
  ]);
  expect(Object.keys(outputs(join(at, 'out')))).toEqual(['0.glb']);
});

describe('is refused before any job', () => {
  const refused = async (name: string, ...argv: string[]) => {
    const at = join(folder, name);
    const { status, err, out } = await poise('batch', ...argv, '--out', join(at, 'out'));
    expect([status, out]).toEqual([2, '']);
    return err;
  };
  const inputs = (at: string) => ['--in', join(at, 'in/**/*.bvh')];

  test('a pattern without a file, an empty folder', async () => {
    expect(await refused('none', 'convert', '--in', join(folder, 'nowhere/*.bvh'))).toMatch(
      /^error\[missing-resource\] .*nowhere\/\*\.bvh: this pattern matches no file\./,
    );
    // Not bad input, which is not tried again: it may not be mounted.
    expect(await refused('none', 'convert', '--in', join(folder, 'nowhere/a.bvh'))).toMatch(
      /^error\[missing-resource\] .*nowhere\/a\.bvh: is not there\. Check the path, and that its folder is mounted\./,
    );
    expect(await refused('none', 'convert', '--in', '')).toMatch(/^error\[missing-resource\] --in '': /);
  });

  test.skipIf(isWindows)('a pipe, which no file is', async () => {
    const at = clips('pipe', 1);
    execFileSync('sh', ['-c', 'mkfifo in/pipe.bvh'], { cwd: at });
    expect(await refused('pipe', 'convert', '--in', join(at, 'in/pipe.bvh'))).toMatch(
      /^error\[missing-resource\] .*pipe\.bvh: is no file\./,
    );
    const all = await poise(
      'batch',
      'convert',
      '--in',
      join(at, 'in'),
      '--out',
      join(at, 'all'),
      '--dry-run',
    );
    expect([all.status, all.out]).toEqual([0, expect.stringMatching(/^1 clip to do/m)]);
  });

  test('a manifest that is damaged', async () => {
    const at = clips('damaged', 2);
    const argv = ['convert', '--in', join(at, 'in/**/*.bvh')];
    await poise('batch', ...argv, '--out', join(at, 'out'), '--dry-run');
    const path = join(at, 'out/batch/manifest.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    for (const [line, what] of [
      ['null', 'is no object'],
      ['{}', 'is no job'],
      ['{"id":"a"', 'is not JSON'],
    ]) {
      writeFileSync(path, [lines[0], line, ...lines.slice(2)].join('\n'));
      expect(await refused('damaged', ...argv)).toMatch(
        new RegExp(`^error\\[invalid-file\\] .*manifest\\.jsonl#2: ${what}\\. Remove it`),
      );
    }
    writeFileSync(path, ['null', ...lines.slice(1)].join('\n'));
    expect(await refused('damaged', ...argv)).toMatch(/manifest\.jsonl#1: is no object\./);
  });

  test('options of the command that are wrong, once', async () => {
    const at = clips('options', 1);
    expect(await refused('options', 'convert', ...inputs(at), '--speed', '2')).toMatch(
      /^error\[unknown-option\] poise batch convert: unknown option '--speed'\./,
    );
    expect(await refused('options', 'convert', ...inputs(at), '--rate', '0')).toMatch(
      /^error\[out-of-range\] --rate 0/,
    );
    expect(await refused('options', 'convert', ...inputs(at), 'more.bvh')).toMatch(
      /^error\[unsupported\] more\.bvh/,
    );
    expect(await refused('options', 'convert', ...inputs(at), '-o', 'a.glb')).toMatch(
      /^error\[unsupported\] --output/,
    );
    expect(await refused('options', 'convert', ...inputs(at), '--format', 'fbx')).toMatch(/--format fbx/);
    expect(await refused('options', 'convert', ...inputs(at), '--target', 'human')).toMatch(/--target human/);
    expect(await refused('options', 'convert', ...inputs(at), '--shard', '2/2')).toMatch(/--shard 2\/2/);
    expect(await refused('options', 'retarget', ...inputs(at))).toMatch(
      /^error\[missing-resource\] --target/,
    );
    expect(await refused('options', 'retarget', ...inputs(at), '--target', 'gone.glb')).toMatch(/gone\.glb/);
  });

  test('two inputs of one output', async () => {
    const at = clips('twins', 1);
    writeFileSync(join(at, 'in/0.glb'), '');
    const err = await refused('twins', 'convert', '--in', join(at, 'in/*.{bvh,glb}'), '--format', 'json');
    expect(err).toMatch(/^error\[duplicate-name\] .*0\.glb: and .*0\.bvh have one output, 0\.json\./);
  });

  test('a folder of another batch, of another version, and one that is no folder', async () => {
    const at = clips('other', 1);
    const dry = ['--dry-run', '--out', join(at, 'out')];
    expect(await poise('batch', 'convert', ...inputs(at), ...dry)).toMatchObject({ status: 0, err: '' });
    expect(await refused('other', 'convert', ...inputs(at), '--rate', '50', '--format', 'csv')).toMatch(
      /^error\[unsupported\] .*out: is the folder of another batch: 'convert' of Poise .*'convert --rate 50'.*--replace/,
    );
    const replaced = await poise('batch', 'convert', ...inputs(at), '--replace', '--format', 'csv', ...dry);
    expect(replaced).toMatchObject({ status: 0, err: '' });
    const manifest = join(at, 'out/batch/manifest.jsonl');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version":1', '"version":2'));
    expect(await refused('other', 'convert', ...inputs(at))).toMatch(/manifest\.jsonl: is of version 2/);

    writeFileSync(join(at, 'file'), '');
    const { status, err } = await poise('batch', 'convert', ...inputs(at), '--out', join(at, 'file'));
    expect(status).toBe(2);
    expect(err).toMatch(/^error\[cannot-write\] .*file\/batch: cannot be written/);
    const none = await poise('batch', 'status', at);
    expect([none.status, none.err]).toEqual([2, expect.stringMatching(/is not the folder of a batch/)]);
  });
});
