import { type BoneShape, boneShape, JOINT_COLOR, SKIN_COLOR } from '@poise/studio/body-shapes';
import { loft } from '@poise/studio/loft';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  Bone,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  type Matrix4,
  MeshStandardMaterial,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  Uint16BufferAttribute,
} from 'three';

export interface Character {
  readonly figure: Figure;
  /** Parent of the bones and the mesh: move it to move the character. */
  readonly root: Group;
  readonly mesh: SkinnedMesh;
  /** By name. */
  readonly bones: Readonly<Record<string, Bone>>;
}

/**
 * The mannequin of the studio with one skin over the bones of a human figure, made in code, equivalent to a loaded character.
 *
 * @param figure - The built-in human, or one with more bones.
 */
export function createCharacter(figure: Figure = createHumanFigure()): Character {
  const root = new Group();
  root.name = 'character';
  const bones: Record<string, Bone> = {};
  for (const { name, parent, rest } of figure.bones) {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...rest.position);
    bone.quaternion.set(...rest.rotation);
    (parent < 0 ? root : bones[figure.bones[parent].name]).add(bone);
    bones[name] = bone;
  }
  root.updateMatrixWorld(true);
  const geometry = skin(
    figure.bones.map(({ name }) => bones[name]),
    statureOf(figure),
  );
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.62 }));
  mesh.name = 'body';
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  root.add(mesh);
  mesh.bind(new Skeleton(figure.bones.map(({ name }) => bones[name])));
  return { figure, root, mesh, bones };
}

/** The shapes of all bones at rest in one geometry, each with the weight 1 of its bone. */
function skin(bones: readonly Bone[], stature: number): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  const colors: number[] = [];
  const owners: number[] = [];
  const indices: number[] = [];
  const add = (solid: BufferGeometry, color: Color, toBody: Matrix4, bone: number) => {
    solid.applyMatrix4(toBody);
    const first = positions.length / 3;
    const { position, normal } = solid.attributes;
    positions.push(...position.array);
    normals.push(...normal.array);
    for (let k = 0; k < position.count; k++) {
      colors.push(color.r, color.g, color.b);
      owners.push(bone, 0, 0, 0);
    }
    for (const k of solid.index?.array ?? []) indices.push(first + k);
    solid.dispose();
  };
  bones.forEach(({ name, matrixWorld }, bone) => {
    for (const { solid, isJoint } of solids(boneShape(name))) {
      add(solid.scale(stature, stature, stature), isJoint ? JOINT : SKIN, matrixWorld, bone);
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(colors, 3));
  geometry.setAttribute('skinIndex', new Uint16BufferAttribute(owners, 4));
  const weights = owners.map((_, k) => (k % 4 === 0 ? 1 : 0));
  geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
  geometry.setIndex(indices);
  return geometry;
}

const SKIN = new Color(SKIN_COLOR);
const JOINT = new Color(JOINT_COLOR);

/** Of a bone, in its frame, in fractions of stature. */
function solids({ parts = [], dark = [], balls = [] }: BoneShape): {
  readonly solid: BufferGeometry;
  readonly isJoint: boolean;
}[] {
  return [
    ...[...parts, ...dark].map(({ stations, side, squareness, caps }, k) => ({
      solid: loft(stations, side, squareness, caps),
      isJoint: k >= parts.length,
    })),
    ...balls.map(({ at, radius }) => ({
      solid: new SphereGeometry(radius, 26, 16).translate(...at),
      isJoint: true,
    })),
  ];
}

/** Height of a human figure at rest, m. */
export function statureOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const head = figure.bones.find(({ name }) => name === 'head');
  return head === undefined ? 1.75 : state.worldFromBone[12 * head.index + 10] + (head.tip?.[1] ?? 0);
}
