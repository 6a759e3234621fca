export { readGltfFile, readGltfRigFile } from './read.js';
export { folderResources } from './resources.js';
export { writeFileSafely } from './write.js';
