import { readUrdf } from '@poise/formats/urdf';
import { type BoneData, createFigure, createPose, type Figure, figureToData } from 'poise/figure';
import { createIk, solveIk } from 'poise/ik';
import { packageVersion } from '../peers/peer.js';
import { type Chain, midRange, readRobotFile, TOLERANCE } from './chain.js';
import { type ChainSession, type ChainSolver, quaternionOf } from './solver.js';

/** Poise with its defaults on every robot; only the tolerance of the protocol is set. */
export function createPoise(): ChainSolver {
  return {
    name: 'poise',
    version: packageVersion('poise'),
    settings: `defaults; goal tolerances ${TOLERANCE}`,
    rounds: 5,
    create: createSession,
  };
}

/** The chain alone, as a figure: what the other solvers get, too. */
function chainFigure({ file, base, tip, id }: Chain): Figure {
  const { bones } = figureToData(readUrdf(readRobotFile(file), { source: file }).figure);
  const byName = new Map(bones.map((bone) => [bone.name, bone]));
  const chain: BoneData[] = [];
  for (let name = tip; name !== base; ) {
    const bone = byName.get(name);
    if (typeof bone?.parent !== 'string') throw new Error(`benchmarks: ${name} does not hang on ${base}`);
    chain.unshift(bone);
    name = bone.parent;
  }
  return createFigure({ name: id, bones: [{ name: base, parent: null }, ...chain] });
}

function createSession(chain: Chain): ChainSession {
  const figure = chainFigure(chain);
  const position = [0, 0, 0];
  const orientation = [0, 0, 0, 1];
  const ik = createIk(figure, [
    { type: 'position', bone: chain.tip, target: position, tolerance: TOLERANCE },
    { type: 'orientation', bone: chain.tip, target: orientation, tolerance: TOLERANCE },
  ]);
  const pose = createPose(figure);
  const start = midRange(chain);
  return {
    prepare(target) {
      pose.set(start);
      for (let k = 0; k < 3; k++) position[k] = target[9 + k];
      const q = quaternionOf(target);
      for (let k = 0; k < 4; k++) orientation[k] = q[k];
    },
    run() {
      solveIk(ik, pose);
    },
    read: () => pose,
  };
}
