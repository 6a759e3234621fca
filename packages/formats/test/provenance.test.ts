/** Every file of the shared data, in the words of its list: what was counted in each by other programs is what the readers find. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AsfSkeleton,
  listGltfAnimations,
  readAmc,
  readAsf,
  readBvh,
  readGltfRig,
  readIkSetup,
  readIkTasks,
  readMjcf,
  readOsim,
  readStorage,
  readTrc,
  readUrdf,
  summarizeGltf,
  vrmHumanoid,
} from '@poise/formats';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import { expect, test } from 'vitest';

type Counts = Readonly<Record<string, number | string>>;

const list = sharedData('PROVENANCE.md');
/** Files and what the list says of them. */
const FILES = (list === undefined ? '' : readFileSync(list, 'utf8'))
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => /^[a-z]+\/\S+\.\w+$/.test(cells[1] ?? ''))
  .map((cells) => [cells[1], cells[3]] as const);

/** Setups of tools other than inverse kinematics, figures of references, and the parts of MakeHuman: no formats of a reader. */
const NOT_READ = /\.(json|csv|bin|obj|mhskel|mhw)$|_Setup_(Forward|JointReaction|InverseDynamics)\.xml$/;

/** Skeletons of the motions. */
const ASF: Readonly<Record<string, string>> = {
  'amc/cmu_01_01.amc': 'amc/cmu_01.asf',
  'amc/cmu_07_05_walk.amc': 'amc/cmu_07_walk.asf',
  'amc/cmu_09_06_run.amc': 'amc/cmu_09_run.asf',
};

/** Numbers with their words: `56 dofs`. */
function said(text: string, words: readonly string[]): Counts {
  return Object.fromEntries(
    words.map((word) => {
      const found = new RegExp(`([\\d.]+) ${word}`).exec(text);
      return [word, found === null ? 'missing' : Number(found[1])];
    }),
  );
}

