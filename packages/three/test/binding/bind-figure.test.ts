import { createIk, type FigureError, solveIk } from 'poise';
import { createFigure, createState, type Figure, figureToData, forwardKinematics } from 'poise/figure';
import { Bone, Group, Matrix4, type Object3D, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { bindFigure, figureFromObject3D } from '../../src/index.js';
import {
  createRandom,
  expectedWorld,
  expectWritten,
  gap,
  jointNumber,
  matrixGap,
  matrixOf,
  outputScale,
  placeInScene,
  randomPose,
  randomQuaternion,
  randomTree,
  randomVector,
  skinnedMesh,
  solverMatrices,
} from '../support.js';

describe('writing a pose', () => {
  it('gives every object the world matrix of its bone, for every joint, in a rotated and scaled root', () => {
    const random = createRandom(1);
    for (const scale of [1, 0.01, 100, 2.5]) {
      const { root } = randomTree(random, 24);
      const scene = placeInScene(root, random, scale);
      let i = 0;
      const { figure, objects, warnings } = figureFromObject3D(root, {
        joints: () => jointNumber(i++, random),
      });
      const binding = bindFigure(figure, root, { objects });
      expect([...warnings, ...binding.warnings]).toEqual([]);
      expect(binding.unit).toBeCloseTo(scale, 12);
      for (let round = 0; round < 5; round++) {
        expectWritten(binding, scene, randomPose(figure, random), 1e-12 * Math.max(1, 10 * scale));
      }
    }
  });

  it('leaves the world as it was for the pose of zeros', () => {
    const random = createRandom(2);
    const { root, objects: parts } = randomTree(random, 24, () => new Vector3().setScalar(0.5 + random()));
    const scene = placeInScene(root, random, 0.01);
    const before = parts.map((object) => object.matrixWorld.clone());
    const { figure, objects } = figureFromObject3D(root);
    bindFigure(figure, root, { objects }).update();
    scene.updateMatrixWorld(true);
    parts.forEach((object, i) => {
      expect(matrixGap(object.matrixWorld, before[i])).toBeLessThan(1e-13);
    });
  });

  it('folds uniform scale and mirrors inside the hierarchy, whatever their order', () => {
    const random = createRandom(3);
    const mirror = () => (random() < 0.5 ? -1 : 1);
    for (let round = 0; round < 10; round++) {
      const { root } = randomTree(random, 20, () => {
        const size = 0.6 + 0.8 * random();
        return new Vector3(size * mirror(), size * mirror(), size * mirror());
      });
      const scene = placeInScene(root, random, 0.5);
      const { figure, objects, warnings } = figureFromObject3D(root);
      const binding = bindFigure(figure, root, { objects });
      expect([...warnings, ...binding.warnings]).toEqual([]);
      expectWritten(binding, scene, randomPose(figure, random), 1e-11);
    }
  });

  it('is exact at a bone of non-uniform scale, and exact in position below it, with a warning', () => {
    const random = createRandom(4);
    const { root } = randomTree(random, 16, (i) => (i === 3 ? new Vector3(1, 2, 0.5) : new Vector3(1, 1, 1)));
    const scene = placeInScene(root, random, 1);
    const parts: Object3D[] = [];
    root.traverse((object) => parts.push(object));
    const squashed = parts.find((object) => object.name === 'part3') as Object3D;
    const below = new Group();
    below.name = 'below';
    below.position.set(0.1, 0.2, 0.3);
    squashed.add(below);
    scene.updateMatrixWorld(true);
    const rest = below.matrixWorld.clone();
    const { figure, objects, warnings } = figureFromObject3D(root);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("'part3'");
    const binding = bindFigure(figure, root, { objects });
    expect(binding.warnings.length).toBeGreaterThan(0);
    binding.update();
    scene.updateMatrixWorld(true);
    expect(matrixGap(below.matrixWorld, rest)).toBeLessThan(1e-12);

    const pose = randomPose(figure, random);
    binding.writePose(pose);
    scene.updateMatrixWorld(true);
    const wanted = solverMatrices(figure, pose);
    figure.bones.forEach(({ name, index }) => {
      const object = objects.get(name) as Object3D;
      const expected = expectedWorld(binding, wanted[index], new Vector3(1, 1, 1));
      const here = new Vector3().setFromMatrixPosition(object.matrixWorld);
      const there = new Vector3().setFromMatrixPosition(expected);
      expect(here.distanceTo(there), name).toBeLessThan(1e-12);
    });
    const own = wanted[figure.bones.findIndex((bone) => bone.name === 'part3')];
    const expected = expectedWorld(binding, own, outputScale(squashed, binding));
    expect(matrixGap(squashed.matrixWorld, expected)).toBeLessThan(1e-12);
  });

  it('compensates unbound objects that move between bones', () => {
    const random = createRandom(5);
    for (const scale of [1, 0.01]) {
      const { root, objects: parts } = randomTree(random, 24);
      const scene = placeInScene(root, random, scale);
      const { figure, objects } = sparseFigure(parts, root, (i) => i % 3 === 0);
      const binding = bindFigure(figure, root, { objects });
      expect(binding.warnings).toEqual([]);
      for (let round = 0; round < 5; round++) {
        parts.forEach((object, i) => {
          if (i % 3 === 0) return;
          object.quaternion.copy(randomQuaternion(random));
          object.position.add(randomVector(random, 0.2));
        });
        expectWritten(binding, scene, randomPose(figure, random), 1e-11);
      }
    }
  });

  it('follows a root that is moved, rotated or scaled later', () => {
    const random = createRandom(6);
    const { root } = randomTree(random, 12);
    const scene = placeInScene(root, random, 0.01);
    const { figure, objects } = figureFromObject3D(root);
    const binding = bindFigure(figure, root, { objects });
    root.scale.setScalar(0.03);
    root.position.set(7, 8, 9);
    root.quaternion.copy(randomQuaternion(random));
    expectWritten(binding, scene, randomPose(figure, random), 1e-11);
  });

  it('moves objects that do not update their matrices themselves, and objects with a pivot', () => {
    const random = createRandom(7);
    const { root, objects: parts } = randomTree(random, 12);
    parts[2].matrixAutoUpdate = false;
    parts[2].updateMatrix();
    parts[4].pivot = new Vector3(0.3, -0.2, 0.1);
    const scene = placeInScene(root, random, 2);
    const { figure, objects } = figureFromObject3D(root);
    const binding = bindFigure(figure, root, { objects });
    const pose = randomPose(figure, random);
    expectWritten(binding, scene, pose, 1e-12);
    expect(gap(binding.readPose(new Float64Array(figure.dof)), pose)).toBeLessThan(1e-12);
  });

  it('binds a figure in the metres of a file to a scene shown at another size', () => {
    const { scene, mesh } = skinnedMesh();
    const { figure } = figureFromObject3D(scene);
    scene.scale.setScalar(0.01);
    scene.updateMatrixWorld(true);
    const binding = bindFigure(figure, scene);
    expect(binding.unit).toBe(1);
    expect(binding.warnings).toEqual([]);
    expectWritten(binding, scene, randomPose(figure, createRandom(8)), 1e-12);
    expect(mesh.skeleton.bones).toContain(binding.objects[figure.bones.length - 1]);
  });

  it('warns if the figure has other proportions than the objects', () => {
    const { scene } = skinnedMesh();
    const { figure } = figureFromObject3D(scene);
    const longer = createFigure({
      bones: figure.bones.map(({ name, parent, rest, joint }) => ({
        name,
        parent: parent < 0 ? null : figure.bones[parent].name,
        rest: name === 'Elbow' ? { ...rest, position: [40, 0, 0] as const } : rest,
        joint,
      })),
    });
    const { warnings } = bindFigure(longer, scene);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('stretches');
  });
});

describe('reading a pose', () => {
  it('reads the coordinates that were written, for every joint, through any scale and root', () => {
    const random = createRandom(11);
    for (const scale of [1, 0.01, 30]) {
      const { root } = randomTree(random, 24, () => new Vector3().setScalar(0.6 + 0.8 * random()));
      placeInScene(root, random, scale);
      let i = 0;
      const { figure, objects } = figureFromObject3D(root, { joints: () => jointNumber(i++, random) });
      const binding = bindFigure(figure, root, { objects });
      for (let round = 0; round < 5; round++) {
        const pose = randomPose(figure, random);
        binding.writePose(pose);
        expect(gap(binding.readPose(new Float64Array(figure.dof)), pose)).toBeLessThan(1e-11);
      }
    }
  });

  it('reads what an animation wrote to the objects: the same world for the same rotations', () => {
    const random = createRandom(12);
    const { root, objects: parts } = randomTree(random, 20);
    const scene = placeInScene(root, random, 0.01);
    const { figure, objects } = figureFromObject3D(root);
    const binding = bindFigure(figure, root, { objects });
    for (const object of parts) object.quaternion.copy(randomQuaternion(random));
    parts[0].position.set(3, 2, 1);
    scene.updateMatrixWorld(true);
    const animated = parts.map((object) => object.matrixWorld.clone());
    binding.readPose();
    for (const part of parts) part.quaternion.identity();
    binding.update();
    scene.updateMatrixWorld(true);
    parts.forEach((object, k) => {
      expect(matrixGap(object.matrixWorld, animated[k])).toBeLessThan(1e-13);
    });
  });

  it('reads through unbound objects, and leaves bones without an object as they were', () => {
    const random = createRandom(13);
    const { root, objects: parts } = randomTree(random, 24);
    placeInScene(root, random, 0.1);
    const { figure, objects } = sparseFigure(parts, root, (i) => i % 3 === 0);
    const unbound = figure.bones[Math.floor(figure.bones.length / 2)].name;
    const binding = bindFigure(figure, root, { objects: new Map([...objects, [unbound, null]]) });
    for (const [i, object] of parts.entries())
      if (i % 3 !== 0) object.quaternion.copy(randomQuaternion(random));
    const pose = randomPose(figure, random);
    binding.writePose(pose);
    const { coordinate, dof } = figure.bones.find((bone) => bone.name === unbound) as Figure['bones'][number];
    const start = new Float64Array(figure.dof);
    for (let n = coordinate; n < coordinate + dof; n++) start[n] = pose[n];
    expect(gap(binding.readPose(start), pose)).toBeLessThan(1e-11);
  });

  it('reads a hinge out of a ball rotation as the nearest angle, and clamps on request', () => {
    const { scene, bones } = skinnedMesh();
    const { figure } = figureFromObject3D(scene, {
      joints: { Elbow: { type: 'hinge', axis: [0, 0, 1] } },
      limits: { Elbow: { type: 'interval', min: 0, max: 0.5 } },
    });
    const binding = bindFigure(figure, scene);
    const { coordinate } = figure.bones.find((bone) => bone.name === 'Elbow') as Figure['bones'][number];
    bones.Elbow.quaternion.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 0.8));
    expect(binding.readPose()[coordinate]).toBeCloseTo(0.8, 14);
    expect(binding.readPose(undefined, { clamp: true })[coordinate]).toBe(0.5);
  });
});

