import { FigureError } from 'poise';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { type FieldsOf, requireFields, requireOneOf, requirePositive } from 'poise/internal/checks';
import { rigid, vec3 } from 'poise/math';
import {
  BoxGeometry,
  type BufferGeometry,
  type ColorRepresentation,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { rememberObjects } from './binding/match-objects.js';
import { leafTip } from './helpers/leaf-tip.js';
import { extentOf } from './helpers/source.js';

/** Options of {@link object3DFromFigure}. */
export interface Object3DFromFigureOptions {
  /** `solid` (default): tubes from joint to joint, a cylinder at each hinge, a box at each slider, a sphere at other joints. */
  readonly shapes?: 'solid' | 'none';
  /** Color of tubes and leaves. */
  readonly color?: ColorRepresentation;
  readonly jointColor?: ColorRepresentation;
  /** Radius of the thickest tubes, m; short links get thinner ones. Default: 2.5 % of the figure's extent. */
  readonly radius?: number;
}

const FIELDS: FieldsOf<Object3DFromFigureOptions> = {
  shapes: true,
  color: true,
  jointColor: true,
  radius: true,
};

/** Objects made for a figure. */
export interface FigureObjects {
  /** Parent of all objects, and the figure's world: move it to move the figure. */
  readonly root: Group;
  /** Object of each bone, by bone name. Add your own meshes to them. */
  readonly objects: ReadonlyMap<string, Object3D>;
  /** Frees geometries and materials, and removes the root from its parent. */
  dispose(): void;
}

/** Largest ratio of a tube's radius to the length of its link. */
const MAX_RADIUS_PER_LENGTH = 0.3;
/** Ratio of a joint shape's radius to that of the tubes at the joint. */
const JOINT_SCALE = 1.3;

/**
 * Creates objects for a figure that has none: one for each bone, with the bone's name and its transform in
 * `createPose(figure)`, and plain shapes on them. For robots from `readUrdf` and for figures from data. `bindFigure(figure,
 * root)` and `FigureSolver` take them like any loaded character. The shapes need light (`MeshStandardMaterial`) and cast
 * shadows. The root is rotated so that the figure's up is the scene's: robots with +Z up stand upright.
 *
 * @throws FigureError for unknown options and a radius that is not positive.
 */
export function object3DFromFigure(figure: Figure, options: Object3DFromFigureOptions = {}): FigureObjects {
  requireFields(options, FIELDS, 'options', FigureError);
  if (options.radius !== undefined) requirePositive(options.radius, 'options.radius', FigureError, 'm');
  requireOneOf(options.shapes ?? 'solid', ['solid', 'none'], 'options.shapes', FigureError);
  const root = new Group();
  root.name = figure.name;
  root.quaternion.setFromUnitVectors(new Vector3(...figure.up), Object3D.DEFAULT_UP);
  const objects = new Map<string, Object3D>();
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const ordered = figure.bones.map(({ index, name, parent }) => {
    const object = new Object3D();
    object.name = name;
    const local = state.parentFromBone.subarray(12 * index, 12 * index + 12);
    object.position.fromArray(rigid.toPosition(local));
    object.quaternion.fromArray(rigid.toQuat(local));
    objects.set(name, object);
    return { object, parent };
  });
  for (const { object, parent } of ordered) (parent < 0 ? root : ordered[parent].object).add(object);
  rememberObjects(figure, objects);
  const free = options.shapes === 'none' ? () => {} : addShapes(figure, objects, options);
  return {
    root,
    objects,
    dispose() {
      root.removeFromParent();
      free();
    },
  };
}

/** Adds the shapes. @returns a function that disposes them. */
function addShapes(
  figure: Figure,
  objects: ReadonlyMap<string, Object3D>,
  { color = '#c9d1d9', jointColor = '#4b5a6c', radius }: Object3DFromFigureOptions,
): () => void {
  const extent = extentOf(figure);
  const thickest = radius ?? 0.025 * extent;
  // Unit size, along +Y: scaled per mesh.
  const cylinder = new CylinderGeometry(1, 1, 1, 32);
  const box = new BoxGeometry(1, 1, 1);
  const ball = new SphereGeometry(1, 24, 16);
  const cone = new ConeGeometry(1, 1, 24);
  const shell = new MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.15 });
  const dark = new MeshStandardMaterial({ color: jointColor, roughness: 0.5, metalness: 0.2 });

  for (const { index, name, joint, parent, rest } of figure.bones) {
    const object = objects.get(name) as Object3D;
    const add = (geometry: BufferGeometry, material: MeshStandardMaterial, axis: readonly number[]): Mesh => {
      const mesh = new Mesh(geometry, material);
      mesh.quaternion.copy(rotationFromY(axis));
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      object.add(mesh);
      return mesh;
    };
    const thickness = (length: number): number => Math.min(thickest, MAX_RADIUS_PER_LENGTH * length);
    let thick = parent < 0 ? 0 : thickness(vec3.norm(rest.position));
    const addLink = (geometry: BufferGeometry, offset: readonly number[]): void => {
      const length = vec3.norm(offset);
      thick = Math.max(thick, thickness(length));
      const mesh = add(geometry, shell, offset);
      mesh.position.set(offset[0] / 2, offset[1] / 2, offset[2] / 2);
      mesh.scale.set(thickness(length), length, thickness(length));
    };
    const children = figure.bones.filter(
      (bone) => bone.parent === index && vec3.norm(bone.rest.position) > 0,
    );
    for (const child of children)
      addLink(isToolFrame(figure, child.index) ? cone : cylinder, child.rest.position);
    if (children.length === 0 && !isToolFrame(figure, index)) {
      const tip = leafTip(figure, index, 0.06 * extent);
      if (tip !== undefined) addLink(cone, tip);
    }
    const jointRadius = JOINT_SCALE * (thick || thickest);
    if (joint.type === 'hinge')
      add(cylinder, dark, joint.axis).scale.set(jointRadius, 2 * jointRadius, jointRadius);
    else if (joint.type === 'slider')
      add(box, dark, joint.axis).scale.set(2 * jointRadius, 2.5 * jointRadius, 2 * jointRadius);
    else if (joint.type !== 'fixed') add(ball, dark, [0, 1, 0]).scale.setScalar(jointRadius);
  }
  return () => {
    for (const one of [cylinder, box, ball, cone, shell, dark]) one.dispose();
  };
}

/** Whether a bone is only a frame on its parent (a tool frame): a cone is drawn to it, and nothing on it. */
function isToolFrame(figure: Figure, bone: number): boolean {
  const { joint, tip, parent } = figure.bones[bone];
  return (
    joint.type === 'fixed' &&
    tip === undefined &&
    parent >= 0 &&
    !figure.bones.some((other) => other.parent === bone)
  );
}

function rotationFromY([x, y, z]: readonly number[]): Quaternion {
  return new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(x, y, z).normalize());
}
