import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { writeResults } from './results.js';
import { energyPlots } from './torture/energy-plot.js';
import { ENGINES, loadEngines } from './torture/engines/index.js';
import { type Outcome, play } from './torture/play.js';
import { outcomeLine, outcomesJson, readOutcomes, report } from './torture/report.js';
import type { Scene } from './torture/scene.js';
import { KINDS, makeScene, sceneOf, sharesOf } from './torture/scenes/index.js';

const USAGE = `npm run torture -- [options]
Scenes of every kind of mistreatment, judged by code that imports nothing of Poise: 1,000 by default, in Poise alone or beside Rapier, Jolt and MuJoCo.
  --scenes N       how many (1000), in proportion to the kinds: ${Object.keys(KINDS).join(', ')}
  --kind K         only this kind; may stand several times
  --seed S         the seed (1)
  --short          the short forms, which npm test plays a hundred of
  --engines LIST   of ${ENGINES.join(', ')}, by commas (poise)
  --scene ID       this scene alone, as the report names it; may stand several times
  --json           outcomes as JSON
  --beside FILE    such outcomes of other engines stand beside in the report, of the same scenes
  --write          writes the report and plots of energy to benchmarks/results
  --out DIR        where to write`;

const { values: options } = parseArgs({
  options: {
    scenes: { type: 'string', default: '1000' },
    kind: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    engines: { type: 'string', default: 'poise' },
    scene: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    beside: { type: 'string' },
    write: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Made one after the other: all at once they would fill the memory. */
function* chosenScenes(): Generator<Scene> {
  if (options.scene !== undefined) {
    for (const id of options.scene) {
      const scene = sceneOf(id);
      if (scene === undefined) throw new Error(`torture: there is no scene ${id}`);
      yield scene;
    }
    return;
  }
  for (const kind of options.kind ?? []) {
    if (!(kind in KINDS))
      throw new Error(`torture: there is no kind ${kind}; there are ${Object.keys(KINDS).join(', ')}`);
  }
  for (const [kind, count] of Object.entries(sharesOf(Number(options.scenes)))) {
    if (options.kind !== undefined && !options.kind.includes(kind)) continue;
    for (let number = 0; number < count; number++) {
      yield makeScene(kind, Number(options.seed), number, options.short);
    }
  }
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const head = machineLines(['npm run torture --', ...process.argv.slice(2)].join(' '));
  const engines = await loadEngines(options.engines.split(','));
  const outcomes: Outcome[] = [];
  for (const scene of chosenScenes()) {
    for (const engine of engines) {
      const outcome = play(scene, engine);
      outcomes.push(outcome);
      if (!options.json && (options.scene !== undefined || outcome.faults.size > 0))
        console.log(outcomeLine(outcome));
    }
  }
  if (options.json) console.log(outcomesJson(outcomes));
  else if (options.scene === undefined) {
    const all = [...engines];
    if (options.beside !== undefined) {
      const played = new Set(outcomes.map(({ id }) => id));
      const others = readOutcomes(readFileSync(options.beside, 'utf8')).filter(({ id }) => played.has(id));
      outcomes.push(...others);
      all.push(...(await loadEngines([...new Set(others.map(({ engine }) => engine.toLowerCase()))])));
    }
    const versions = all.map(
      ({ name, version, settings }) => `- ${name} ${packageVersion(version)}: ${settings}`,
    );
    const text = report(outcomes, [...head, ...versions]);
    console.log(`\n${text}`);
    if (options.write || options.out !== undefined)
      writeResults({ 'torture.md': text, ...energyPlots(all) }, options.out);
  }
  if (outcomes.some(({ engine, faults }) => engine === engines[0].name && faults.size > 0))
    process.exitCode = 1;
}

await main();
