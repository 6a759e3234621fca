import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { createHumanFigure, withAnatomicalLimits } from 'poise/humanoid';
import { AnimationMixer } from 'three';
import { describe, expect, test } from 'vitest';
import {
  bindFigure,
  FigureSimulation,
  FigureSolver,
  FootPlanter,
  figureFromObject3D,
  writeBindPose,
} from '../src/index.js';
import { loadRig } from './load-rig.js';
import { bonesOf } from './support.js';

const { root: character } = bonesOf(createHumanFigure());
/** What a loader returns, as far as it matters: too large to be shown in a message. */
const gltf = {
  scene: character,
  animations: [],
  toJSON(): never {
    throw new Error('too large');
  },
};
const made = figureFromObject3D(character);

describe('what is easily mistaken is refused with what to write', () => {
  const mistakes: [string, () => unknown, RegExp][] = [
    [
      'a loaded glTF for a character',
      () => figureFromObject3D(gltf as never),
      /^root: is not a three\.js object\. Of a loaded glTF give `gltf\.scene`\.$/,
    ],
    [
      'a loaded glTF to bind to',
      () => bindFigure(made.figure, gltf as never),
      /^root: is not a three\.js object\. Of a loaded glTF give `gltf\.scene`\.$/,
    ],
    [
      'a loaded glTF for the feet',
      () => new FootPlanter(gltf as never, { ground: () => 0 }),
      /^character: is not a three\.js object\. Of a loaded glTF give `gltf\.scene`\.$/,
    ],
    [
      'a loaded glTF to simulate',
      () => new FigureSimulation().add(gltf as never),
      /^root: is not a three\.js object\. Of a loaded glTF give `gltf\.scene`\.$/,
    ],
    [
      'a loaded glTF for the bind pose',
      () => writeBindPose(gltf as never),
      /^root: is not a three\.js object\. Of a loaded glTF give `gltf\.scene`\.$/,
    ],
    [
      'no root',
      () => bindFigure(made.figure, undefined as never),
      /^root: is undefined\. Give an object above the bones, a skinned mesh or a skeleton\.$/,
    ],
    [
      'a name for a root',
      () => figureFromObject3D('Knight' as never),
      /^root: is 'Knight'\. Give an object above the bones, a skinned mesh or a skeleton\.$/,
    ],
    [
      'the figure and its objects for a figure',
      () => bindFigure(made as never, character),
      /^figure: is the result of figureFromObject3D\. Give its `figure`\.$/,
    ],
    [
      'an object for a figure',
      () => bindFigure(character as never, character),
      /^figure: is not a figure\. Give one of figureFromObject3D, or of a file\.$/,
    ],
    [
      'an object for a binding',
      () => new FigureSolver(character as never, []),
      /^binding: is not a binding\. Give bindFigure\(figure, character\)\.$/,
    ],
    [
      'a call for the function',
      () => figureFromObject3D(character, { modify: (withAnatomicalLimits as () => never)() }),
      /^figure: is not a figure\. Pass the function itself, withAnatomicalLimits without parentheses, or a figure\.$/,
    ],
    [
      'a figure for the function',
      () => figureFromObject3D(character, { modify: withAnatomicalLimits(made.figure) as never }),
      /^options\.modify: is not a function\. Pass the function itself, withAnatomicalLimits without parentheses\.$/,
    ],
    [
      'the function for the options',
      () => figureFromObject3D(character, withAnatomicalLimits as never),
      /^options: is a function \(withAnatomicalLimits\)\. Give an object, or leave it out\.$/,
    ],
    [
      'no options for the feet',
      () => new (FootPlanter as unknown as new (root: unknown) => unknown)(character),
      /^options\.ground: is missing\. Give a function \(x, z\) => height, or the objects of the ground\.$/,
    ],
  ];
  test.each(mistakes)('%s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});

describeWithData('a character of a file that is not at rest', 'gltf', (folder) => {
  const notUpright =
    /^figure .*: has the bones of a human, but its trunk is not upright in this pose, which becomes the rest pose\. Make the figure before/;

  async function loaded(file: string, clip?: string) {
    const { scene, animations } = await loadRig(await readFile(`${folder}/${file}`));
    const found = animations.find(({ name }) => name === clip);
    if (clip !== undefined) {
      if (found === undefined) throw new Error(`${file} has no ${clip}`);
      const mixer = new AnimationMixer(scene);
      mixer.clipAction(found).play();
      mixer.update(0.99 * found.duration);
    }
    return scene;
  }

  test.each([
    ['KayKit_Knight.glb', 'Lie_Down'],
    ['KayKit_Knight.glb', 'Death_A'],
    ['KayKit_Knight.glb', 'Sit_Floor_Down'],
    ['RobotExpressive.glb', 'Robot_Death'],
    ['RobotExpressive.glb', 'Robot_Sitting'],
  ])('%s after %s', async (file, clip) => {
    const scene = await loaded(file, clip);
    expect(() => figureFromObject3D(scene, { modify: withAnatomicalLimits })).toThrow(notUpright);
    expect(() => new FootPlanter(scene, { ground: () => 0 })).toThrow(notUpright);
  });

  test('a walking one', async () => {
    const scene = await loaded('KayKit_Knight.glb', 'Walking_A');
    const message = /has the bones of a human, but it is not recognised in this pose.*Make the figure before/;
    expect(() => figureFromObject3D(scene, { modify: withAnatomicalLimits })).toThrow(message);
    expect(() => new FootPlanter(scene, { ground: () => 0 })).toThrow(message);
  });

  test('lying on its back', async () => {
    const scene = await loaded('KayKit_Knight.glb');
    scene.rotation.x = -Math.PI / 2;
    expect(() => figureFromObject3D(scene, { modify: withAnatomicalLimits })).toThrow(notUpright);
    expect(() => new FootPlanter(scene, { ground: () => 0 })).toThrow(notUpright);
  });

  test('a fox, whose bones have the names of a human, is told what else to do', async () => {
    const scene = await loaded('Fox.glb');
    expect(() => figureFromObject3D(scene, { modify: withAnatomicalLimits })).toThrow(
      /trunk is not upright.*If it is at rest: Name its bones in `options\.bones`/,
    );
  });
});
