export { animatedJoints } from './animated-joints.js';
export {
  type SampleGltfAnimationOptions,
  sampleGltfAnimation,
  type WriteGltfAnimationOptions,
  writeGltfAnimation,
} from './animation.js';
export type { GltfAnimation, GltfAnimationChannel } from './animation-document.js';
export type { GltfAnimationPath, GltfInterpolation } from './animation-player.js';
export type { GltfLeftOut, GltfResidual } from './animation-report.js';
export { boneVertices } from './bone-vertices.js';
export {
  externalUris,
  type GlbChunk,
  type GltfBuffer,
  type GltfDocument,
  type GltfKind,
  type ParseGltfOptions,
  parseGltf,
  type ResourceResolver,
} from './container.js';
export { drawnBones } from './drawn-bones.js';
export type { GltfHierarchy, GltfNode } from './nodes.js';
export { poseNodes } from './pose-nodes.js';
export { jointMatrices, type WritePosedGltfOptions, worldMatrices, writePosedGltf } from './posed.js';
export {
  type GltfAnimationEntry,
  type GltfClip,
  listGltfAnimations,
  type ReadGltfAnimationOptions,
  readGltfAnimation,
} from './read-animation.js';
export {
  type GltfBinding,
  type GltfBoneBinding,
  type GltfRig,
  type ReadGltfRigOptions,
  readGltfRig,
  rigFromDocument,
} from './read-rig.js';
export { type NodeChange, type SerializeGltfOptions, serializeGltf } from './serialize.js';
export type { GltfSkin } from './skins.js';
export { type GltfSummary, summarizeGltf } from './summary.js';
export { vrmHumanoid } from './vrm-humanoid.js';
export { webxrHandParent } from './webxr-hand.js';
export { writeFigureGltf } from './write-figure.js';
