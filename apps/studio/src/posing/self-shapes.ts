import { PoiseError } from 'poise';
import type { BoneShape } from 'poise/dynamics';
import type { Character } from '../character/character.js';
import type { CharacterModel } from '../character/model.js';
import { ragdollMaker } from '../character/shapes.js';
import { createFallBody } from '../fall/fall-body.js';
import { view } from '../scene/view.js';

type Triple = readonly [number, number, number];

const found = new WeakMap<object, readonly BoneShape[]>();

/**
 * The shapes of a human's bones, in its lengths: fitted to what is drawn where its figure has no masses; none of other characters.
 * @param drawn - The body that is drawn; of another character, which is about to be replaced, it says nothing.
 */
export function shapesOf(
  character: Character,
  drawn: CharacterModel | undefined = view.body,
): readonly BoneShape[] {
  if (character.humanoid === undefined) return [];
  const body = drawn?.binding.figure === character.given ? drawn : undefined;
  const of = body ?? character.given;
  let shapes = found.get(of);
  if (shapes === undefined) {
    shapes = fitted(character, body);
    found.set(of, shapes);
  }
  return shapes;
}

/** None for what has no shapes, such as bones that hang on nothing. */
function fitted(character: Character, body: CharacterModel | undefined): readonly BoneShape[] {
  try {
    const { ragdoll, scale } = createFallBody(character, ragdollMaker(character, body));
    return ragdoll.shapes.map((shape) => scaledShape(shape, 1 / scale));
  } catch (error) {
    if (error instanceof PoiseError) return [];
    throw error;
  }
}

function scaledShape(shape: BoneShape, factor: number): BoneShape {
  const by = (point: Triple): Triple => [factor * point[0], factor * point[1], factor * point[2]];
  switch (shape.type) {
    case 'capsule':
      return { ...shape, from: by(shape.from), to: by(shape.to), radius: factor * shape.radius };
    case 'sphere':
      return { ...shape, ...(shape.center && { center: by(shape.center) }), radius: factor * shape.radius };
    default: {
      const { placement, halfSizes } = shape;
      const position = placement?.position;
      return {
        ...shape,
        halfSizes: by(halfSizes),
        ...(placement && { placement: { ...placement, ...(position && { position: by(position) }) } }),
      };
    }
  }
}
