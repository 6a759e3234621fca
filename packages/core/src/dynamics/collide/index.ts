/** Collision detection between the shapes of bones and of the world. SI units, world axes. */
export {
  type Actor,
  type Collider,
  type ColliderOptions,
  createCollider,
  createSharedCollider,
} from './collider.js';
export { type Contacts, createContacts } from './contacts.js';
export { findContacts } from './find-contacts.js';
export type {
  BoneShape,
  Box,
  Capsule,
  Heightfield,
  Plane,
  Sphere,
  Surface,
  WorldShape,
} from './shapes/shapes.js';
export type { BoneFrames } from './update-world-shapes.js';
