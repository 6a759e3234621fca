/** Written animations, read back by other programs: content of the file, and playback. */
import { Logger, NodeIO } from '@gltf-transform/core';
import { AnimationMixer, LoopOnce, type Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { glb, openGlb } from './build.js';

/** A channel as gltf-transform reads it. */
export interface ReadChannel {
  node: number;
  path: string;
  interpolation: string;
  times: number[];
  values: number[];
}

/** All animations of a GLB: name and channels. */
export async function readAnimations(
  bytes: Uint8Array,
): Promise<{ name: string; channels: ReadChannel[] }[]> {
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  const root = (await io.readBinary(bytes)).getRoot();
  const nodes = root.listNodes();
  return root.listAnimations().map((animation) => ({
    name: animation.getName(),
    channels: animation.listChannels().map((channel) => {
      const sampler = channel.getSampler();
      return {
        node: nodes.indexOf(channel.getTargetNode() as (typeof nodes)[number]),
        path: String(channel.getTargetPath()),
        interpolation: String(sampler?.getInterpolation()),
        times: [...(sampler?.getInput()?.getArray() ?? [])],
        values: [...(sampler?.getOutput()?.getArray() ?? [])],
      };
    }),
  }));
}

/** Value of a channel as the standard says (glTF 2.0, appendix C), apart from the code under test. */
export function playChannel({ path, interpolation, times, values }: ReadChannel, t: number): number[] {
  const n = path === 'rotation' ? 4 : 3;
  const cubic = interpolation === 'CUBICSPLINE';
  const at = (key: number, fraction: number) => {
    const o = cubic ? n * (3 * key + fraction) : n * key;
    return values.slice(o, o + n);
  };
  const unit = (q: number[]) => {
    const length = Math.sqrt(q.reduce((sum, x) => sum + x * x, 0));
    return q.map((x) => x / length);
  };
  const last = times.length - 1;
  if (t <= times[0]) return at(0, 1);
  if (t >= times[last]) return at(last, 1);
  let k = 0;
  while (times[k + 1] <= t) k++;
  const td = times[k + 1] - times[k];
  const u = (t - times[k]) / td;
  const [v0, v1] = [at(k, 1), at(k + 1, 1)];
  if (interpolation === 'STEP') return v0;
  if (cubic) {
    const [b0, a1] = [at(k, 2), at(k + 1, 0)];
    const value = v0.map(
      (_, c) =>
        (2 * u ** 3 - 3 * u ** 2 + 1) * v0[c] +
        td * (u ** 3 - 2 * u ** 2 + u) * b0[c] +
        (-2 * u ** 3 + 3 * u ** 2) * v1[c] +
        td * (u ** 3 - u ** 2) * a1[c],
    );
    return path === 'rotation' ? unit(value) : value;
  }
  if (path !== 'rotation') return v0.map((x, c) => (1 - u) * x + u * v1[c]);
  const d = v0.reduce((sum, x, c) => sum + x * v1[c], 0);
  const a = Math.acos(Math.min(1, Math.abs(d)));
  const s = Math.sign(d);
  if (a < 1e-6) return unit(v0.map((x, c) => (1 - u) * x + u * s * v1[c]));
  return unit(v0.map((x, c) => (Math.sin((1 - u) * a) * x + s * Math.sin(u * a) * v1[c]) / Math.sin(a)));
}

/** three's player of one animation: sets the time, then gives a node's rotation and translation. */
export async function threePlayer(
  bytes: Uint8Array,
  name: string,
): Promise<(t: number) => (node: number) => { rotation: number[]; translation: number[] }> {
  const { json, binary } = openGlb(bytes);
  for (const key of ['materials', 'textures', 'images', 'samplers', 'extensionsUsed']) delete json[key];
  for (const mesh of (json.meshes ?? []) as { primitives: { material?: number }[] }[]) {
    for (const primitive of mesh.primitives) delete primitive.material;
  }
  const gltf = await new GLTFLoader().parseAsync(glb(json, binary).buffer as ArrayBuffer, '');
  const clip = gltf.animations.find((each) => each.name === name);
  if (clip === undefined) throw new Error(`three sees no animation '${name}'`);
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
    return (node) => {
      const object = objects.get(node) as Object3D;
      return { rotation: object.quaternion.toArray(), translation: object.position.toArray() };
    };
  };
}

