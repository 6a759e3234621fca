import { figureToData } from 'poise/figure';
import { createHumanFigure, withAnatomicalLimits } from 'poise/humanoid';
import { Bone, Group, Mesh, Object3D, Quaternion, Skeleton, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { bindFigure, figureFromObject3D } from '../../src/index.js';
import {
  bonesOf,
  createRandom,
  gap,
  matrixGap,
  placeInScene,
  randomTree,
  skinnedMesh,
  solverMatrices,
} from '../support.js';

describe('figureFromObject3D', () => {
  it('may be modified: anatomical limits for a rig, whose objects are remembered', () => {
    const { root } = bonesOf(createHumanFigure());
    const { figure } = figureFromObject3D(root, { modify: withAnatomicalLimits });
    expect(figure.bones.find(({ name }) => name === 'leftLowerLeg')?.joint.type).toBe('hinge');
    for (const object of Object.values(bonesOf(createHumanFigure()).bones)) expect(object.name).not.toBe('');
    root.traverse((object) => {
      object.name = '';
    });
    expect(bindFigure(figure, root).objects).toHaveLength(figure.bones.length);
    const other = { modify: () => createHumanFigure() };
    expect(() => figureFromObject3D(root, other)).toThrow(
      /options\.modify: returns a figure with other bones/,
    );
  });

  it('takes up from the scene, in the axes of the frame', () => {
    const { root } = randomTree(createRandom(52), 6, () => new Vector3(1, 1, 1));
    expect(figureFromObject3D(root).figure.up).toEqual([0, 1, 0]);
    // As the robots of urdf-loader in a scene with +Y up, on a slope.
    root.rotation.x = -Math.PI / 2 + 0.2;
    expect(figureFromObject3D(root).figure.up).toEqual([0, 0, 1]);
    root.rotation.x = 0;
    expect(figureFromObject3D(root, { up: [0, 0, 2] }).figure.up).toEqual([0, 0, 1]);
    expect(() => figureFromObject3D(root, { up: [0, 0, 0] })).toThrow(/options\.up: has length 0/);
    Object3D.DEFAULT_UP.set(0, 0, 1);
    try {
      expect(figureFromObject3D(root).figure.up).toEqual([0, 0, 1]);
    } finally {
      Object3D.DEFAULT_UP.set(0, 1, 0);
    }
  });

  it('takes the transforms of the objects as rest, in metres of the world, in the frame of the root', () => {
    const random = createRandom(51);
    for (const scale of [1, 0.01, 40]) {
      const { root } = randomTree(random, 20, () => new Vector3().setScalar(0.5 + random()));
      placeInScene(root, random, scale);
      const { figure, objects } = figureFromObject3D(root);
      const wanted = solverMatrices(figure, new Float64Array(figure.dof));
      const frame = new Vector3().setFromMatrixPosition(root.matrixWorld);
      const relativeRotation = root.getWorldQuaternion(new Quaternion());
      for (const { name, index } of figure.bones) {
        const object = objects.get(name) as Object3D;
        const position = new Vector3()
          .setFromMatrixPosition(wanted[index])
          .applyQuaternion(relativeRotation)
          .add(frame);
        const here = object.getWorldPosition(new Vector3());
        expect(position.distanceTo(here)).toBeLessThan(1e-13 * Math.max(1, 10 * scale));
        const rotation = relativeRotation
          .clone()
          .multiply(new Quaternion().setFromRotationMatrix(wanted[index]));
        expect(rotation.angleTo(object.getWorldQuaternion(new Quaternion()))).toBeLessThan(1e-7);
      }
    }
  });

  it('takes the bones of a skin, the objects between them and the root, and no meshes', () => {
    const { scene, armature, bones } = skinnedMesh();
    const { figure, objects } = figureFromObject3D(scene);
    expect(figure.bones.map(({ name }) => name)).toEqual(['Armature', ...Object.keys(bones)]);
    expect(figure.bones.map(({ joint }) => joint.type)).toEqual(['fixed', 'free', ...Array(5).fill('ball')]);
    expect(objects.get('Armature')).toBe(armature);
    expect(figure.bones[5].tip).toEqual([26, 0, 0]);
    expect(figure.bones[6].tip).toBeUndefined();
  });

  it('takes everything under a root without skins: a free bone each at the top, ball joints below', () => {
    const random = createRandom(52);
    const { root } = randomTree(random, 8);
    const second = new Mesh();
    root.add(second);
    const { figure } = figureFromObject3D(root);
    expect(figure.bones).toHaveLength(9);
    expect(figure.bones.filter(({ joint }) => joint.type === 'free').map(({ parent }) => parent)).toEqual([
      -1, -1,
    ]);
    const { scene } = skinnedMesh();
    expect(figureFromObject3D(scene, { bones: 'all' }).figure.bones.map(({ name }) => name)).toContain(
      'Body',
    );
  });

  it('takes joints and limits by either spelling of a name', () => {
    const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
    const limit = { type: 'interval', min: 0, max: 1 } as const;
    for (const [inScene, given] of [
      ['mixamorigElbow', 'mixamorig:Elbow'],
      ['mixamorig:Elbow', 'mixamorigElbow'],
    ]) {
      const { scene, bones } = skinnedMesh();
      bones.Elbow.name = inScene;
      const { figure } = figureFromObject3D(scene, {
        joints: { [given]: hinge },
        limits: { [given]: limit },
      });
      expect(figure.bones.find(({ name }) => name === inScene)).toMatchObject({ joint: hinge, limit });
    }
  });

  it('takes joints and limits by name or by function, and refuses names that are no bones', () => {
    const { scene } = skinnedMesh();
    const { figure } = figureFromObject3D(scene, {
      name: 'arm',
      joints: { Elbow: { type: 'hinge', axis: [0, 0, 2] } },
      limits: (name) => (name === 'Elbow' ? { type: 'interval', min: 0, max: 2.5 } : undefined),
    });
    expect(figure.name).toBe('arm');
    const elbow = figureToData(figure).bones.find(({ name }) => name === 'Elbow');
    expect(elbow).toMatchObject({ joint: { type: 'hinge', axis: [0, 0, 1] }, limit: { min: 0, max: 2.5 } });
    expect(() => figureFromObject3D(scene, { joints: { Elbo: { type: 'ball' } } })).toThrow(
      expect.objectContaining({ code: 'unknown-name', path: "options.joints['Elbo']" }),
    );
    expect(() => figureFromObject3D(scene, { limits: { Hips: { type: 'angle', max: 1 } } })).toThrow(/limit/);
  });

  it('gives objects without a name, or with a repeated one, unique names', () => {
    const root = new Group();
    for (const name of ['a', 'a', '', 'a']) {
      const object = new Object3D();
      object.name = name;
      root.add(object);
    }
    const { figure, objects } = figureFromObject3D(root);
    expect(figure.bones.map(({ name }) => name)).toEqual(['a', 'a_2', 'Object3D_3', 'a_3']);
    expect([...objects.values()]).toEqual(root.children);
  });

  it('makes the same figure from mesh, skeleton or topmost bone', () => {
    const { mesh, bones } = skinnedMesh();
    const [a, b, c] = [mesh, mesh.skeleton, bones.Hips].map((root) => figureFromObject3D(root).figure);
    expect(b.bones).toEqual(a.bones);
    expect(c.bones).toEqual(a.bones);
  });

  it('changes nothing in the scene', () => {
    const random = createRandom(53);
    const { root, objects } = randomTree(random, 10, () => new Vector3(1, -2, 3));
    placeInScene(root, random, 1);
    const before = objects.map((object) => object.matrixWorld.clone());
    const positions = objects.map((object) => [...object.position.toArray(), ...object.quaternion.toArray()]);
    figureFromObject3D(root);
    root.updateMatrixWorld(true);
    objects.forEach((object, i) => {
      expect(matrixGap(object.matrixWorld, before[i])).toBe(0);
      expect(gap([...object.position.toArray(), ...object.quaternion.toArray()], positions[i])).toBe(0);
    });
  });

  it('warns of a root with non-uniform scale, and refuses singular and non-finite transforms', () => {
    const { scene, bones } = skinnedMesh();
    scene.scale.set(1, 2, 1);
    expect(figureFromObject3D(scene).warnings).toHaveLength(1);
    scene.scale.set(1, 0, 1);
    expect(() => figureFromObject3D(scene)).toThrow(
      expect.objectContaining({ code: 'singular', path: 'root' }),
    );
    scene.scale.set(1, 1, 1);
    bones.Spine.scale.set(0, 1, 1);
    expect(() => figureFromObject3D(scene)).toThrow(
      expect.objectContaining({ code: 'singular', path: "Bone 'Chest'" }),
    );
    bones.Spine.scale.set(1, 1, 1);
    bones.Spine.position.x = Number.NaN;
    expect(() => figureFromObject3D(scene)).toThrow(expect.objectContaining({ code: 'not-finite' }));
    expect(() => figureFromObject3D(new Group())).toThrow(expect.objectContaining({ code: 'unsupported' }));
    expect(() => figureFromObject3D(new Skeleton([]))).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    expect(figureFromObject3D(new Bone()).figure.bones).toHaveLength(1);
  });
});
