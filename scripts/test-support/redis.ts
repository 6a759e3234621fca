import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';
import { noSkip } from './shared-data.js';

/** What is missing and how to get it, for messages. */
export const REDIS_HINT = 'no redis-server (apt-get install redis-server, or brew install redis)';

/**
 * Path of the system's redis-server; undefined where there is none.
 *
 * @throws Error when there is none in CI or with `POISE_NO_SKIP=1`.
 */
export function findRedis(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  const path = folders.map((folder) => join(folder, 'redis-server')).find(isExecutable);
  if (path === undefined && (noSkip || environment.CI === 'true')) {
    throw new Error(`Nothing may be skipped here, but: ${REDIS_HINT}`);
  }
  return path;
}

/** A `describe` block that starts servers of Redis: skipped as a whole, with the reason in its title, where there is none. */
export function describeWithRedis(title: string, body: () => void): void {
  if (findRedis() !== undefined) describe(title, body);
  else describe.skip(`${title} (skipped: ${REDIS_HINT})`, body);
}

/** A server of one test: on loopback, with files in a folder of its own. */
export interface PrivateRedis {
  readonly port: number;
  /** `redis://127.0.0.1:PORT`, without a password. */
  readonly url: string;
  /** Ends it by SIGTERM, or as kill -9 does, and starts it again on the same port and files. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Ends it by SIGTERM, or as kill -9 does, and leaves its files. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  close(): Promise<void>;
}

/**
 * Starts a server, append-only and without eviction.
 *
 * @param settings - More settings, as on its command line: `['--requirepass', 'secret']`. With `--tls-port` the port is that of TLS.
 */
export async function startRedis(settings: readonly string[] = []): Promise<PrivateRedis> {
  const program = findRedis();
  if (program === undefined) throw new Error(REDIS_HINT);
  const folder = mkdtempSync(join(tmpdir(), 'poise-redis-'));
  const port = await freePort();
  const withTls = settings.includes('--tls-key-file');
  const address = withTls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
  const safe = [
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--daemonize',
    'no',
  ];
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = await started(
      spawn(program, [...address, ...safe, ...settings], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    const ending = server;
    server = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    await new Promise((resolve) => {
      ending.once('exit', resolve);
      ending.kill(signal);
    });
  };
  // A test runner that is ended leaves no server and no file behind.
  const leave = (): void => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', leave);
  await start();
  return {
    port,
    url: `${withTls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    start,
    end,
    async restart(signal) {
      await end(signal);
      await start();
    },
    async close() {
      await end('SIGKILL');
      process.off('exit', leave);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error with what the server says where it ends instead. */
function started(server: ChildProcess): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk;
      if (!said.includes('Ready to accept connections')) return;
      server.stdout?.off('data', listen);
      server.stdout?.resume();
      resolve(server);
    };
    server.stdout?.on('data', listen);
    server.stderr?.resume();
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`redis-server ended:\n${said}`)));
  });
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
