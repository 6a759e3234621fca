import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { createHumanFigure } from 'poise/humanoid';
import { type AnimationClip, AnimationMixer, Group, type Object3D, type SkinnedMesh, Vector3 } from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import type { GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import {
  bindFigure,
  ClipRetargeter,
  figureFromObject3D,
  object3DFromFigure,
  type SolePoint,
  writeBindPose,
} from '../../src/index.js';
import { loadRig } from '../load-rig.js';

/**
 * What three shows of soles as it plays a clip: the places of their points in the world, m, three numbers each, then the height of the lowest vertex of each point's
 * foot with its toes; a list for each time.
 */
function played(
  root: Object3D,
  clip: AnimationClip,
  soles: readonly SolePoint[],
  times: Iterable<number>,
): number[][] {
  const vertices = soles.map(({ object }) => verticesOf(root, object));
  const mixer = new AnimationMixer(root);
  const action = mixer.clipAction(clip).play();
  const out = Array.from(times, (time) => {
    action.time = time;
    mixer.update(0);
    root.updateMatrixWorld(true);
    const places = soles.flatMap(({ object, position }) => object.localToWorld(position.clone()).toArray());
    const lowest = vertices.map((list) =>
      list.reduce((least, { mesh, index }) => {
        mesh.getVertexPosition(index, vertex).applyMatrix4(mesh.matrixWorld);
        return Math.min(least, vertex.y);
      }, Number.POSITIVE_INFINITY),
    );
    return [...places, ...lowest];
  });
  mixer.stopAllAction();
  return out;
}

const vertex = new Vector3();

/** The vertices of skins that follow a bone, or one below it, most. */
function verticesOf(
  root: Object3D,
  bone: Object3D,
): { readonly mesh: SkinnedMesh; readonly index: number }[] {
  const out: { mesh: SkinnedMesh; index: number }[] = [];
  const below = new Set<Object3D>();
  bone.traverse((object) => below.add(object));
  root.traverse((object) => {
    if (!('isSkinnedMesh' in object)) return;
    const mesh = object as SkinnedMesh;
    const { skinIndex, skinWeight, position } = mesh.geometry.attributes;
    for (let index = 0; index < position.count; index++) {
      const weights = [0, 1, 2, 3].map((k) => skinWeight.getComponent(index, k));
      const most = weights.indexOf(Math.max(...weights));
      if (below.has(mesh.skeleton.bones[skinIndex.getComponent(index, most)])) out.push({ mesh, index });
    }
  });
  return out;
}

/** All numbers of objects, meshes and clips, to the bit. */
function numbersOf(root: Object3D, clips: readonly AnimationClip[]): number[] {
  const out: number[] = [];
  root.traverse((object) => {
    const { position: p, quaternion: q, scale: s } = object;
    out.push(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z, ...object.matrixWorld.elements);
    const { geometry, skeleton } = object as SkinnedMesh;
    for (const attribute of Object.values(geometry?.attributes ?? {})) out.push(...attribute.array);
    for (const inverse of skeleton?.boneInverses ?? []) out.push(...inverse.elements);
  });
  for (const { tracks } of clips) for (const { times, values } of tracks) out.push(...times, ...values);
  return out;
}

describeWithData('a recorded clip on a character from a file', 'bvh', (folder) => {
  const walk = async () => new BVHLoader().parse(await readFile(`${folder}/cmu_12_01_walk.bvh`, 'utf8'));
  const rig = async (file: string): Promise<GLTF> => {
    const loaded = await loadRig(await readFile(`${folder}/../${file}`));
    loaded.scene.updateMatrixWorld(true);
    return loaded;
  };

  it.each([
    'gltf/KayKit_Knight.glb',
    'gltf/CesiumMan.gltf',
    'gltf/RobotExpressive.glb',
    'vrm/cryptovoxels.vrm',
  ])(
    '%s: soles stay where three shows them, as the report says, and nothing given is changed',
    async (file) => {
      const { skeleton, clip } = await walk();
      const { scene, animations } = await rig(file);
      const [source] = skeleton.bones;
      source.updateMatrixWorld(true);
      const before = [numbersOf(source, [clip]), numbersOf(scene, animations)];
      const retargeter = new ClipRetargeter(source, scene, { anatomicalLimits: false });
      const result = retargeter.retarget(clip);
      expect([numbersOf(source, [clip]), numbersOf(scene, animations)]).toEqual(before);

      const { report } = result;
      expect(result.clip.duration).toBeCloseTo(clip.duration, 6);
      expect(report.summary.contactsKept).toBe(1);
      const frames = played(scene, result.clip, retargeter.targetSoles, report.times);
      let contacts = 0;
      retargeter.targetSoles.forEach(({ foot, point }, n) => {
        const contact = report.contacts.find(
          (one) => 'foot' in one && one.foot === foot && one.point === point,
        );
        for (const [from, to] of contact?.spans ?? []) {
          contacts++;
          for (let f = from; f <= to; f++) {
            const [x, y, z] = [0, 1, 2].map((k) => frames[f][3 * n + k] - frames[from][3 * n + k]);
            expect(1000 * Math.hypot(x, z)).toBeCloseTo(contact?.sliding[f] as number, 1);
            const lowest = frames[f][3 * retargeter.targetSoles.length + n];
            // A foot that rolls onto its toes lifts the point below their joint, and stands on what is ahead of it.
            if (point === 'ball' && Number.isFinite(lowest)) expect(1000 * Math.abs(lowest)).toBeLessThan(5);
            else expect(1000 * Math.abs(y)).toBeLessThan(5);
          }
        }
      });
      expect(contacts).toBeGreaterThan(5);
      // It walks: the source goes four metres.
      const { scale } = retargeter.retargeter;
      const wayOf = (list: number[][]): number => Math.hypot(...[0, 2].map((k) => list[1][k] - list[0][k]));
      const [way, sourceWay] = [
        played(scene, result.clip, retargeter.targetSoles, [0, clip.duration]),
        played(source, clip, retargeter.sourceSoles, [0, clip.duration]),
      ].map(wayOf);
      expect(way / (scale * sourceWay)).toBeCloseTo(1, 1);
    },
  );

  it('takes the bind pose of skins, whatever pose the objects are in', async () => {
    const { skeleton, clip } = await walk();
    const rested = await rig('gltf/KayKit_Knight.glb');
    const posed = await rig('gltf/KayKit_Knight.glb');
    const mixer = new AnimationMixer(posed.scene);
    mixer.clipAction(posed.animations[5]).play();
    mixer.update(0.2);
    posed.scene.updateMatrixWorld(true);
    const before = numbersOf(posed.scene, []);
    const [a, b] = [rested, posed].map(({ scene }) => new ClipRetargeter(skeleton.bones[0], scene));
    expect(numbersOf(posed.scene, [])).toEqual(before);
    const restore = writeBindPose(posed.scene);
    expect(numbersOf(posed.scene, [])).not.toEqual(before);
    const figures = [rested, posed].map(({ scene }) => figureFromObject3D(scene).figure);
    restore?.();
    expect(numbersOf(posed.scene, [])).toEqual(before);
    for (const { index, rest } of figures[0].bones)
      expect(
        Math.hypot(...rest.position.map((x, k) => x - figures[1].bones[index].rest.position[k])),
      ).toBeLessThan(1e-3);
    for (const { index, rest } of a.target.figure.bones) {
      const other = b.target.figure.bones[index].rest;
      if (!a.retargeter.bones.some(({ target }) => target === index)) continue;
      for (let k = 0; k < 3; k++) expect(other.position[k]).toBeCloseTo(rest.position[k], 3);
      const dot = rest.rotation.reduce((sum, x, k) => sum + x * other.rotation[k], 0);
      expect(Math.abs(dot)).toBeGreaterThan(1 - 1e-6);
    }
    // And as a source: its own clips from either.
    const own = [rested, posed].map(({ scene, animations }) =>
      new ClipRetargeter(scene, object3DFromFigure(createHumanFigure()).root).retarget(animations[5]),
    );
    expect(own[1].report.summary.frames).toBe(own[0].report.summary.frames);
    expect(own[1].report.summary.meanOrientationError).toBeCloseTo(
      own[0].report.summary.meanOrientationError,
      1,
    );
    expect(clip.duration).toBeGreaterThan(2);
  });

  it('takes a character 100 to 250 units tall for one in centimetres, and says so', async () => {
    const { skeleton, clip } = await walk();
    const metric = await rig('gltf/CesiumMan.gltf');
    const large = new Group();
    large.scale.setScalar(100);
    large.add((await rig('gltf/CesiumMan.gltf')).scene);
    large.updateMatrixWorld(true);
    const [a, b] = [metric.scene, large].map((root) => new ClipRetargeter(skeleton.bones[0], root));
    expect(a.warnings).toEqual([]);
    expect(b.warnings).toEqual([expect.stringMatching(/target: is 1\d\d units tall.*centimetres/)]);
    const [one, other] = [a, b].map((retargeter) => retargeter.retarget(clip));
    expect(other.report.summary.maxSliding).toBeCloseTo(one.report.summary.maxSliding, 3);
    const [small, big] = [
      played(metric.scene, one.clip, a.targetSoles, [0, 1, 2]),
      played(large, other.clip, b.targetSoles, [0, 1, 2]),
    ];
    small.flat().forEach((x, i) => {
      expect(big.flat()[i]).toBeCloseTo(100 * x, 1);
    });
  });

  it('follows the source live, one frame at a time', async () => {
    const { skeleton, clip } = await walk();
    const { scene } = await rig('gltf/CesiumMan.gltf');
    const [source] = skeleton.bones;
    const retargeter = new ClipRetargeter(source, scene, { anatomicalLimits: false });
    const { clip: whole, report } = retargeter.retarget(clip);
    const mixer = new AnimationMixer(source);
    mixer.clipAction(clip).play();
    const frames = Array.from(report.times.slice(0, -1), (_, f) => {
      const seconds = f === 0 ? 0 : report.times[1] - report.times[0];
      mixer.update(seconds);
      retargeter.update(seconds);
      scene.updateMatrixWorld(true);
      return retargeter.targetSoles.map(({ object, position }) => object.localToWorld(position.clone()));
    });
    // About where the clip has them that was made with look-ahead.
    const wanted = played(scene, whole, retargeter.targetSoles, report.times.slice(0, -1));
    const gaps = frames.flatMap((soles, f) =>
      soles.map((sole, n) => sole.distanceTo(new Vector3().fromArray(wanted[f], 3 * n))),
    );
    expect(Math.max(...gaps)).toBeLessThan(0.1);
    const way = frames[frames.length - 1][0].distanceTo(frames[0][0]);
    expect(way).toBeGreaterThan(2);
    expect(() => retargeter.update(Number.NaN)).toThrow(/seconds/);
  });

  it('moves a binding whose figure has no free joint at its hips, within its own limits', async () => {
    const { skeleton, clip } = await walk();
    const { scene } = await rig('gltf/CesiumMan.gltf');
    const { figure, objects } = figureFromObject3D(scene, { joints: () => ({ type: 'ball' }) });
    const retargeter = new ClipRetargeter(skeleton.bones[0], bindFigure(figure, scene, { objects }));
    expect(retargeter.target.figure).toBe(retargeter.retargeter.target);
    expect(retargeter.target.figure).not.toBe(figure);
    expect(retargeter.retarget(clip).report.summary.contactsKept).toBe(1);
  });
});

describe('what is no pair of humans', () => {
  it('is refused with what to do', () => {
    const human = object3DFromFigure(createHumanFigure()).root;
    const lamp = object3DFromFigure(
      figureFromObject3D(new Group().add(new Group(), new Group())).figure,
    ).root;
    expect(() => new ClipRetargeter(lamp, human)).toThrow(/source.*not recognised.*sourceBones/s);
    expect(() => new ClipRetargeter(human, lamp, { anatomicalLimits: false })).toThrow(/targetBones/);
    expect(() => new ClipRetargeter(human, { scene: human } as never)).toThrow(/target.*gltf\.scene/s);
    expect(() => new ClipRetargeter(human, human, { limits: false } as never)).toThrow(/limits/);
    expect(() => new ClipRetargeter(human, human, { targetUnit: 0 })).toThrow(/targetUnit/);
    const retargeter = new ClipRetargeter(human, human);
    expect(() => retargeter.retarget({} as AnimationClip)).toThrow(/not an animation clip/);
    expect(() => retargeter.retarget(undefined as unknown as AnimationClip)).toThrow(/not an animation clip/);
    expect(retargeter.targetSoles.map(({ position }) => position instanceof Vector3)).toHaveLength(4);
  });
});