/** What the standard asks of animations, as far as the JSON and the numbers tell. Gives the breaches, none for a good file. */
export function animationFaults(bytes: Uint8Array): string[] {
  const { json, binary } = openGlb(bytes);
  const faults: string[] = [];
  const list = <T>(key: string) => (json[key] ?? []) as T[];
  const accessors = list<{
    bufferView: number;
    byteOffset?: number;
    componentType: number;
    count: number;
    type: string;
    min?: number[];
    max?: number[];
  }>('accessors');
  const views = list<{ buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }>(
    'bufferViews',
  );
  const nodes = list<{ matrix?: number[] }>('nodes');
  const buffers = list<{ byteLength: number; uri?: string }>('buffers');
  const size: Record<string, number> = { SCALAR: 1, VEC3: 3, VEC4: 4 };
  const numbers = (index: number): number[] => {
    const { bufferView, byteOffset = 0, count, type, componentType } = accessors[index];
    const view = views[bufferView];
    const start = (view.byteOffset ?? 0) + byteOffset;
    if (start % 4 !== 0) faults.push(`accessor ${index} starts at ${start}`);
    if (componentType !== 5126) faults.push(`accessor ${index} is no float`);
    const length = size[type] * count;
    if (byteOffset + 4 * length > view.byteLength) faults.push(`accessor ${index} leaves its view`);
    if ((view.byteOffset ?? 0) + view.byteLength > buffers[view.buffer].byteLength)
      faults.push('view leaves its buffer');
    const { uri } = buffers[view.buffer];
    const data =
      uri === undefined ? (binary as Buffer) : Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
    return Array.from({ length }, (_, k) => data.readFloatLE(start + 4 * k));
  };
  for (const [a, animation] of list<{
    samplers: { input: number; output: number; interpolation?: string }[];
    channels: { sampler: number; target: { node: number; path: string } }[];
  }>('animations').entries()) {
    const targets = new Set<string>();
    if (animation.channels.length === 0 || animation.samplers.length === 0)
      faults.push(`animation ${a} is empty`);
    for (const { sampler, target } of animation.channels) {
      const key = `${target.node} ${target.path}`;
      if (targets.has(key)) faults.push(`animation ${a} moves ${key} twice`);
      targets.add(key);
      if (nodes[target.node]?.matrix !== undefined) faults.push(`node ${target.node} has a matrix and moves`);
      const { input, output, interpolation } = animation.samplers[sampler];
      const times = numbers(input);
      const values = numbers(output);
      const { min, max, type } = accessors[input];
      if (type !== 'SCALAR') faults.push(`times are ${type}`);
      if (min?.[0] !== times[0] || max?.[0] !== times[times.length - 1])
        faults.push(`bounds of accessor ${input}`);
      if (!(times[0] >= 0)) faults.push(`a time of ${times[0]}`);
      if (times.some((t, i) => i > 0 && !(t > times[i - 1])))
        faults.push(`times of accessor ${input} do not rise`);
      const width = target.path === 'rotation' ? 4 : 3;
      const parts = interpolation === 'CUBICSPLINE' ? 3 : 1;
      if (interpolation === 'CUBICSPLINE' && times.length < 2) faults.push('a spline of one key');
      if (values.length !== width * parts * times.length)
        faults.push(`${values.length} values for ${times.length} keys`);
      if (!values.every(Number.isFinite)) faults.push('a value that is none');
      if (target.path !== 'rotation') continue;
      let before: number[] | undefined;
      for (let i = 0; i < times.length; i++) {
        const o = 4 * (parts * i + (parts === 3 ? 1 : 0));
        const q = values.slice(o, o + 4);
        if (Math.abs(Math.hypot(...q) - 1) > 3e-7) faults.push(`a quaternion of length ${Math.hypot(...q)}`);
        if (
          before !== undefined &&
          parts === 3 &&
          q.reduce((sum, x, k) => sum + x * (before as number[])[k], 0) < 0
        ) {
          faults.push('a spline whose quaternions change side');
        }
        before = q;
      }
    }
  }
  return faults;
}

/** Angle between two rotations, rad. */
export function angleBetween(a: readonly number[], b: readonly number[]): number {
  const side = a.reduce((sum, x, k) => sum + x * b[k], 0) < 0 ? -1 : 1;
  const length = Math.hypot(...a);
  return 4 * Math.asin(Math.min(1, Math.hypot(...a.map((x, k) => (side * x) / length - b[k])) / 2));
}
