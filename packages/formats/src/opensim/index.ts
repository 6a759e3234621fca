export {
  type IkCoordinateTask,
  type IkMarkerTask,
  type IkSetup,
  type IkTasks,
  type OsimTracking,
  osimTracking,
  readIkSetup,
  readIkTasks,
} from './ik-tasks.js';
export type { OsimCoordinate, OsimJoint, OsimMimic, OsimModel } from './model.js';
export type { ReadOpensimOptions, ReadOsimOptions } from './options.js';
export { readOsim } from './read-osim.js';
export {
  posesFromStorage,
  readStorage,
  type StoragePoses,
  type StorageTable,
  storageFromPoses,
  writeStorage,
} from './storage.js';
