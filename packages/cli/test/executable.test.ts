/** What only a process shows: the shebang, pipes, signals of the system, exit status. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, root } from './support/built-command.js';
import { temporaryFolder } from './support/command.js';

const main = builtCommand();
const stub = join(root, 'packages/cli/bin/poise.js');
const folder = temporaryFolder();
const goal = ['--goal', 'leftHand=0.35,1.45,0.45'];

/** Without the colours that a test runner may ask for. */
function poise(file: string, argv: readonly string[], env: Record<string, string> = {}) {
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  return spawnSync(process.execPath, [file, ...argv], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...rest, ...env },
  });
}
function shell(script: string) {
  return spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder });
}

describe('the executable', () => {
  test('starts with a shebang, built and as a stub, and the stub does the same', () => {
    for (const file of [main, stub]) {
      expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
      expect(poise(file, ['--version'])).toMatchObject({ status: 0, stderr: '' });
    }
  });

  test('poses the built-in figure into a file', () => {
    const { status, stdout, stderr } = poise(main, ['pose', ...goal, '-o', 'out.glb']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^human: converged/);
    expect(readFileSync(join(folder, 'out.glb')).toString('latin1', 0, 4)).toBe('glTF');
  });

  test('ends with status 1 if a goal is not met and 2 on bad input', () => {
    expect(poise(main, ['pose', '--goal', 'leftHand=9,9,9']).status).toBe(1);
    expect(poise(main, ['pose', '--goal', 'leftHand=9,9']).status).toBe(2);
  });

  test('has colours in a pipe only with FORCE_COLOR', () => {
    const colour = '\u001b[';
    expect(poise(main, ['inspect']).stdout).not.toContain(colour);
    expect(poise(main, ['inspect'], { FORCE_COLOR: '1' }).stdout).toContain(colour);
    expect(poise(main, ['inspect'], { FORCE_COLOR: '0' }).stdout).not.toContain(colour);
  });
});

/** A fall of the human that no iteration limit ends. */
const longScene = (intervals: number): object => ({
  format: 'poise-scene',
  version: 1,
  duration: 1,
  intervals,
  terms: [{ type: 'pose', at: 0 }, { type: 'periodic' }, { type: 'effort' }, { type: 'physics' }],
});

const windows = process.platform === 'win32';

describe.skipIf(windows)(`in a shell${windows ? ' (skipped: Windows has none of the kind)' : ''}`, () => {
  test('a closed pipe is not an error', () => {
    const command = `'${process.execPath}' '${main}' inspect --json`;
    const { stdout, stderr } = shell(`${command} | head -1`);
    expect([stdout, stderr]).toEqual(['{\n', '']);
    // But what it did not say is not done.
    expect(shell(`set -o pipefail; ${command} | true`).status).toBe(141);
  });

  test('a failed write keeps the old file and leaves no temporary file', () => {
    const output = join(folder, 'kept.glb');
    const before = Buffer.alloc(3000, 'before');
    writeFileSync(output, before);
    const listing = readdirSync(folder);
    // Files end at 16 blocks of 1 KiB: the system refuses the rest while it is written.
    const { status, stdout, stderr } = shell(
      `ulimit -f 16; exec '${process.execPath}' '${main}' pose ${goal.join(' ')} -o kept.glb`,
    );
    expect(stderr).toMatch(/^error\[cannot-write\] kept\.glb: cannot be written \(EFBIG\)/);
    expect([status, stdout]).toEqual([2, '']);
    expect(readFileSync(output).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(listing);
  });

  test('a full disk is said in one line', () => {
    for (const argv of ['inspect', 'inspect --json']) {
      const { status, stderr } = shell(`'${process.execPath}' '${main}' ${argv} > /dev/full`);
      expect([status, stderr]).toEqual([
        2,
        'error[cannot-write] stdout: cannot be written (the disk is full). Write to another place.\n',
      ]);
    }
  });

  test('a reader of the messages that leaves does not end the work', () => {
    writeFileSync(join(folder, 'bend.json'), JSON.stringify(longScene(8)));
    const { stdout } = shell(
      `{ '${process.execPath}' '${main}' optimize bend.json --max-iterations 3 -o bend.glb 2>&1 >&3 | true; } 3>&1`,
    );
    expect(stdout).toMatch(/wrote bend\.glb/);
  });

  test('a file goes through a pipe, in and out', () => {
    writeFileSync(join(folder, 'fall-8.json'), JSON.stringify(longScene(8)));
    const command = `'${process.execPath}' '${main}'`;
    const { status, stdout, stderr } = shell(
      `${command} pose ${goal.join(' ')} -o - | ${command} inspect - && ` +
        `${command} optimize - --max-iterations 1 --json < fall-8.json | head -1`,
    );
    expect([status, stderr]).toEqual([0, expect.stringContaining('human: converged')]);
    expect(stdout).toMatch(/^human \(-\): a pose of human[\s\S]*\n\{\n$/);
  });

  test('a second interrupt ends at once, inside an iteration, and writes nothing', async () => {
    writeFileSync(join(folder, 'long.json'), JSON.stringify(longScene(400)));
    const listing = readdirSync(folder);
    const child = spawn(
      process.execPath,
      [main, 'optimize', 'long.json', '-o', 'long.glb', '--save', 'long-state.json'],
      { cwd: folder },
    );
    // After one of the first iterations, each of which takes seconds, and as soon as that is answered.
    const answers = ['iteration 1:', 'Ctrl-C again ends at once'];
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
      if (answers.length > 0 && err.includes(answers[0])) {
        answers.shift();
        child.kill('SIGINT');
      }
    });
    const [status, signal] = await new Promise<unknown[]>((resolve) =>
      child.on('close', (...how) => resolve(how)),
    );
    expect([status, signal]).toEqual([130, null]);
    expect(answers).toEqual([]);
    // One interrupt alone ends the iteration and writes.
    expect(readdirSync(folder)).toEqual(listing);
  });

  test('an interrupt finishes the iteration and writes the result so far', async () => {
    writeFileSync(join(folder, 'fall.json'), JSON.stringify(longScene(8)));
    const argv = ['optimize', 'fall.json', '--max-iterations', '1000000', '--tolerance', '1e-14'];
    const child = spawn(
      process.execPath,
      [main, ...argv, '-o', 'fall.glb', '--save', 'state.json', '--json'],
      {
        cwd: folder,
      },
    );
    let out = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    let interrupted = false;
    child.stderr.on('data', (text) => {
      if (!interrupted && String(text).includes('iteration 2:')) interrupted = child.kill('SIGINT');
    });
    const [status, signal] = await new Promise<unknown[]>((resolve) =>
      child.on('close', (...how) => resolve(how)),
    );
    expect([status, signal]).toEqual([1, null]);
    expect(JSON.parse(out)).toMatchObject({ status: 'interrupted', output: 'fall.glb', state: 'state.json' });
    expect(readFileSync(join(folder, 'fall.glb')).toString('latin1', 0, 4)).toBe('glTF');
    expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))).toMatchObject({ version: 1 });
  });
});