describe('binding', () => {
  it('finds bones of a skinned mesh by name from the scene, the mesh or its skeleton', () => {
    const { scene, mesh, bones, armature } = skinnedMesh();
    armature.scale.setScalar(0.01);
    armature.rotation.x = -Math.PI / 2;
    scene.updateMatrixWorld(true);
    for (const root of [scene, mesh, mesh.skeleton, bones.Hips]) {
      const { figure } = figureFromObject3D(root);
      const binding = bindFigure(figure, root);
      expect(binding.frame).toBe(root === scene ? scene : armature);
      const names = binding.objects.map((object) => object?.name);
      expect(names).toEqual(figure.bones.map((bone) => bone.name));
      expectWritten(binding, scene, randomPose(figure, createRandom(21)), 1e-12);
      mesh.skeleton.pose();
    }
  });

  it('takes a record, a map or a function of names and objects, and the names that loaders write', () => {
    const { scene, bones } = skinnedMesh();
    bones.Hand.name = 'mixamorigLeft_Hand';
    const figure = createFigure({
      bones: [
        { name: 'hips', joint: { type: 'free' } },
        { name: 'upper', parent: 'hips', joint: { type: 'ball' } },
        { name: 'mixamorig:Left Hand', parent: 'upper', joint: { type: 'ball' } },
      ],
    });
    const wanted = [bones.Hips, bones.Shoulder, bones.Hand];
    const record = { hips: 'Hips', upper: bones.Shoulder };
    for (const objects of [
      record,
      new Map(Object.entries(record)),
      (name: string) => record[name as 'hips'],
    ]) {
      expect(bindFigure(figure, scene, { objects }).objects).toEqual(wanted);
    }
  });

  it('finds an object by either spelling of its name', () => {
    const { scene, bones } = skinnedMesh();
    bones.Hips.name = 'mixamorig:Hips';
    const figure = createFigure({ bones: [{ name: 'mixamorigHips', joint: { type: 'free' } }] });
    expect(bindFigure(figure, scene).objects).toEqual([bones.Hips]);
    // Its own spelling wins.
    bones.Shoulder.name = 'mixamorigHips';
    expect(bindFigure(figure, scene).objects).toEqual([bones.Shoulder]);
  });

  it('prefers a bone to a mesh of the same name, and refuses two bones of one name', () => {
    const { scene, bones, mesh } = skinnedMesh();
    const figure = asFromFile(figureFromObject3D(scene).figure);
    mesh.name = 'Spine';
    expect(bindFigure(figure, scene).objects).toContain(bones.Spine);
    const twin = new Bone();
    twin.name = 'Spine';
    scene.add(twin);
    expect(() => bindFigure(figure, scene)).toThrow(
      expect.objectContaining({ code: 'duplicate-name', path: "objects['Spine']" }),
    );
    expect(bindFigure(figure, scene, { objects: { Spine: bones.Spine } }).objects).toContain(bones.Spine);
  });

  it('suggests the nearest name for an unknown object or bone', () => {
    const { scene, bones } = skinnedMesh();
    const figure = asFromFile(figureFromObject3D(scene).figure);
    bones.Elbow.name = 'Elbow1';
    expect(() => bindFigure(figure, scene)).toThrow(/'Elbow'.*Did you mean 'Elbow1'/);
    expect(() => bindFigure(figure, scene)).toThrow(expect.objectContaining({ code: 'unknown-name' }));
    expect(() => bindFigure(figure, scene, { objects: { Elbw: 'Elbow1' } })).toThrow(/Did you mean 'Elbow'/);
    const partial = bindFigure(figure, scene, { missing: 'ignore' });
    expect(partial.objects.filter((object) => object === undefined)).toHaveLength(1);
    expect(() => bindFigure(figure, scene, { missing: 'ignore', objects: { Elbow: 'Elbw' } })).toThrow(
      /Elbow1/,
    );
    const other = createFigure({ bones: [{ name: 'x' }] });
    expect(() => bindFigure(other, scene, { missing: 'ignore' })).toThrow(/no bone/);
  });

  it('remembers the source objects of a figure, whatever their names', () => {
    const random = createRandom(61);
    const root = new Group();
    const scene = placeInScene(root, random, 0.5);
    const objects: Object3D[] = [];
    for (const name of ['', 'a', 'a', '', 'a_2']) {
      const object = new Group();
      object.name = name;
      object.position.copy(randomVector(random));
      (objects.at(-1) ?? root).add(object);
      objects.push(object);
    }
    const { figure } = figureFromObject3D(root);
    const binding = bindFigure(figure, root);
    expect(binding.objects).toEqual(objects);
    expectWritten(binding, scene, randomPose(figure, random), 1e-12);
    // Explicit objects take precedence, and so does a hierarchy without the source objects.
    const other = new Group();
    root.add(other);
    const [first] = figure.bones;
    expect(bindFigure(figure, root, { objects: { [first.name]: other } }).objects[0]).toBe(other);
    const twin = skinnedMesh();
    const own = skinnedMesh();
    const made = figureFromObject3D(own.scene).figure;
    expect(bindFigure(made, twin.scene).objects).toContain(twin.bones.Hand);
  });

  it('refuses unknown options', () => {
    const { scene } = skinnedMesh();
    const { figure } = figureFromObject3D(scene);
    const codeAndPath = (make: () => unknown) => {
      try {
        make();
      } catch (error) {
        const { name, code, path } = error as FigureError;
        return [name, code, path];
      }
      return undefined;
    };
    const wrong = { mising: 'ignore' } as object;
    expect(() => bindFigure(figure, scene, wrong)).toThrow(/Did you mean 'missing'/);
    expect(codeAndPath(() => bindFigure(figure, scene, wrong))).toEqual([
      'FigureError',
      'unknown-name',
      'options.mising',
    ]);
    expect(codeAndPath(() => bindFigure(figure, scene, { missing: 'ignor' as 'ignore' }))).toEqual([
      'FigureError',
      'unsupported',
      'options.missing',
    ]);
    expect(codeAndPath(() => figureFromObject3D(scene, { limit: {} } as object))).toEqual([
      'FigureError',
      'unknown-name',
      'options.limit',
    ]);
    expect(codeAndPath(() => figureFromObject3D(scene, { bones: 'skin' as 'skins' }))).toEqual([
      'FigureError',
      'unsupported',
      'options.bones',
    ]);
  });

  it('names a bound object that is scaled to 0', () => {
    const { scene, armature, bones } = skinnedMesh();
    const { figure } = figureFromObject3D(scene);
    const binding = bindFigure(figure, scene);
    scene.name = 'Character';
    const pose = randomPose(figure, createRandom(62));
    scene.scale.setScalar(0);
    const fault = (code: string, path: string) =>
      expect.objectContaining({ name: 'FigureError', code, path });
    for (const ask of [
      () => binding.pointFromWorld(new Vector3()),
      () => binding.orientationFromWorld(new Quaternion()),
      () => binding.normalFromWorld(new Vector3(0, 1, 0)),
    ]) {
      expect(ask).toThrow(fault('singular', "Group 'Character'"));
    }
    expect(() => bindFigure(figure, scene)).toThrow(/root: Group 'Character' is scaled by 0/);
    // Writing and reading need no inverse of it.
    binding.writePose(pose);
    expect(gap(binding.readPose(new Float64Array(figure.dof)), pose)).toBeLessThan(1e-12);
    scene.scale.setScalar(1);
    // An object between bones that have objects.
    const sparse = bindFigure(figure, scene, { objects: { Chest: null } });
    sparse.writePose(pose);
    bones.Chest.scale.set(0, 0, 0);
    expect(() => sparse.writePose(pose)).toThrow(fault('singular', "Bone 'Chest'"));
    expect(() => sparse.readPose()).toThrow(fault('singular', "Bone 'Chest'"));
    // The bound bone itself may be scaled to 0.
    bones.Chest.scale.setScalar(1);
    bones.Hand.scale.setScalar(0);
    armature.updateMatrixWorld(true);
    expectWritten(binding, scene, pose, 1e-12);
  });

  it('refuses one object for two bones, objects elsewhere and scales of zero', () => {
    const { scene, bones, armature } = skinnedMesh();
    const { figure } = figureFromObject3D(scene);
    expect(() => bindFigure(figure, scene, { objects: { Hand: bones.Elbow } })).toThrow(/already/);
    const elsewhere = new Group();
    const stray = new Bone();
    elsewhere.add(stray);
    expect(() => bindFigure(figure, scene, { objects: { Hand: stray } })).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    armature.scale.setScalar(0);
    expect(() => bindFigure(figure, scene)).toThrow(expect.objectContaining({ code: 'singular' }));
    armature.scale.setScalar(1);
    expect(() => bindFigure(figure, scene).writePose([1])).toThrow(
      expect.objectContaining({ code: 'wrong-size' }),
    );
  });

  it('converts targets between the scene and the figure, and a solved hand arrives there', () => {
    const { scene, armature, bones } = skinnedMesh();
    const random = createRandom(31);
    scene.position.copy(randomVector(random, 3));
    scene.quaternion.copy(randomQuaternion(random));
    scene.scale.setScalar(0.5);
    armature.scale.setScalar(0.02);
    scene.updateMatrixWorld(true);
    const { figure } = figureFromObject3D(scene, { joints: { Hips: { type: 'fixed' } } });
    const binding = bindFigure(figure, scene);
    const target = bones.Shoulder.getWorldPosition(new Vector3()).add(new Vector3(0.1, 0.2, -0.25));
    const goal = binding.pointFromWorld(target);
    expect(binding.pointToWorld(goal, new Vector3()).distanceTo(target)).toBeLessThan(1e-14);

    const rotation = randomQuaternion(random);
    const ik = createIk(figure, [
      { type: 'position', bone: 'Hand', target: goal, tolerance: 1e-9 },
      { type: 'orientation', bone: 'Hand', target: binding.orientationFromWorld(rotation), tolerance: 1e-9 },
    ]);
    expect(solveIk(ik, binding.pose).status).toBe('converged');
    binding.update();
    scene.updateMatrixWorld(true);
    expect(bones.Hand.getWorldPosition(new Vector3()).distanceTo(target)).toBeLessThan(2e-9);
    expect(bones.Hand.getWorldQuaternion(new Quaternion()).angleTo(rotation)).toBeLessThan(1e-7);
  });
});

