import { type Bone, Euler } from 'three';

/** Arms down, elbows and knees soft: Euler angles of the left side, rad. */
const LEFT: Readonly<Record<string, readonly [number, number, number]>> = {
  UpperArm: [0.08, 0.1, -1.22],
  LowerArm: [0, -0.28, 0],
};

/** Poses a character made by `createCharacter` at ease. */
export function standAtEase(bones: Readonly<Record<string, Bone>>): void {
  for (const [name, [x, y, z]] of Object.entries(LEFT)) {
    bones[`left${name}`]?.quaternion.setFromEuler(new Euler(x, y, z));
    bones[`right${name}`]?.quaternion.setFromEuler(new Euler(x, -y, -z));
  }
}
