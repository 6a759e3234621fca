import { createHumanFigure, withAnatomicalLimits } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { bindFigure, FigureSimulation, FigureSolver, FootPlanter, figureFromObject3D } from '../src/index.js';
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