/** The same figure without its source objects. */
function asFromFile(figure: Figure): Figure {
  return createFigure(figureToData(figure));
}

/** A figure of some of the parts: rest transforms relative to the nearest kept ancestor, as computed by three.js. */
function sparseFigure(
  objects: readonly Object3D[],
  root: Object3D,
  keep: (index: number) => boolean,
): { figure: Figure; objects: Map<string, Object3D> } {
  const kept = objects.filter((_, i) => keep(i));
  const metres = root.getWorldScale(new Vector3()).x;
  const figure = createFigure({
    bones: kept.map((object) => {
      let above = object.parent as Object3D;
      while (above !== root && !kept.includes(above)) above = above.parent as Object3D;
      const relative = above.matrixWorld.clone().invert().multiply(object.matrixWorld);
      const [position, quaternion, scale] = [new Vector3(), new Quaternion(), new Vector3()];
      relative.decompose(position, quaternion, scale);
      return {
        name: object.name,
        parent: above === root ? null : above.name,
        rest: {
          position: position.multiplyScalar(metres).toArray(),
          rotation: quaternion.toArray() as [number, number, number, number],
        },
        joint: above === root ? { type: 'free' } : { type: 'ball' },
      };
    }),
  });
  return { figure, objects: new Map(kept.map((object) => [object.name, object])) };
}

