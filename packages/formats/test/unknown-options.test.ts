import { describe, expect, test } from 'vitest';
import * as formats from '../src/index.js';

/** A misspelt option, as a caller without types would give it. Options are checked before the input is read. */
const misspelt = { colour: 1 } as unknown as Record<string, never>;
const bytes = new Uint8Array();
const rig = {} as formats.GltfRig;
const motion = {} as Parameters<typeof formats.sampleGltfAnimation>[1];

const calls: Record<string, () => unknown> = {
  externalUris: () => formats.externalUris(bytes, misspelt),
  parseGltf: () => formats.parseGltf(bytes, misspelt),
  poseFromData: () => formats.poseFromData({} as never, {} as never, misspelt),
  readAmc: () => formats.readAmc('', {} as never, misspelt),
  readAsf: () => formats.readAsf('', misspelt),
  readBvh: () => formats.readBvh('', misspelt),
  readC3d: () => formats.readC3d(bytes, misspelt),
  readGltfAnimation: () => formats.readGltfAnimation(rig, 0, misspelt),
  'readGltfAnimation: tolerance': () => formats.readGltfAnimation(rig, 0, { tolerance: misspelt }),
  readGltfRig: () => formats.readGltfRig(bytes, misspelt),
  readGmrConfig: () => formats.readGmrConfig('', misspelt),
  readIkSetup: () => formats.readIkSetup('', misspelt),
  readIkTasks: () => formats.readIkTasks('', misspelt),
  readMjcf: () => formats.readMjcf('', misspelt),
  readOsim: () => formats.readOsim('', misspelt),
  readPose: () => formats.readPose('', misspelt),
  readRobotMotion: () => formats.readRobotMotion('', misspelt),
  readScene: () => formats.readScene('', misspelt),
  readStorage: () => formats.readStorage('', misspelt),
  readTrc: () => formats.readTrc('', misspelt),
  readUrdf: () => formats.readUrdf('', misspelt),
  rigFromDocument: () => formats.rigFromDocument({} as never, misspelt),
  sampleGltfAnimation: () => formats.sampleGltfAnimation(rig, motion, misspelt),
  'sampleGltfAnimation: tolerance': () => formats.sampleGltfAnimation(rig, motion, { tolerance: misspelt }),
  serializeGltf: () => formats.serializeGltf({} as never, misspelt),
  writeAmc: () => formats.writeAmc({} as never, motion, misspelt),
  writeAsf: () => formats.writeAsf({} as never, misspelt),
  writeBvh: () => formats.writeBvh({} as never, motion, misspelt),
  writeGltfAnimation: () => formats.writeGltfAnimation(rig, [], misspelt),
  writePosedGltf: () => formats.writePosedGltf(rig, [], misspelt),
  writeRobotMotion: () => formats.writeRobotMotion({} as never, misspelt as never),
  writeVrmAnimation: () => formats.writeVrmAnimation({} as never, motion, misspelt),
};

describe('an unknown option is refused, with its path and the options there are', () => {
  test.each(Object.keys(calls))('%s', (name) => {
    expect(calls[name]).toThrow(
      expect.objectContaining({
        code: 'unknown-name',
        path: expect.stringMatching(/^options\..*colour$/),
        remedy: expect.stringMatching(/^The fields are|^Did you mean/),
      }),
    );
  });
});

test('every exported function with options is in this list', () => {
  const names = Object.entries(formats)
    .filter(([, member]) => typeof member === 'function' && /^[^{]*\boptions\b/.test(String(member)))
    .map(([name]) => name);
  expect(names.filter((name) => !(name in calls))).toEqual([]);
  expect(names).not.toHaveLength(0);
});
