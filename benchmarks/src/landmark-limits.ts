import { parseArgs } from 'node:util';
import { clampToLimits } from 'poise/figure';
import { clipAtLimits } from '../../scripts/oracles/markers/clip-at-limits.js';
import { placer, subjects } from './markers/subjects.js';
import { createPrng } from './prng.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- landmark-limits [options]
33 body points without noise of clips that touch the limits of the built-in human, tracked from frame to frame.
Ends with 1 where a frame is not exact (root mean square over 1e-6 m).
  --frames N   frames of each clip (default 600)
  --clips N    clips of each kind (default 4, 2,400 frames of each kind)
  --seed N     seed of the first clip (default 1)`;

const { values: options } = parseArgs({
  options: {
    frames: { type: 'string', default: '600' },
    clips: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

/** Largest root mean square of an exact frame, m. */
const EXACT = 1e-6;

const KINDS = {
  'inside the limits': { reach: 1 },
  'to the limits': { reach: 1.5 },
  'resting at the limits': { reach: 3, rest: 0.6 },
} as const;

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const { body } = subjects();
  const { figure } = body;
  const [frames, clips, seed] = [options.frames, options.clips, options.seed].map(Number);
  const rows = Object.entries(KINDS).map(([kind, shape]) => {
    let [inexact, longest, worst, time] = [0, 0, 0, 0];
    const statuses: Record<string, number> = {};
    for (let n = 0; n < clips; n++) {
      const prng = createPrng(seed + n);
      const poses = clipAtLimits(figure, (pose) => clampToLimits(figure, pose), prng.uniform, frames, shape);
      const positionsAt = placer(body);
      const { solve } = body.begin();
      const pose = new Float64Array(figure.dof);
      let streak = 0;
      for (const truth of poses) {
        const positions = positionsAt(truth);
        const before = performance.now();
        const { status, rms } = solve(positions, pose);
        time += performance.now() - before;
        statuses[status] = (statuses[status] ?? 0) + 1;
        worst = Math.max(worst, rms);
        streak = rms > EXACT ? streak + 1 : 0;
        longest = Math.max(longest, streak);
        if (streak > 0) inexact++;
      }
    }
    if (inexact > 0) process.exitCode = 1;
    return [
      kind,
      `${clips * frames}`,
      `${inexact}`,
      `${longest}`,
      `${worst.toExponential(1)} m`,
      Object.entries(statuses)
        .map(([status, count]) => `${count} ${status}`)
        .join(', '),
      `${(time / (clips * frames)).toFixed(2)} ms`,
    ];
  });
  console.log(
    markdownTable(['clips', 'frames', 'not exact', 'in a row', 'largest rms', 'statuses', 'a frame'], rows),
  );
}

main();
