// npm run fuzz [-- --count N] [--seed TEXT] [--reader NAME]... [--only NUMBER] [--report FILE]: reads damaged files of every
// format by the thousand (20,000 a reader) and prints a table. A file must give a result or an error of the library within
// 1 s of processor time and memory in proportion to its size; what does not is kept in .cache/fuzz with its seed and number, and the status is 1.
// --only reads one file again. --report writes the table; of readers that did not run the rows that it has stay. Real files of the shared data are damaged too, where that folder is present.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/house.mjs';
import { bundleThread, runThread } from './lib/watched-thread.mjs';

/** Without a sign of life for so much processor time a file hangs, ms. */
const HANG = 30_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    reader: { type: 'string', multiple: true },
    only: { type: 'string' },
    report: { type: 'string' },
  },
});
const count = Number(values.count);
const only = values.only === undefined ? undefined : Number(values.only);
if (!(count >= 1) || Number.isNaN(only)) {
  console.error(
    'usage: npm run fuzz -- [--count N] [--seed TEXT] [--reader NAME]... [--only NUMBER] [--report FILE]',
  );
  process.exit(2);
}
setPriority(10);
const folder = join(root, '.cache/fuzz');
mkdirSync(folder, { recursive: true });
const bundle = join(folder, `bundle-${process.pid}`);
process.on('exit', () => rmSync(bundle, { recursive: true, force: true }));
const module = await bundleThread('packages/cli', 'packages/cli/test/fuzz/worker.ts', bundle);

const data = resolve(root, process.env.POISE_DATA ?? '../shared/data');
/** @type {{ reader: string, number: number, fault: string }[]} */
const faults = [];
const rows = [];
for (const { name, ending } of await listReaders()) {
  if (values.reader && !values.reader.includes(name)) continue;
  rows.push(await fuzz(name, ending));
  console.error(rowText(rows[rows.length - 1]));
}
const head = [
  '| reader | files | read | refused | mean size, bytes | slowest, ms of processor time | largest growth of the heap with garbage, MB | faults | date |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];
console.log([...head, ...rows.map(rowText)].join('\n'));
for (const { reader, number, fault } of faults) {
  console.log(
    `\n${reader} ${number} (npm run fuzz -- --seed ${values.seed} --reader ${reader} --only ${number}):\n${fault}`,
  );
}
if (values.report) {
  const command = `npm run fuzz -- --count ${count} --seed ${values.seed} --report ${values.report}`;
  // Of readers that did not run now the rows stay, with their date.
  const texts = new Map(oldRows(values.report));
  for (const row of rows) texts.set(row.name, rowText(row));
  const text = [
    '# Damaged files of every format',
    '',
    `- command: \`${command}\`; with \`--reader NAME\` some rows, and the others stay`,
    `- Node ${process.version}; one thread at low priority`,
    '- a file is read, or refused with an error of the library; anything else, more than 1 s of processor time (the least of three reads) or more than 32 MB of memory (of scenes, which ask for a problem, 192 MB) and 20 bytes a byte is a fault',
    '- memory is the most that was there at one time: objects that a collection left, or that are there when the read returns, and arrays outside the heap, dropped or not',
    '',
    ...head,
    ...texts.values(),
    '',
  ];
  writeFileSync(values.report, text.join('\n'));
}
process.exit(faults.length > 0 ? 1 : 0);

/** @param {{ name: string, files: number, read: number, refused: number, bytes: number, slowest: number, heap: number, faults: number }} row */
function rowText({ name, files, read, refused, bytes, slowest, heap, faults: wrong }) {
  const cells = [
    name,
    files,
    read,
    refused,
    Math.round(bytes / Math.max(1, files)),
    slowest.toFixed(0),
    (heap / 1e6).toFixed(0),
    wrong,
    new Date().toISOString().slice(0, 10),
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * The rows of a report by reader; none where there is none.
 *
 * @param {string} path
 * @returns {[reader: string, row: string][]}
 */
function oldRows(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!reader|---)/.test(line))
    .map((line) => [line.split('|')[1].trim(), line]);
}

/** @returns {Promise<{ name: string, ending: string }[]>} */
async function listReaders() {
  /** @type {{ name: string, ending: string }[]} */
  let list = [];
  await runWorker({ reader: '', from: 0, to: 0 }, (message) => {
    list = message.readers ?? list;
  });
  return list;
}

/**
 * All files of one reader. A thread that hangs or dies is replaced by one that goes on with the next file.
 *
 * @param {string} name
 * @param {string} ending
 */
async function fuzz(name, ending) {
  const row = { name, files: 0, read: 0, refused: 0, bytes: 0, slowest: 0, heap: 0, faults: 0 };
  const end = only === undefined ? count : only + 1;
  /** @param {number} number @param {string} fault @param {Uint8Array} [bytes] */
  const keep = async (number, fault, bytes) => {
    row.faults++;
    faults.push({ reader: name, number, fault });
    let content = bytes;
    if (content === undefined) {
      await runWorker({ reader: name, from: number, to: number + 1, isMakeOnly: true }, (message) => {
        content = message.bytes;
      });
    }
    if (content) writeFileSync(join(folder, `${name}-${values.seed}-${number}.${ending}`), content);
  };
  for (let from = only ?? 0; from < end; ) {
    const sum = { read: 0, refused: 0, slowest: 0, heap: 0, bytes: 0 };
    /** @type {Promise<void>[]} */
    const kept = [];
    const { at, end: how } = await runWorker({ reader: name, from, to: end }, (message) => {
      if (message.sum) Object.assign(sum, message.sum);
      else if (message.fault) kept.push(keep(message.number, message.fault, message.bytes));
    });
    await Promise.all(kept);
    row.read += sum.read;
    row.refused += sum.refused;
    row.bytes += sum.bytes;
    row.slowest = Math.max(row.slowest, sum.slowest);
    row.heap = Math.max(row.heap, sum.heap);
    if (how === undefined) from = end;
    else {
      await keep(at, how);
      from = at + 1;
    }
    row.files = from - (only ?? 0);
  }
  return row;
}

/**
 * @param {{ reader: string, from: number, to: number, isMakeOnly?: boolean }} task
 * @param {(message: any) => void} listen
 */
function runWorker(task, listen) {
  return runThread(module, { ...task, data, seed: values.seed }, listen, { hang: HANG });
}
