import { parseArgs } from 'node:util';
import { check, checkPoints } from './check.js';
import { generateProblemSet } from './generate.js';
import {
  CLOSED_CHAIN_DEFAULTS,
  type ClosedChainSettings,
  closedChainSettings,
  createClosedChain,
} from './peers/closed-chain-ik.js';
import type { Peer } from './peers/peer.js';
import { type CcdSettings, ccdSettings, createThreeCcd } from './peers/three-ccd.js';
import { createThreeIk, THREE_IK_SETTINGS } from './peers/three-ik.js';
import { loadProblemSet, SETS } from './problems.js';
import { formatMicroseconds, markdownTable, median, percentile } from './statistics.js';

/*
 * How the peers' settings were chosen: every variation of one setting around the chosen ones, on problems of a seed
 * that no report uses. `npm run bench -- tune-peers [--count 60] [--sets chain2,...] [--peers CCD,...]`
 */

const { values: options } = parseArgs({
  options: { count: { type: 'string', default: '60' }, sets: { type: 'string' }, peers: { type: 'string' } },
});

type Variant = readonly [label: string, peer: Peer];

function closedChain(id: string): Variant[] {
  const chosen = closedChainSettings(id);
  const vary = (label: string, change: Partial<ClosedChainSettings>): Variant => [
    label,
    createClosedChain(() => ({ ...chosen, ...change })),
  ];
  return [
    ['chosen', createClosedChain()],
    vary("the package's defaults", { ...CLOSED_CHAIN_DEFAULTS, errorClamp: 0.1, dampingFactor: 0.001 }),
    ...[5, 50, 200].map((n) =>
      vary(`maxIterations ${n}, 600 in all`, { maxIterations: n, maxCalls: 600 / n }),
    ),
    ...[0.01, 0.03, 0.05, 0.1].map((d) => vary(`dampingFactor ${d} of the reach`, { dampingFactor: d })),
    ...[0.05, 0.1, 0.2, 0.4].map((c) => vary(`errorClamp ${c} of the reach`, { errorClamp: c })),
    ...[0.01, 0.1, 1].map((d) => vary(`divergeThreshold ${d}`, { divergeThreshold: d })),
    ...[1e-4, 1e-3].map((s) => vary(`stallThreshold ${s}`, { stallThreshold: s })),
    ...[1.1, 1.2].map((b) => vary(`box ${b}`, { box: b })),
  ];
}

function ccd(id: string): Variant[] {
  const chosen = ccdSettings(id);
  const vary = (label: string, change: Partial<CcdSettings>): Variant => [
    label,
    createThreeCcd(() => ({ ...chosen, ...change })),
  ];
  return [
    ['chosen', createThreeCcd()],
    ...[2, 5].map((n) => vary(`iteration ${n}`, { iteration: n })),
    ...[300, 3000].map((n) => vary(`maxSweeps ${n}`, { maxSweeps: n })),
    ...[0.05, 0.1, 0.2, 0.5, 1, null].map((a) => vary(`maxAngle ${a}`, { maxAngle: a })),
    ...[1.1, 1.3, null].map((b) => vary(`box ${b}`, { box: b })),
  ];
}

function threeIk(): Variant[] {
  return [
    ['chosen', createThreeIk()],
    ['maxSolves 300', createThreeIk({ ...THREE_IK_SETTINGS, maxSolves: 300 })],
    ['maxSolves 3000', createThreeIk({ ...THREE_IK_SETTINGS, maxSolves: 3000 })],
    ['no constraint', createThreeIk({ ...THREE_IK_SETTINGS, constrain: false })],
  ];
}

const groups: Record<string, (id: string) => Variant[]> = {
  'closed-chain-ik': closedChain,
  CCD: ccd,
  'three-ik': threeIk,
};
const wanted = options.peers?.split(',');
for (const [name, variants] of Object.entries(groups)) {
  if (wanted && !wanted.some((text) => name.includes(text))) continue;
  const rows: string[][] = [];
  for (const id of options.sets?.split(',') ?? SETS) {
    const set = generateProblemSet(loadProblemSet(id), 0x70b5, Number(options.count));
    for (const [label, peer] of variants(id)) {
      const session = peer.create(set);
      if (!session) continue;
      for (let i = 0; i < 5; i++) {
        session.prepare(set.targets[i]);
        session.run();
      }
      const times: number[] = [];
      let solved = 0;
      for (const target of set.targets) {
        session.prepare(target);
        const before = performance.now();
        session.run();
        times.push((performance.now() - before) * 1000);
        const solution = session.read();
        // A solver of points is tuned for what it can do: see checkPoints, which knows no limits.
        const points = set.limited ? undefined : solution.points;
        if (points ? checkPoints(set, target, points) : check(set, target, solution).success) solved++;
      }
      rows.push([
        id,
        label,
        `${((100 * solved) / times.length).toFixed(1)}`,
        formatMicroseconds(median(times)),
        formatMicroseconds(percentile(times, 0.99)),
      ]);
    }
  }
  console.log(`\n## ${name}\n\n${markdownTable(['set', 'variation', 'success %', 'median', 'p99'], rows)}`);
}
