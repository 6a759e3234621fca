import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { whyInstall } from '../lib/install-state.mjs';

let root: string;

const react = { version: '19.0.0', integrity: 'sha512-a' };
const lock = {
  '': { version: '0.0.0' },
  'packages/core': { version: '0.1.0' },
  'node_modules/poise': { link: true },
  'node_modules/react': react,
  'node_modules/only-on-windows': { version: '1.0.0', integrity: 'sha512-w', optional: true },
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'poise-install-'));
  write('package-lock.json', lock);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a fresh clone needs an install', () => {
  expect(whyInstall(root)).toBe('node_modules is missing');
});

test('an install that matches needs none, without the optional packages of other systems', () => {
  install({ 'node_modules/react': react, 'node_modules/poise': { link: true } });
  expect(whyInstall(root)).toBeUndefined();
});

test('a package that is missing from the record, or from the disk, is noticed', () => {
  install({ 'node_modules/poise': { link: true } });
  expect(whyInstall(root)).toBe('node_modules/react is missing');
  install({ 'node_modules/react': react, 'node_modules/poise': { link: true } });
  rmSync(join(root, 'node_modules/react'), { recursive: true });
  expect(whyInstall(root)).toBe('node_modules/react is missing');
});

test('a new version, or another content under the same version, is noticed', () => {
  const poise = { 'node_modules/poise': { link: true } };
  install({ ...poise, 'node_modules/react': { ...react, version: '18.0.0' } });
  expect(whyInstall(root)).toBe('node_modules/react is 18.0.0, package-lock.json asks for 19.0.0');
  install({ ...poise, 'node_modules/react': { ...react, integrity: 'sha512-b' } });
  expect(whyInstall(root)).toContain('node_modules/react');
});

function install(packages: Record<string, object>): void {
  for (const path of Object.keys(packages)) mkdirSync(join(root, path), { recursive: true });
  write('node_modules/.package-lock.json', packages);
}

function write(path: string, packages: Record<string, object>): void {
  writeFileSync(join(root, path), JSON.stringify({ packages }));
}
