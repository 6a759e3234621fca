/** Files with animations for tests, and what three shows of them: world matrices of all nodes. */
import { AnimationMixer, LoopOnce, type Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { build, glb, openGlb, type TestFile } from './build.js';

export interface TestChannel {
  node?: number;
  path: string;
  interpolation?: string;
  times: number[];
  values: number[];
  /** Default FLOAT. */
  componentType?: number;
}

export interface TestAnimation {
  name?: string;
  channels: TestChannel[];
}

/** A GLB of the file with animations, their numbers at the end of its buffer. */
export function animatedGlb(file: TestFile, animations: readonly TestAnimation[]): Uint8Array {
  const { json, binary } = build(file);
  const accessors = [...((json.accessors ?? []) as unknown[])];
  const bufferViews = [...((json.bufferViews ?? []) as unknown[])];
  const chunks: Uint8Array[] = [binary];
  let length = binary.length;
  const add = (numbers: number[], type: string, width: number, componentType: number): number => {
    const array = componentType === 5122 ? new Int16Array(numbers) : new Float32Array(numbers);
    const bytes = Buffer.from(array.buffer);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    accessors.push({
      bufferView: bufferViews.length - 1,
      componentType,
      type,
      count: numbers.length / width,
      ...(componentType === 5122 && { normalized: true }),
      ...(type === 'SCALAR' && { min: [Math.min(...numbers)], max: [Math.max(...numbers)] }),
    });
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    chunks.push(padded);
    length += padded.length;
    return accessors.length - 1;
  };
  const list = animations.map(({ name, channels }) => ({
    ...(name !== undefined && { name }),
    samplers: channels.map(({ path, interpolation, times, values, componentType = 5126 }) => ({
      input: add(times, 'SCALAR', 1, 5126),
      output: add(
        values,
        path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3',
        path === 'rotation' ? 4 : path === 'weights' ? 1 : 3,
        componentType,
      ),
      ...(interpolation !== undefined && { interpolation }),
    })),
    channels: channels.map(({ node, path }, sampler) => ({
      sampler,
      target: { path, ...(node !== undefined && { node }) },
    })),
  }));
  const buffers = [{ byteLength: length }];
  return glb({ ...json, animations: list, accessors, bufferViews, buffers }, Buffer.concat(chunks));
}

/** three's player of one animation: sets the time, then gives a node's world matrix, column by column. */
export async function threeWorlds(
  bytes: Uint8Array,
  animation: number,
): Promise<(t: number) => (node: number) => number[]> {
  const { json, binary } = openGlb(bytes);
  for (const key of ['materials', 'textures', 'images', 'samplers', 'extensionsUsed']) delete json[key];
  for (const mesh of (json.meshes ?? []) as { primitives: { material?: number }[] }[]) {
    for (const primitive of mesh.primitives) delete primitive.material;
  }
  const gltf = await new GLTFLoader().parseAsync(glb(json, binary).buffer as ArrayBuffer, '');
  const clip = gltf.animations[animation];
  const objects = new Map<number, Object3D>();
  gltf.scene.traverse((object) => {
    const index = gltf.parser.associations.get(object)?.nodes;
    if (index !== undefined && !objects.has(index)) objects.set(index, object);
  });
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.setLoop(LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  return (t) => {
    action.reset();
    mixer.setTime(t);
    gltf.scene.updateMatrixWorld(true);
    return (node) => (objects.get(node) as Object3D).matrixWorld.toArray();
  };
}
