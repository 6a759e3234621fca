export { readBvhFile, readBytes, readGltfFile, readGltfRigFile, readUrdfFile } from './read.js';
export { folderResources } from './resources.js';
export { writeFileSafely } from './write.js';
