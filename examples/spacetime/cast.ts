/** Objects on the stage: the figure of an example with a body, and its surroundings. */
import { bindFigure, type FigureBinding, object3DFromFigure } from '@poise/three';
import {
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { createCharacter } from '../shared/character.js';
import { luxoSizes } from './luxo-model.js';
import type { SpacetimeExample } from './problems/example.js';

export interface Cast {
  readonly root: Group;
  readonly binding: FigureBinding;
}

export function createCast(example: SpacetimeExample): Cast {
  const { figure } = example;
  const root = new Group();
  const body = bodyOf(example);
  root.add(body, ...scenery(example));
  root.traverse((object) => {
    object.castShadow = true;
  });
  return { root, binding: bindFigure(figure, body) };
}

function bodyOf({ figure }: SpacetimeExample): Object3D {
  if (figure.name === 'human') return createCharacter(figure).root;
  if (figure.name !== 'luxo') return object3DFromFigure(figure).root;
  const { root, objects } = object3DFromFigure(figure, { shapes: 'none' });
  const { base, arm, head } = luxoSizes;
  const metal = new MeshStandardMaterial({ color: '#4b5a6c', roughness: 0.5, metalness: 0.2 });
  const shade = new MeshStandardMaterial({ color: '#2f66d0', roughness: 0.5, side: DoubleSide });
  objects
    .get('base')
    ?.add(
      new Mesh(
        new CylinderGeometry(base.radius, base.radius, base.height, 40).translate(0, base.height / 2, 0),
        metal,
      ),
    );
  for (const name of ['lowerArm', 'upperArm']) {
    objects
      .get(name)
      ?.add(
        new Mesh(
          new CylinderGeometry(arm.radius, arm.radius, arm.length, 20).translate(0, arm.length / 2, 0),
          metal,
        ),
      );
    objects.get(name)?.add(new Mesh(new SphereGeometry(1.6 * arm.radius, 20, 14), metal));
  }
  const cone = new ConeGeometry(head.radius, head.length, 40, 1, true).rotateX(-Math.PI / 2);
  objects.get('head')?.add(new Mesh(cone.translate(0, 0, head.length / 2 - head.behind), shade));
  const bulb = new SphereGeometry(0.035, 24, 16).translate(0, 0, head.length / 2 - head.behind);
  objects
    .get('head')
    ?.add(new Mesh(bulb, new MeshStandardMaterial({ color: '#fff7d6', emissive: '#6b5d1f' })));
  return root;
}

function scenery({ logs = [], marks = [] }: SpacetimeExample): Object3D[] {
  const wood = new MeshStandardMaterial({ color: '#c9ab7c', roughness: 0.9 });
  const asked = new MeshStandardMaterial({ color: '#e8590c', roughness: 0.6 });
  return [
    ...logs.map(({ from, to, radius }) => {
      const [a, b] = [new Vector3(...from), new Vector3(...to)];
      const direction = b.clone().sub(a);
      const mesh = new Mesh(new CylinderGeometry(radius, radius, direction.length(), 36), wood);
      mesh.position.copy(a.add(b).multiplyScalar(0.5));
      mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), direction.normalize()));
      return mesh;
    }),
    ...marks.map((position) => {
      const mesh = new Mesh(new SphereGeometry(0.025, 20, 14), asked);
      mesh.position.set(...position);
      return mesh;
    }),
  ];
}
