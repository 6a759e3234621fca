/** three.js bindings of Poise: figures from object hierarchies, and poses in and out. */
export { type BindFigureOptions, bindFigure, FigureBinding } from './bind-figure.js';
export {
  type FigureFromObject3DOptions,
  figureFromObject3D,
  type Object3DFigure,
  type PerBone,
} from './figure-from-object3d.js';
export type { FigureRoot } from './hierarchy.js';
export type { ObjectOfBone, ObjectsOfBones } from './match-objects.js';