describeWithData('files of the shared data', 'PROVENANCE.md', (path) => {
  const folder = dirname(path);
  const bytesOf = (file: string): Buffer => readFileSync(join(folder, file));
  const skeletonOf = (file: string): AsfSkeleton => readAsf(bytesOf(file), { source: file });

  /** What the list says, and what the reader finds. */
  function counts(file: string, text: string): [said: Counts, found: Counts] {
    const options = { source: file };
    const ending = file.replace(/.*\./, '');
    if (ending === 'asf') {
      const [, ...bones] = skeletonOf(file).bones;
      return [
        said(text, ['bones', 'dofs', 'joint-limit blocks']),
        {
          bones: bones.length,
          dofs: bones.reduce((sum, { dof }) => sum + dof.length, 0),
          'joint-limit blocks': bones.filter(({ dof }) => dof.length > 0).length,
        },
      ];
    }
    if (ending === 'amc') {
      const skeleton = skeletonOf(ASF[file]);
      const { frames } = readAmc(bytesOf(file), skeleton, options);
      const values = skeleton.bones.reduce((sum, { dof }) => sum + dof.length, 0);
      return [said(text, ['frames', 'values per frame']), { frames, 'values per frame': values }];
    }
    if (ending === 'bvh') {
      const { layout, frames, frameTime, motion } = readBvh(bytesOf(file), options);
      const duration = frames > 1 ? motion.end : frameTime;
      return [
        { ...said(text, ['joints', 'channels', 'frames']), seconds: said(text, ['s,'])['s,'] },
        {
          joints: layout.joints.length,
          channels: layout.joints.reduce((sum, { channels }) => sum + channels.length, 0),
          frames,
          // The list counts a frame time for each frame; one that is shown after the last frame is no part of the motion.
          seconds: Number((frames > 1 ? duration + frameTime : duration).toFixed(2)),
        },
      ];
    }
    if (/^(glb|gltf|vrm|vrma)$/.test(ending)) {
      const resource = (uri: string): Uint8Array => bytesOf(join(dirname(file), uri));
      const rig = readGltfRig(bytesOf(file), { ...options, resource });
      const { nodes, skins, animations } = summarizeGltf(rig);
      const [first] = listGltfAnimations(rig.document);
      const words = ['nodes', 'animations', ...(first ? ['channels', 'keys'] : [])];
      const isVrm = ending === 'vrm';
      return [
        {
          ...said(text, [...words, ...(isVrm ? ['humanoid bones'] : [])]),
          joints: /\[([\d, ]*)\]/.exec(text)?.[1] ?? 'missing',
          seconds: Number(/([\d.]+) s\)/.exec(text)?.[1] ?? 0),
        },
        {
          nodes,
          animations: animations.length,
          ...(first && { channels: first.channels, keys: first.keys }),
          ...(isVrm && { 'humanoid bones': Object.keys(vrmHumanoid(rig) ?? {}).length }),
          joints: skins.map((skin) => skin.joints).join(', '),
          seconds: Number((first?.end ?? 0).toFixed(3)),
        },
      ];
    }
    if (ending === 'urdf') {
      const { figure, joints } = readUrdf(bytesOf(file), { ...options, mimic: 'free' });
      const all = [...joints.values()];
      const kg = /([\d.]+) kg/.exec(text)?.[1] ?? 'missing';
      const mass = figure.bones.reduce((sum, { mass: own = 0 }) => sum + own, 0);
      const kinds = [...text.matchAll(/'(\w+)': (\d+)/g)].map(([, kind, n]) => [kind, Number(n)] as const);
      return [
        {
          ...said(text, ['links', 'mimic']),
          ...Object.fromEntries(kinds),
          kg: isOf(mass, kg) ? kg : 'missing',
        },
        {
          // A parent that no link declares is a bone too.
          links: figure.bones.length - (text.includes('never declared') ? 1 : 0),
          mimic: all.filter(({ mimic }) => mimic !== undefined).length,
          ...Object.fromEntries(
            kinds.map(([kind]) => [kind, all.filter(({ type }) => type === kind).length]),
          ),
          kg,
        },
      ];
    }
    if (ending === 'osim') {
      const { joints, coordinates, markers } = readOsim(bytesOf(file), options);
      return [
        said(text, ['joints', 'coordinates', 'markers']),
        { joints: joints.size, coordinates: coordinates.size, markers: markers.length },
      ];
    }
    if (/^(mot|sto)$/.test(ending)) {
      const { rows, columns } = readStorage(bytesOf(file), options);
      return [
        said(
          text,
          ['rows', 'columns'].map((word) => (word === 'rows' ? 'rows x' : word)),
        ),
        { 'rows x': rows, columns: columns.length },
      ];
    }
    if (ending === 'trc') {
      const { times, names, rate } = readTrc(bytesOf(file), options);
      return [
        said(text, ['frames', 'markers', 'Hz']),
        { frames: times.length, markers: names.length, Hz: rate },
      ];
    }
    if (text.startsWith('MJCF')) {
      const { figure, joints } = readMjcf(bytesOf(file), { ...options, mimic: 'free' });
      // A further joint of a body moves a bone of its own, which is none of the bodies; the world is no bone.
      const anchors = [...joints.values()].filter(({ bone, body }) => figure.bones[bone].name !== body);
      const free = [...joints.values()].filter(({ type }) => type === 'free').length;
      const isAmp = text.includes('+ free');
      return [
        said(text, ['bodies', isAmp ? 'hinge joints' : 'joints']),
        {
          bodies: figure.bones.length - new Set(anchors.map(({ bone }) => bone)).size,
          [isAmp ? 'hinge joints' : 'joints']: joints.size - (isAmp ? free : 0),
        },
      ];
    }
    // A setup of inverse kinematics, or its tasks: of them the list says nothing, but of what lies beside them.
    const beside = (end: string): readonly [string, string] =>
      FILES.find(([name]) => dirname(name) === dirname(file) && name.endsWith(end)) ?? ['missing', ''];
    if (file.includes('Setup')) {
      const { modelFile, markerFile, taskFile } = readIkSetup(bytesOf(file), options);
      const [model, markers, tasks] = ['.osim', '.trc', '_Tasks_uniform.xml'].map((end) => beside(end)[0]);
      const path = (name?: string): string => join(dirname(file), name ?? 'none');
      return [
        { model, markers, tasks },
        { model: path(modelFile), markers: path(markerFile), tasks: path(taskFile) },
      ];
    }
    return [
      said(beside('.trc')[1], ['markers']),
      { markers: readIkTasks(bytesOf(file), options).markers.length },
    ];
  }

  test('that no reader is for have other endings, or are setups of other tools', () => {
    expect(FILES.length).toBeGreaterThan(100);
    const endings = FILES.filter(([file]) => NOT_READ.test(file)).map(([file]) => file.replace(/.*\./, ''));
    expect([...new Set(endings)].sort()).toEqual(['bin', 'csv', 'json', 'mhskel', 'mhw', 'obj', 'xml']);
    expect(endings.filter((ending) => ending === 'xml')).toHaveLength(3);
  });

  test.each(FILES.filter(([file]) => !NOT_READ.test(file)))('%s: %s', (file, text) => {
    const [expected, found] = counts(file, text);
    expect(found).toEqual(expected);
  });
});

/** Whether a number is one of the list, to its last digit, which some were rounded down to. */
function isOf(value: number, text: string): boolean {
  const digits = text.split('.')[1]?.length ?? 0;
  return Math.abs(value - Number(text)) < 10 ** -digits;
}
