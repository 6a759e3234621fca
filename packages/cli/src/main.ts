#!/usr/bin/env node
import { run } from './run.js';

// A reader that has seen enough (poise inspect | head) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { FORCE_COLOR: forced, NO_COLOR: refused } = process.env;
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  color: forced ? forced !== '0' : process.stdout.isTTY === true && !refused,
});
