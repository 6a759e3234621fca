// node scripts/draw-retarget.mjs: puts the walk of the examples on a body of other proportions, and draws before and after into docs/figures,
// from the sources.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/house.mjs';
import { withSources } from './lib/source-modules.mjs';

/** Lengths over those of the human. */
const PROPORTIONS = { LowerLeg: 1.25, Foot: 0.8, Toes: 1.3, UpperLeg: 1.4 };

const folder = mkdtempSync(join(tmpdir(), 'poise-draw-'));
await withSources(async (load) => {
  const { walkingMannequin } = await load(join(root, 'examples/retarget/built-in.ts'));
  const { figureFromObject3D, bindFigure, motionFromClip } = await load('@poise/three');
  const { createHumanFigure, figureToData, motionToData } = await load('poise');
  const { run } = await load(join(root, 'packages/cli/src/run.ts'));
  const { root: object, clip } = walkingMannequin();
  const { figure, objects } = figureFromObject3D(object);
  const { motion } = motionFromClip(bindFigure(figure, object, { objects }), clip);
  const data = figureToData(createHumanFigure());
  /** @type {Record<string, number>} */
  const by = PROPORTIONS;
  const bones = data.bones.map((/** @type {any} */ bone) => {
    const factor = by[bone.name.replace(/^left|^right/, '')];
    if (factor === undefined) return bone;
    return {
      ...bone,
      rest: { ...bone.rest, position: bone.rest.position.map((/** @type {number} */ x) => factor * x) },
    };
  });
  const files = {
    rig: { ...figureToData(figure), name: 'mannequin' },
    walk: {
      format: 'poise-motion',
      version: 1,
      figure: 'mannequin',
      motion: { ...motionToData(motion), name: 'walk' },
    },
    long: { ...data, name: 'long thighs', bones },
  };
  const paths = Object.entries(files).map(([name, file]) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(file));
    return path;
  });
  const [rig, walk, long] = paths;
  const argv = [
    'retarget',
    walk,
    long,
    '--rig',
    rig,
    '--report',
    join(root, 'docs/figures/retarget-strip.svg'),
  ];
  const io = {
    out: (/** @type {any} */ text) => console.log(String(text)),
    err: console.error,
    color: false,
  };
  process.exitCode = await run(argv, io);
});
rmSync(folder, { recursive: true });
