export { animatedJoints } from './animation/animated-joints.js';
export type { GltfAnimation, GltfAnimationChannel } from './animation/animation-document.js';
export type { GltfAnimationPath, GltfInterpolation } from './animation/animation-player.js';
export type { GltfResidual, GltfSkippedChannel } from './animation/animation-report.js';
export {
  type GltfAnimationEntry,
  type GltfClip,
  listGltfAnimations,
  type ReadGltfAnimationOptions,
  readGltfAnimation,
} from './animation/read-animation.js';
export type { SampleGltfAnimationOptions } from './animation/sampling.js';
export {
  sampleGltfAnimation,
  type WriteGltfAnimationOptions,
  writeGltfAnimation,
} from './animation/write-animation.js';
export {
  externalUris,
  type GlbChunk,
  type GltfBuffer,
  type GltfDocument,
  type GltfKind,
  type ParseGltfOptions,
  parseGltf,
  type ResourceResolver,
} from './container/container.js';
export { type NodeChange, type SerializeGltfOptions, serializeGltf } from './container/serialize.js';
export { boneVertices } from './mesh/bone-vertices.js';
export { drawnBones } from './mesh/drawn-bones.js';
export type { GltfHierarchy, GltfNode } from './skeleton/nodes.js';
export { poseNodes } from './skeleton/pose-nodes.js';
export {
  type GltfBinding,
  type GltfBoneBinding,
  type GltfRig,
  type ReadGltfRigOptions,
  readGltfRig,
  rigFromDocument,
} from './skeleton/read-rig.js';
export type { GltfSkin } from './skeleton/skins.js';
export {
  jointMatrices,
  type WritePosedGltfOptions,
  worldMatrices,
  writePosedGltf,
} from './skeleton/write-posed.js';
export { type GltfSummary, summarizeGltf } from './summary.js';
export { applyVrmConstraints, type VrmConstraint, vrmConstraints } from './vrm/node-constraints.js';
export { vrmHumanoid } from './vrm-humanoid.js';
export { webxrHandParent } from './webxr-hand.js';
export { writeFigureGltf } from './write-figure.js';
export { type WriteVrmAnimationOptions, writeVrmAnimation } from './write-vrm-animation.js';
