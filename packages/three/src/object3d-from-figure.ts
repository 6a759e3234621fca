import { FigureError } from 'poise';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
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
import { checkFields, checkWord, type FieldsOf } from './binding/validate-options.js';
import { leafTip } from './helpers/leaf-tip.js';
import { extentOf } from './helpers/source.js';

/** Options of {@link object3DFromFigure}. */
export interface Object3DFromFigureOptions {
  /** `solid` (default): tubes from joint to joint, a drum at each hinge, a box at each slider, a ball at joints that turn all ways. */
  readonly shapes?: 'solid' | 'none';
  /** Of tubes and leaves. */
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
  /** Stands above all objects, and is the figure's world: move it to move the figure. */
  readonly root: Group;
  /** Object of each bone, by bone name. Hang meshes of your own on them. */
  readonly objects: ReadonlyMap<string, Object3D>;
  /** Frees geometries and materials, and takes the root out of its parent. */
  dispose(): void;
}

/** Radius of a tube over the length of its link, at most. */
const SLENDER = 0.3;
/** Of a drum or ball over that of the tubes at it. */
const BULGE = 1.3;

/**
 * Objects for a figure that has none: one for each bone, under its name, where the bone stands in `createPose(figure)`, with plain shapes on
 * them. For robots from `readUrdf` and for figures from data. `bindFigure(figure, root)` and
 * `FigureSolver` take it like any loaded character. The shapes want light (`MeshStandardMaterial`) and cast shadows.
 *
 * @throws FigureError for options that there are not.
 */
export function object3DFromFigure(figure: Figure, options: Object3DFromFigureOptions = {}): FigureObjects {
  checkFields(options, FIELDS, 'options', FigureError);
  checkWord(options.shapes ?? 'solid', ['solid', 'none'], 'options.shapes', FigureError);
  const root = new Group();
  root.name = figure.name;
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

/** Adds the shapes. @returns what frees them. */
function addShapes(
  figure: Figure,
  objects: ReadonlyMap<string, Object3D>,
  { color = '#c9d1d9', jointColor = '#4b5a6c', radius }: Object3DFromFigureOptions,
): () => void {
  const extent = extentOf(figure);
  const thickest = radius ?? 0.025 * extent;
  // Of size one, along +Y: each is scaled where it hangs.
  const drum = new CylinderGeometry(1, 1, 1, 32);
  const box = new BoxGeometry(1, 1, 1);
  const ball = new SphereGeometry(1, 24, 16);
  const cone = new ConeGeometry(1, 1, 24);
  const shell = new MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.15 });
  const dark = new MeshStandardMaterial({ color: jointColor, roughness: 0.5, metalness: 0.2 });

  for (const { index, name, joint, parent, rest } of figure.bones) {
    const object = objects.get(name) as Object3D;
    const add = (geometry: BufferGeometry, material: MeshStandardMaterial, axis: readonly number[]): Mesh => {
      const mesh = new Mesh(geometry, material);
      mesh.quaternion.copy(turnFromY(axis));
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      object.add(mesh);
      return mesh;
    };
    const thickness = (length: number): number => Math.min(thickest, SLENDER * length);
    let thick = parent < 0 ? 0 : thickness(vec3.norm(rest.position));
    const addWay = (geometry: BufferGeometry, way: readonly number[]): void => {
      const length = vec3.norm(way);
      thick = Math.max(thick, thickness(length));
      const mesh = add(geometry, shell, way);
      mesh.position.set(way[0] / 2, way[1] / 2, way[2] / 2);
      mesh.scale.set(thickness(length), length, thickness(length));
    };
    const children = figure.bones.filter(
      (bone) => bone.parent === index && vec3.norm(bone.rest.position) > 0,
    );
    for (const child of children) addWay(isToolFrame(figure, child.index) ? cone : drum, child.rest.position);
    if (children.length === 0 && !isToolFrame(figure, index)) {
      const tip = leafTip(figure, index, 0.06 * extent);
      if (tip !== undefined) addWay(cone, tip);
    }
    const bulge = BULGE * (thick || thickest);
    if (joint.type === 'hinge') add(drum, dark, joint.axis).scale.set(bulge, 2 * bulge, bulge);
    else if (joint.type === 'slider') add(box, dark, joint.axis).scale.set(2 * bulge, 2.5 * bulge, 2 * bulge);
    else if (joint.type !== 'fixed') add(ball, dark, [0, 1, 0]).scale.setScalar(bulge);
  }
  return () => {
    for (const one of [drum, box, ball, cone, shell, dark]) one.dispose();
  };
}

/** Whether a bone is no more than a place on the one above it: a point is drawn to it, and nothing on it. */
function isToolFrame(figure: Figure, bone: number): boolean {
  const { joint, tip, parent } = figure.bones[bone];
  return (
    joint.type === 'fixed' &&
    tip === undefined &&
    parent >= 0 &&
    !figure.bones.some((other) => other.parent === bone)
  );
}

function turnFromY([x, y, z]: readonly number[]): Quaternion {
  return new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(x, y, z).normalize());
}
