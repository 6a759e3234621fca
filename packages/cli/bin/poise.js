#!/usr/bin/env node
// Stands in for dist/main.js, which is not there yet when npm links executables into a fresh clone.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('error[missing-resource] poise: is not built yet. Run: npm run build');
  process.exitCode = 2;
}
