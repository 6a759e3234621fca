/** Translations that a clip gives to bones whose joints have none are kept: three's mixer is the oracle. */
import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, type Figure, figureToData } from 'poise/figure';
import {
  AnimationClip,
  AnimationMixer,
  Bone,
  Group,
  type InstancedMesh,
  Matrix4,
  type Object3D,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { describe, expect, it } from 'vitest';
import { bindFigure, FigureHelper, FigureSolver, figureFromObject3D } from '../../src/index.js';
import { loadRig } from '../load-rig.js';

const FRAME = 1 / 60;

/** root > hips > (spine > upper > lower > hand, leg): the hips are a ball. */
function biped() {
  const group = new Group();
  const bone = (name: string, parent: Object3D, y: number): Bone => {
    const made = new Bone();
    made.name = name;
    made.position.y = y;
    parent.add(made);
    return made;
  };
  const root = bone('root', group, 0);
  const hips = bone('hips', root, 1);
  const hand = bone('hand', bone('lower', bone('upper', bone('spine', hips, 0.3), 0.1), 0.25), 0.25);
  const leg = bone('leg', hips, -0.2);
  return { group, root, hips, hand, leg };
}

describe('a clip that translates bones whose joints cannot', () => {
  it.each([
    ['locked', ['root', 'hips']],
    ['free to turn', ['root']],
  ])('hips stay where the clip puts them, %s, and the goal is met from there', (_, locked) => {
    const { group, hips, hand, leg } = biped();
    const { figure } = figureFromObject3D(group);
    const target = new Vector3(0.3, 1.4, 0);
    const solver = new FigureSolver(bindFigure(figure, group), [{ type: 'position', bone: 'hand', target }], {
      locked,
    });
    for (let f = 0; f < 30; f++) {
      const [y, z, leg1] = [0.8 + 0.01 * f, 0.1 * Math.sin(f), -0.21 - 0.001 * f];
      hips.position.set(0.02, y, z);
      hips.rotation.x = 0.1;
      leg.position.y = leg1;
      expect(solver.update(FRAME).status).toBe('converged');
      expect(hips.position.toArray()).toEqual([0.02, y, z]);
      expect(leg.position.y).toBe(leg1);
      const end = hand.getWorldPosition(new Vector3());
      expect(end.distanceTo(target)).toBeLessThan(1e-4);
    }
    // A paused mixer writes nothing: the translation stays, and so does the solution.
    const before = hand.getWorldPosition(new Vector3());
    solver.update(FRAME);
    expect(hips.position.y).toBeCloseTo(1.09, 12);
    expect(hand.getWorldPosition(new Vector3()).distanceTo(before)).toBeLessThan(1e-4);
  });

  it('a new translation alone is solved anew', () => {
    const { group, hips, hand } = biped();
    const { figure } = figureFromObject3D(group);
    const target = new Vector3(0.3, 1.4, 0);
    const solver = new FigureSolver(bindFigure(figure, group), [{ type: 'position', bone: 'hand', target }], {
      locked: ['root', 'hips'],
    });
    solver.update(FRAME);
    for (const y of [0.9, 0.95, 1.05]) {
      hips.position.y = y;
      expect(solver.update(FRAME).status).toBe('converged');
      expect(hand.getWorldPosition(new Vector3()).distanceTo(target)).toBeLessThan(1e-4);
    }
  });

  it('an object above the bones that a clip moves and turns is kept too, though its joint is fixed', () => {
    const { group, root, hand } = biped();
    const armature = new Group();
    armature.name = 'armature';
    group.add(armature);
    armature.add(root);
    const made = figureFromObject3D(group);
    const data = figureToData(made.figure);
    const figure = createFigure({
      ...data,
      bones: data.bones.map((bone) => (bone.name === 'root' ? { ...bone, joint: { type: 'ball' } } : bone)),
    });
    expect(figure.bones.find(({ name }) => name === 'armature')?.joint.type).toBe('free');
    const rigid = createFigure({
      ...data,
      bones: data.bones.map((bone) =>
        bone.name === 'armature' ? { ...bone, joint: { type: 'fixed' } } : bone,
      ),
    });
    for (const each of [figure, rigid]) {
      const target = new Vector3(0.3, 1.3, 0.2);
      const solver = new FigureSolver(bindFigure(each, group), [{ type: 'position', bone: 'hand', target }], {
        locked: ['armature', 'root'],
      });
      armature.position.set(0.1, 0.05, 0);
      armature.rotation.set(0.1, 0.7, -0.1);
      const rotation = armature.quaternion.clone();
      expect(solver.update(FRAME).status).toBe('converged');
      expect(armature.position.toArray()).toEqual([0.1, 0.05, 0]);
      expect(armature.quaternion.angleTo(rotation)).toBeLessThan(1e-7);
      expect(hand.getWorldPosition(new Vector3()).distanceTo(target)).toBeLessThan(1e-4);
      solver.dispose();
    }
  });

  it('without a solver, the rests of the binding say what the pose cannot', () => {
    const { group, hips } = biped();
    const binding = bindFigure(figureFromObject3D(group).figure, group);
    hips.position.y = 0.7;
    binding.readPose();
    binding.writePose(binding.pose, binding.rests);
    expect(hips.position.y).toBe(0.7);
    binding.update();
    expect(hips.position.y).toBe(1);
  });

  it('the helper draws the bones where they are', () => {
    const { group, hips, hand } = biped();
    const binding = bindFigure(figureFromObject3D(group).figure, group);
    const helper = new FigureHelper(binding);
    hips.position.y = 0.7;
    helper.update();
    group.updateMatrixWorld(true);
    const joints = helper.children.at(-1) as InstancedMesh;
    const index = binding.figure.bones.findIndex(({ name }) => name === 'hand');
    const drawn = new Matrix4();
    joints.getMatrixAt(index, drawn);
    const place = new Vector3().setFromMatrixPosition(drawn);
    // Instances are drawn in single precision.
    expect(place.distanceTo(hand.getWorldPosition(new Vector3()))).toBeLessThan(1e-6);
    expect(place.y).toBeCloseTo(1.6, 6);
  });

  it('a track of the mixer on the hips', () => {
    const { group, hips, hand } = biped();
    const mixer = new AnimationMixer(group);
    mixer
      .clipAction(
        new AnimationClip('squat', 1, [
          new VectorKeyframeTrack('hips.position', [0, 0.5, 1], [0, 1, 0, 0, 0.7, 0.1, 0, 1, 0]),
        ]),
      )
      .play();
    const { figure } = figureFromObject3D(group);
    const target = new Vector3(0.2, 1.3, 0.1);
    const solver = new FigureSolver(bindFigure(figure, group), [{ type: 'position', bone: 'hand', target }], {
      locked: ['root', 'hips'],
    });
    for (let f = 0; f < 100; f++) {
      mixer.update(FRAME);
      const [x, y, z] = hips.position.toArray();
      solver.update(FRAME);
      expect(hips.position.toArray()).toEqual([x, y, z]);
      expect(hand.getWorldPosition(new Vector3()).distanceTo(target)).toBeLessThan(1e-4);
    }
  });
});

describeWithData('clips of a rig with a root above the hips', 'gltf/KayKit_Knight.glb', (path) => {
  const load = async () => {
    const { scene, animations } = await loadRig(await readFile(path));
    scene.updateMatrixWorld(true);
    const mixer = new AnimationMixer(scene);
    const { figure, objects } = figureFromObject3D(scene);
    return { scene, animations, mixer, figure, objects };
  };
  const boneNamed = (figure: Figure, pattern: RegExp): string =>
    figure.bones.find(({ name }) => pattern.test(name))?.name ?? expect.fail(`no ${pattern}`);

  it('all bones but those of the arm stay where the mixer puts them, in every clip', async () => {
    const [plain, solved] = [await load(), await load()];
    const { figure, objects, scene } = solved;
    const hand = boneNamed(figure, /^hand[._]?l$/i);
    const arm = new Set<number>();
    for (
      let b = figure.bones.findIndex(({ name }) => name === hand), k = 0;
      k < 3;
      k++, b = figure.parents[b]
    ) {
      arm.add(b);
    }
    const locked = figure.bones.filter(({ index }) => !arm.has(index)).map(({ name }) => name);
    const target = new Vector3();
    const solver = new FigureSolver(
      bindFigure(figure, scene, { objects }),
      [{ type: 'position', bone: hand, target }],
      {
        locked,
      },
    );
    const isInArm = (b: number): boolean => b >= 0 && (arm.has(b) || isInArm(figure.parents[b]));
    const others = figure.bones.filter(({ index }) => !isInArm(index)).map(({ name }) => name);
    let movedHips = 0;
    for (let clip = 0; clip < plain.animations.length; clip += 5) {
      for (const one of [plain, solved]) {
        one.mixer.stopAllAction();
        one.mixer.clipAction(one.animations[clip]).play();
      }
      for (let n = 0; n < 8; n++) {
        for (const one of [plain, solved]) one.mixer.update(0.11);
        plain.scene.updateMatrixWorld(true);
        const elbow = figure.bones[figure.parents[figure.bones.findIndex(({ name }) => name === hand)]];
        target
          .copy((plain.objects.get(hand) as Object3D).getWorldPosition(new Vector3()))
          .lerp(
            (plain.objects.get(figure.bones[elbow.parent].name) as Object3D).getWorldPosition(new Vector3()),
            0.2,
          );
        expect(solver.update(0.11).status).toBe('converged');
        scene.updateMatrixWorld(true);
        for (const name of others) {
          const [a, b] = [plain, solved].map((one) => one.objects.get(name) as Object3D);
          // The clips have quaternions and scales in single precision, unit within 1e-7; written quaternions are unit in double.
          const off = a.position.distanceTo(b.position);
          expect(off).toBeLessThan(name === 'hips' ? 1e-15 : 1e-7);
          const gap = a.getWorldPosition(new Vector3()).distanceTo(b.getWorldPosition(new Vector3()));
          expect(gap).toBeLessThan(1e-7);
        }
        const end = (objects.get(hand) as Object3D).getWorldPosition(new Vector3());
        expect(end.distanceTo(target)).toBeLessThan(2e-4);
        const { rest } = figure.bones.find(({ name }) => name === 'hips') as Figure['bones'][number];
        movedHips = Math.max(
          movedHips,
          (plain.objects.get('hips') as Object3D).position.distanceTo(new Vector3(...rest.position)),
        );
      }
    }
    // The clips do translate the hips.
    expect(movedHips).toBeGreaterThan(0.03);
  });
});