it('computes the frame of an object below a bone from local transforms alone, equal to the world transforms of three.js', () => {
  const random = createRandom(42);
  const mirror = () => (random() < 0.3 ? -1 : 1);
  for (let round = 0; round < 20; round++) {
    const { root, objects: parts } = randomTree(random, 10, () => {
      const size = 0.6 + 0.8 * random();
      return new Vector3(size * mirror(), size * mirror(), size * mirror());
    });
    const scene = placeInScene(root, random, 0.3 + random());
    const { figure, objects } = figureFromObject3D(root);
    // Bones without objects between, in some rounds.
    const skipped = round % 2 === 0 ? [] : [[figure.bones[3].name, null] as const];
    const binding = bindFigure(figure, root, { objects: new Map([...objects, ...skipped]) });
    const pose = randomPose(figure, random);
    binding.writePose(pose);
    const matrices = solverMatrices(figure, pose);
    const below = new Group();
    const holder = parts[Math.floor(random() * parts.length)];
    const between = new Group();
    holder.add(between);
    between.add(below);
    for (const object of [between, below]) {
      object.position.copy(randomVector(random, 0.4));
      object.quaternion.copy(randomQuaternion(random));
      object.scale.setScalar((0.5 + random()) * mirror());
    }
    let above: Object3D = holder;
    while (binding.boneOfObject(above) < 0) above = above.parent as Object3D;
    const bone = binding.boneOfObject(above);
    scene.updateMatrixWorld(true);
    const m = binding.boneFromObject(bone, below, false);
    const inFigure = matrixOf(m);
    const world = binding.worldFromFigure(new Matrix4()).multiply(matrices[bone]).multiply(inFigure);
    expect(matrixGap(world, below.matrixWorld)).toBeLessThan(1e-12);
    // Independent of the pose.
    binding.writePose(randomPose(figure, random));
    expect(binding.boneFromObject(bone, below, false)).toEqual(m);
  }
});

it('shares no state between two bindings of one figure', () => {
  const a = skinnedMesh();
  const b = skinnedMesh();
  const { figure } = figureFromObject3D(a.scene);
  const random = createRandom(41);
  const [first, second] = [bindFigure(figure, a.scene), bindFigure(figure, b.scene)];
  const poses = [randomPose(figure, random), randomPose(figure, random)];
  first.writePose(poses[0]);
  second.writePose(poses[1]);
  expect(gap(first.readPose(new Float64Array(figure.dof)), poses[0])).toBeLessThan(1e-12);
  const state = createState(figure);
  forwardKinematics(state, poses[1]);
  const hand = b.bones.Hand.getWorldPosition(new Vector3());
  const last = 12 * (figure.bones.length - 1) + 9;
  expect(hand.distanceTo(new Vector3().fromArray(state.worldFromBone, last))).toBeLessThan(1e-11);
});
