import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  Bone,
  BufferGeometry,
  CatmullRomCurve3,
  Color,
  Float32BufferAttribute,
  Group,
  Mesh,
  MeshStandardMaterial,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  Uint16BufferAttribute,
  Vector3,
} from 'three';
import { type Section, type Tube, tubes } from './body.js';

export interface Character {
  readonly figure: Figure;
  /** Parent of the bones and the mesh: move it to move the character. */
  readonly root: Group;
  readonly mesh: SkinnedMesh;
  /** By name. */
  readonly bones: Readonly<Record<string, Bone>>;
}

/** Rings between two sections, and points of a ring. */
const BETWEEN = 4;
const AROUND = 24;
const CAP = 5;

/**
 * A smooth mannequin with one skin over the bones of a human figure, made in code, equivalent to a loaded character.
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
  const geometry = skin(figure);
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.66 }));
  mesh.name = 'body';
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  root.add(mesh);
  if (!figure.bones.some(({ name }) => name === 'leftEye'))
    for (const x of [-1, 1]) bones.head?.add(eye(x, statureOf(figure) / 1.75));
  mesh.bind(new Skeleton(figure.bones.map(({ name }) => bones[name])));
  return { figure, root, mesh, bones };
}

/** A plain eye, for characters without eye bones. */
function eye(side: number, scale: number): Mesh {
  const ball = new Mesh(
    new SphereGeometry(0.0095, 20, 14),
    new MeshStandardMaterial({ color: '#2b3645', roughness: 0.35 }),
  );
  ball.position.set(0.031 * side, 0.066, 0.0945).multiplyScalar(scale);
  ball.scale.set(scale, scale, 0.5 * scale);
  return ball;
}

interface Skin {
  readonly positions: number[];
  readonly colors: number[];
  readonly bones: number[];
  readonly weights: number[];
  readonly indices: number[];
}

/** Tubes over elliptical sections, each vertex with up to four bone weights. */
function skin(figure: Figure): BufferGeometry {
  const out: Skin = { positions: [], colors: [], bones: [], weights: [], indices: [] };
  const indexOf = new Map(figure.bones.map(({ name, index }) => [name, index]));
  // Sections are given for a stature of 1.75 m.
  const scale = statureOf(figure) / 1.75;
  for (const tube of tubes) addTube(out, tube, scale, indexOf);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(out.positions, 3));
  geometry.setAttribute('color', new Float32BufferAttribute(out.colors, 3));
  geometry.setAttribute('skinIndex', new Uint16BufferAttribute(out.bones, 4));
  geometry.setAttribute('skinWeight', new Float32BufferAttribute(out.weights, 4));
  geometry.setIndex(out.indices);
  geometry.computeVertexNormals();
  return geometry;
}

function statureOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const head = figure.bones.find(({ name }) => name === 'head');
  return head === undefined ? 1.75 : state.worldFromBone[12 * head.index + 10] + (head.tip?.[1] ?? 0);
}

interface Ring {
  readonly at: Vector3;
  readonly a: number;
  readonly b: number;
  /** Weight by bone name. */
  readonly weights: Readonly<Record<string, number>>;
}

function addTube(
  out: Skin,
  { sections, side, color: name, caps = [0.8, 0.8] }: Tube,
  scale: number,
  indexOf: ReadonlyMap<string, number>,
): void {
  const color = new Color(name);
  const rings = withCaps(interpolated(sections), caps);
  const axis = rings[rings.length - 1].at.clone().sub(rings[0].at).normalize();
  const s = new Vector3(...side);
  s.addScaledVector(axis, -s.dot(axis)).normalize();
  const t = new Vector3().crossVectors(axis, s);
  const first = out.positions.length / 3;
  for (const { at, a, b, weights } of rings) {
    const four = Object.entries(weights)
      .filter(([, weight]) => weight > 0)
      .sort(([, x], [, y]) => y - x)
      .slice(0, 4);
    const sum = four.reduce((total, [, weight]) => total + weight, 0);
    for (let k = 0; k < AROUND; k++) {
      const u = a * Math.cos((2 * Math.PI * k) / AROUND);
      const v = b * Math.sin((2 * Math.PI * k) / AROUND);
      out.positions.push(
        scale * (at.x + u * s.x + v * t.x),
        scale * (at.y + u * s.y + v * t.y),
        scale * (at.z + u * s.z + v * t.z),
      );
      out.colors.push(color.r, color.g, color.b);
      for (let n = 0; n < 4; n++) {
        out.bones.push(n < four.length ? (indexOf.get(four[n][0]) ?? 0) : 0);
        out.weights.push(n < four.length ? four[n][1] / sum : 0);
      }
    }
  }
  for (let r = 0; r + 1 < rings.length; r++) {
    for (let k = 0; k < AROUND; k++) {
      const p = first + r * AROUND + k;
      const q = first + r * AROUND + ((k + 1) % AROUND);
      out.indices.push(p, q, p + AROUND, q, q + AROUND, p + AROUND);
    }
  }
}

/** Smoothly interpolated sections. */
function interpolated(sections: readonly Section[]): Ring[] {
  const centres = smooth(sections.map(({ at }) => new Vector3(...at)));
  const widths = smooth(sections.map(({ a, b }) => new Vector3(a, b, 0)));
  const count = (sections.length - 1) * BETWEEN;
  return Array.from({ length: count + 1 }, (_, k) => {
    const { x, y } = widths.getPoint(k / count);
    const n = Math.min(sections.length - 2, Math.floor(k / BETWEEN));
    const share = k / BETWEEN - n;
    const weights: Record<string, number> = {};
    for (const [section, fraction] of [
      [sections[n], 1 - share],
      [sections[n + 1], share],
    ] as const) {
      for (const [bone, weight] of Object.entries(section.weights)) {
        weights[bone] = (weights[bone] ?? 0) + fraction * weight;
      }
    }
    return { at: centres.getPoint(k / count), a: x, b: y, weights };
  });
}

function smooth(points: Vector3[]): CatmullRomCurve3 {
  return new CatmullRomCurve3(points, false, 'catmullrom', 0.5);
}

/** Half an ellipsoid at each end, closed in a point. */
function withCaps(rings: readonly Ring[], caps: readonly [number, number]): Ring[] {
  const cap = (ring: Ring, next: Ring, share: number): Ring[] => {
    const out = ring.at.clone().sub(next.at).normalize();
    return Array.from({ length: CAP }, (_, k) => {
      const angle = ((k + 1) / CAP) * (Math.PI / 2);
      const depth = share * Math.min(ring.a, ring.b) * Math.sin(angle);
      const size = Math.max(1e-4, Math.cos(angle));
      return { ...ring, at: ring.at.clone().addScaledVector(out, depth), a: ring.a * size, b: ring.b * size };
    });
  };
  const last = rings.length - 1;
  return [
    ...cap(rings[0], rings[1], caps[0]).reverse(),
    ...rings,
    ...cap(rings[last], rings[last - 1], caps[1]),
  ];
}
