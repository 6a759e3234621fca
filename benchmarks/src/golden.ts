// npm run golden [-- NAME...] [-- --update]: hashes of what the library computes on committed seeds against benchmarks/golden.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differential } from './golden/differential.js';
import { digestOf } from './golden/digest.js';
import { dynamics } from './golden/dynamics.js';
import { fabrik } from './golden/fabrik.js';
import { formats } from './golden/formats.js';
import { ik } from './golden/ik.js';
import { landmarks } from './golden/landmarks.js';
import { motions } from './golden/motion.js';
import { ragdolls } from './golden/ragdoll.js';
import { rotations } from './golden/rotation.js';
import { type Section, Skip } from './golden/section.js';
import { spacetime } from './golden/spacetime.js';
import { repositoryRoot } from './problems.js';

const sections: readonly Section[] = [
  rotations,
  motions,
  ik,
  differential,
  fabrik,
  landmarks,
  dynamics,
  ragdolls,
  spacetime,
  formats,
];

const USAGE = `npm run golden [-- NAME...] [-- --update]
Hashes what the library computes on committed seeds and compares with benchmarks/golden.json; ends with 1 where something differs.
  NAME      only these sections, in this order: ${sections.map(({ name }) => name).join(', ')}
  --update  writes the file`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

const FILE = join(repositoryRoot(), 'benchmarks/golden.json');

interface Golden {
  /** Engine of the machine that wrote the file: sines and exponentials depend on it. */
  readonly node: string;
  /** By section and entry; words apart, as `NAME (words)`. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Differences, and errors. */
interface Found {
  readonly hashes: Map<string, string>;
  /** Entries that could not be computed here. */
  readonly skipped: Set<string>;
  readonly failed: string[];
}

const wordsKey = (key: string): string => `${key} (words)`;

function runSection({ name, run }: Section, { hashes, skipped, failed }: Found): void {
  const began = performance.now();
  const before = hashes.size;
  run((title, fill) => {
    const key = `${name}: ${title}`;
    const begun = performance.now();
    try {
      const { numbers, words } = digestOf(fill);
      hashes.set(key, numbers);
      if (words !== undefined) hashes.set(wordsKey(key), words);
      if (performance.now() - begun > 3000) console.log(`  ${key}: ${seconds(begun)}`);
    } catch (error) {
      if (!(error instanceof Skip)) failed.push(`${key}: ${error instanceof Error ? error.stack : error}`);
      else {
        skipped.add(key);
        console.log(`${key}: skipped: ${error.message}`);
      }
    }
  });
  console.log(`${name}: ${hashes.size - before} hashes, ${seconds(began)}`);
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function main(): number {
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const unknown = positionals.filter((name) => !sections.some((section) => section.name === name));
  if (unknown.length > 0) {
    console.log(`no section ${unknown.join(', ')}\n${USAGE}`);
    return 2;
  }
  const chosen =
    positionals.length === 0
      ? sections
      : positionals.flatMap((name) => sections.filter((section) => section.name === name));
  const found: Found = { hashes: new Map(), skipped: new Set(), failed: [] };
  const began = performance.now();
  for (const section of chosen) runSection(section, found);
  console.log(`${found.hashes.size} hashes in ${seconds(began)}`);
  for (const failure of found.failed) console.log(`FAILED ${failure}`);

  const golden: Golden = existsSync(FILE)
    ? (JSON.parse(readFileSync(FILE, 'utf8')) as Golden)
    : { node: process.version, hashes: {} };
  const inChosen = (key: string): boolean => chosen.some(({ name }) => key.startsWith(`${name}: `));
  // An entry that is not computed here keeps what it has.
  const isKept = (key: string): boolean => {
    if (!inChosen(key)) return true;
    const plain = key.endsWith(' (words)') ? key.slice(0, -' (words)'.length) : key;
    return found.skipped.has(plain) || found.failed.some((failure) => failure.startsWith(`${plain}: `));
  };
  const keys = new Set([...Object.keys(golden.hashes), ...found.hashes.keys()]);
  const differing = [...keys]
    .sort()
    .filter((key) => !isKept(key) && golden.hashes[key] !== found.hashes.get(key));
  for (const key of differing) {
    const [was, is] = [golden.hashes[key], found.hashes.get(key)];
    console.log(`${was === undefined ? 'new' : is === undefined ? 'gone' : 'DIFFERS'}  ${key}`);
  }
  if (options.update && found.failed.length === 0) {
    const all = { ...golden.hashes };
    for (const key of differing) delete all[key];
    for (const [key, hash] of found.hashes) all[key] = hash;
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(FILE, `${JSON.stringify({ node: process.version, hashes: sorted }, null, 2)}\n`);
    console.log(`${differing.length} entries written to benchmarks/golden.json`);
    return 0;
  }
  if (differing.length > 0 && golden.node !== process.version) {
    console.log(`The file was written by Node ${golden.node}, this is ${process.version}.`);
  }
  console.log(
    `${differing.length === 0 ? 'nothing differs' : `${differing.length} entries differ`}${found.failed.length > 0 ? `, ${found.failed.length} failed` : ''}`,
  );
  return differing.length + found.failed.length > 0 ? 1 : 0;
}

process.exitCode = main();
