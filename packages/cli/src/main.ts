#!/usr/bin/env node
import { run } from './run.js';

// A closed pipe (poise inspect | head) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { FORCE_COLOR: forced, NO_COLOR: refused } = process.env;
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  live: process.stderr.isTTY === true,
  onInterrupt: (listener) => {
    // Once: a second Ctrl-C ends the process.
    process.once('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
  color: forced ? forced !== '0' : process.stdout.isTTY === true && !refused,
});
