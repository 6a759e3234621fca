import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { createHumanFigure } from 'poise/humanoid';
import { motionFromPoses } from 'poise/motion';
import {
  AnimationClip,
  AnimationMixer,
  Bone,
  Group,
  LoopOnce,
  type Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { describe, expect, it } from 'vitest';
import {
  bindFigure,
  clipFromMotion,
  figureFromObject3D,
  motionFromClip,
  object3DFromFigure,
} from '../../src/index.js';
import { loadRig } from '../load-rig.js';

const FILES = ['CesiumMan.gltf', 'Fox.glb', 'KayKit_Knight.glb', 'RobotExpressive.glb'];

/** World positions and orientations of objects, as three plays a clip. */
function played(
  root: Object3D,
  clip: AnimationClip,
  objects: readonly Object3D[],
): (time: number) => number[] {
  const mixer = new AnimationMixer(root);
  const action = mixer.clipAction(clip).setLoop(LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  return (time) => {
    action.reset();
    action.time = time;
    mixer.update(0);
    root.updateMatrixWorld(true);
    return objects.flatMap((object) => {
      const p = object.getWorldPosition(new Vector3());
      const q = object.getWorldQuaternion(new Quaternion());
      const s = q.w < 0 ? -1 : 1;
      return [p.x, p.y, p.z, s * q.x, s * q.y, s * q.z, s * q.w];
    });
  };
}

const worst = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

const locals = (root: Object3D): number[] => {
  const out: number[] = [];
  root.traverse(({ position: p, quaternion: q, scale: s }) =>
    out.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z),
  );
  return out;
};

describeWithData('clips of characters from files', 'gltf', (folder) => {
  it.each(FILES)('%s: three plays a clip, and the clip of its motion, alike', async (file) => {
    const { scene, animations } = await loadRig(await readFile(`${folder}/${file}`));
    scene.updateMatrixWorld(true);
    const { figure, objects } = figureFromObject3D(scene, {
      joints: (_, object) => ('isBone' in object ? { type: 'free' } : undefined),
    });
    const binding = bindFigure(figure, scene, { objects });
    const clip = animations[0];
    const before = locals(scene);
    const { motion, warnings } = motionFromClip(binding, clip, { rate: 60 });
    expect(warnings).toEqual([]);
    const back = clipFromMotion(binding, motion, { rate: 60 });
    // Both leave the objects as they are.
    expect(locals(scene)).toEqual(before);
    expect(back.duration).toBeCloseTo(clip.duration, 6);
    const bones = [...objects.values()].filter((object) => 'isBone' in object);
    const size = 1 + Math.max(...bones.map((bone) => bone.getWorldPosition(new Vector3()).length()));
    const samples = Array.from({ length: 20 }, (_, k) =>
      Math.min(Math.round((60 * clip.duration * k) / 19) / 60, clip.duration),
    );
    const sources = samples.map(played(scene, clip, bones));
    const results = samples.map(played(scene, back, bones));
    sources.forEach((source, k) => {
      // Tracks of three have 32 bits.
      expect(worst(source, results[k])).toBeLessThan(1e-5 * size);
    });
  });
});

/** A walking skeleton without a mesh, as Mixamo's clips without skin are. */
function bonesAlone(): Group {
  const root = new Group();
  const hips = new Bone();
  hips.name = 'mixamorigHips';
  hips.position.set(0, 1, 0);
  const spine = new Bone();
  spine.name = 'mixamorigSpine';
  spine.position.set(0, 0.2, 0);
  root.add(hips);
  hips.add(spine);
  return root;
}

const clipOf = (...tracks: ConstructorParameters<typeof AnimationClip>[2] & object[]): AnimationClip =>
  new AnimationClip('walk', -1, tracks);

describe('a file of bones without a skin', () => {
  it('has a free root and balls, and its clip moves them', () => {
    const root = bonesAlone();
    const { figure, objects } = figureFromObject3D(root);
    expect(figure.bones.map(({ joint }) => joint.type)).toEqual(['free', 'ball']);
    const binding = bindFigure(figure, root, { objects });
    const { motion } = motionFromClip(
      binding,
      clipOf(
        new VectorKeyframeTrack('mixamorigHips.position', [0, 1], [0, 1, 0, 0, 1, 2]),
        new QuaternionKeyframeTrack(
          'mixamorigSpine.quaternion',
          [0, 1],
          [0, 0, 0, 1, 0, Math.SQRT1_2, 0, Math.SQRT1_2],
        ),
      ),
    );
    expect([motion.start, motion.end]).toEqual([0, 1]);
  });

  it('says so where a clip moves none of its bones, or a joint has no translation', () => {
    const root = bonesAlone();
    const { figure, objects } = figureFromObject3D(root, { joints: { mixamorigHips: { type: 'ball' } } });
    const binding = bindFigure(figure, root, { objects });
    const other = clipOf(new VectorKeyframeTrack('Pelvis.position', [0, 1], [0, 1, 0, 0, 1, 2]));
    expect(() => motionFromClip(binding, other)).toThrow(/moves no bone.*Pelvis\.position/s);
    const { warnings } = motionFromClip(
      binding,
      clipOf(
        new VectorKeyframeTrack('mixamorigHips.position', [0, 1], [0, 1, 0, 0, 1.5, 0]),
        new QuaternionKeyframeTrack('mixamorigHips.quaternion', [0, 1], [0, 0, 0, 1, 0, 1, 0, 0]),
      ),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/mixamorigHips: its ball joint has no translation.*500 mm/),
    ]);
    expect(() => motionFromClip(binding, {} as AnimationClip)).toThrow(/not an animation clip/);
  });
});

it('a motion of the built-in human plays on its objects', () => {
  const figure = createHumanFigure();
  const { root, objects } = object3DFromFigure(figure);
  const binding = bindFigure(figure, root, { objects });
  const times = [0, 0.5, 1];
  const poses = times.map((t) =>
    Float64Array.from({ length: figure.dof }, (_, i) => 0.1 * Math.sin(i + 3 * t)),
  );
  const clip = clipFromMotion(binding, motionFromPoses(figure, times, poses, { name: 'sway' }));
  expect(clip.name).toBe('sway');
  const at = played(root, clip, binding.objects as Object3D[]);
  const shown = at(0.5);
  binding.writePose(poses[1]);
  root.updateMatrixWorld(true);
  const exact = binding.objects.flatMap((object) =>
    Object.values((object as Object3D).getWorldPosition(new Vector3())),
  );
  expect(
    worst(
      exact,
      shown.filter((_, i) => i % 7 < 3),
    ),
  ).toBeLessThan(1e-6);
});
