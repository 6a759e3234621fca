import type { Figure } from 'poise/figure';
import {
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  Vector3,
} from 'three';

const SHELL = new MeshStandardMaterial({ color: '#c9d1d9', roughness: 0.45, metalness: 0.15 });
const JOINT = new MeshStandardMaterial({ color: '#4b5a6c', roughness: 0.5, metalness: 0.2 });
const TOOL = new MeshStandardMaterial({ color: '#2f66d0', roughness: 0.5 });
const UP = new Vector3(0, 1, 0);

/** One object a bone, with the bone's name and a plain shape: a cylinder at each hinge and a tube to the next. */
export function createArm(figure: Figure): Group {
  const root = new Group();
  root.name = figure.name;
  const objects: Object3D[] = [];
  for (const { index, name, parent, rest, joint } of figure.bones) {
    const object = new Object3D();
    object.name = name;
    object.position.set(...rest.position);
    object.quaternion.set(...rest.rotation);
    (parent < 0 ? root : objects[parent]).add(object);
    objects.push(object);
    const size = 0.062 - 0.005 * index;
    if (joint.type === 'hinge') {
      const drum = new Mesh(new CylinderGeometry(size, size, 2.1 * size, 36), JOINT);
      drum.quaternion.copy(new Quaternion().setFromUnitVectors(UP, new Vector3(...joint.axis)));
      object.add(drum);
    }
    const children = figure.bones.filter((bone) => bone.parent === index);
    for (const child of children) {
      const end = new Vector3(...child.rest.position);
      // The last link ends at the tool's own shape.
      if (child.joint.type === 'fixed') end.setLength(Math.max(1e-3, end.length() - 0.08));
      object.add(tube(end, 0.8 * size));
    }
    if (parent < 0) object.add(pedestal());
    if (children.length === 0) object.add(tip());
  }
  root.traverse((object) => {
    object.castShadow = true;
    object.receiveShadow = true;
  });
  return root;
}

function tube(end: Vector3, radius: number): Mesh {
  const length = end.length();
  const mesh = new Mesh(new CapsuleGeometry(radius, Math.max(1e-3, length), 8, 28), SHELL);
  mesh.position.copy(end).multiplyScalar(0.5);
  mesh.quaternion.setFromUnitVectors(UP, end.clone().normalize());
  return mesh;
}

function pedestal(): Mesh {
  return new Mesh(
    new CylinderGeometry(0.11, 0.13, 0.05, 48).rotateX(Math.PI / 2).translate(0, 0, 0.025),
    JOINT,
  );
}

/** The tool points along +z and ends at its own origin. */
function tip(): Mesh {
  return new Mesh(new ConeGeometry(0.022, 0.08, 28).rotateX(Math.PI / 2).translate(0, 0, -0.04), TOOL);
}
