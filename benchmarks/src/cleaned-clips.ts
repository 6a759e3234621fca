import { parseArgs } from 'node:util';
import { cleaned, weighted } from './cleaned-clips/judge.js';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { sharedClips } from './shared-clips/read-clips.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- cleaned-clips [options]
cleanMotion on clips of the shared data with noise: what holds the root between samples, how far soles slide, and times.
  --only TEXT  the clips whose names contain it; nothing is written
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean', default: false } },
});

/** About a second of each, on its feet. */
const SPANS: readonly (readonly [file: string, from: number, to: number])[] = [
  ['cmu_12_01_walk.bvh', 1, 2],
  ['walk01.bvh', 1, 2],
  ['cmu_01_01_hop_turn.bvh', 2, 3],
  ['fair_wave_hello.bvh', 3, 4],
  ['KayKit_Knight.glb Idle', 0, 1],
  ['KayKit_Knight.glb PickUp', 0, 1],
  ['KayKit_Knight.glb Unarmed_Idle', 0, 1],
];
/** Noise, degrees. */
const NOISES = [0.1, 0.3, 0.57, 1];

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const { clips, missing } = sharedClips();
  if (missing.length > 0) console.log(`not in the shared data (POISE_DATA): ${missing.join(', ')}`);
  const machine = machineLines('npm run bench -- cleaned-clips');
  const rows: string[][] = [];
  for (const [file, from, to] of SPANS) {
    const found = clips.find((clip) => clip.file === file);
    if (found === undefined || (options.only !== undefined && !file.includes(options.only))) continue;
    const clip = weighted(found);
    for (const noise of NOISES) {
      const { status, iterations, contacts, rootForce, slide, time } = cleaned(clip, [from, to], noise);
      const row = [
        file,
        String(clip.figure.dof),
        String(noise),
        status,
        String(iterations),
        String(contacts),
        (100 * rootForce).toFixed(2),
        (1e3 * slide).toFixed(3),
        time.toFixed(1),
      ];
      console.error(row.join(' | '));
      rows.push(row);
    }
  }
  const report = [
    '# Clips with noise, cleaned',
    '',
    ...machine,
    '',
    'About a second of each clip, 30 frames a second with equally distributed noise in every coordinate (degrees, and as many times 17 mm), masses of a human of its height.',
    'Root force: the largest force that is neither gravity nor contact at 241 times, from second differences of the centre of mass. Soles: the farthest that a contact point is from where its contact began.',
    '',
    markdownTable(
      [
        'clip',
        'coordinates',
        'noise, degrees',
        'status',
        'iterations',
        'contacts',
        'root force, % of weight',
        'soles, mm',
        's',
      ],
      rows,
    ),
    '',
  ].join('\n');
  console.log(report);
  if (options.only === undefined) writeResults({ 'cleaned-clips.md': report }, options.out);
}

main();
