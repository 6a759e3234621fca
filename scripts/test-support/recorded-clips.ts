/** The recorded clips of the shared data and the characters that they are put on: for the benchmark of retargeting and for its tests. */

/** Of `bvh/`. */
export const BVH_CLIPS = [
  'cmu_01_01_hop_turn',
  'cmu_12_01_walk',
  'cmu_jumping_jacks',
  'fair_jumping',
  'fair_wave_hello',
  'makehuman_walk1',
  'pymo_meredith_walk_high_valence',
  'walk01',
];

/** Of `amc/`: skeleton and clip. */
export const AMC_CLIPS = [
  { skeleton: 'cmu_01', name: 'cmu_01_01' },
  { skeleton: 'cmu_07_walk', name: 'cmu_07_05_walk' },
  { skeleton: 'cmu_09_run', name: 'cmu_09_06_run' },
];

/** Characters; the second has a copy with anatomical limits. */
export const CHARACTERS = [
  'gltf/KayKit_Knight.glb',
  'vrm/cryptovoxels.vrm',
  'gltf/CesiumMan.gltf',
  'gltf/RobotExpressive.glb',
];

/** The unit of the Fair clips is not told: legs become 0.9 m long. */
const FAIR = 0.04;

/** Options of `readBvh` for a clip. */
export function bvhOptions(name: string): { readonly scale: number | 'auto'; readonly fileUpAxis: 'auto' } {
  return { scale: name.startsWith('fair') ? FAIR : 'auto', fileUpAxis: 'auto' };
}
