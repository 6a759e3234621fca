export { readBvhFile, readBytes, readGltfFile, readGltfRigFile, readUrdfFile } from './read.js';
export { folderResources } from './resources.js';
export { fileIdentity, type WriteFileOptions, writeFileSafely } from './write.js';
