/** Arms and their target in three.js, four views on one canvas. */
import * as THREE from 'three';
import { onColor } from '../shared/page.js';
import { type Arm, framesOf } from './model/arm.js';
import type { DraggedFigure } from './model/figures.js';
import type { Target } from './model/path.js';

const LINK_COLOR = 0x5b8def;
const JOINT_COLOR = 0x233044;
const TARGET_COLOR = 0xd9822b;

export interface ArmView {
  readonly group: THREE.Group;
  show(arm: Arm): void;
  /** Removes it from the scene and frees its GPU resources. */
  dispose(): void;
}

/** A body for each link and a ball for each joint; a plate shows the orientation of the hand. */
export function createArmView({ reaches }: DraggedFigure): ArmView {
  const group = new THREE.Group();
  const bones = reaches.map((reach) => {
    const bone = new THREE.Group();
    const length = Math.hypot(...reach);
    const body = new THREE.Mesh(
      new THREE.BoxGeometry(length, 0.035, 0.05),
      new THREE.MeshStandardMaterial({ color: LINK_COLOR }),
    );
    body.position.x = length / 2;
    const joint = new THREE.Mesh(
      new THREE.SphereGeometry(0.035, 24, 16),
      new THREE.MeshStandardMaterial({ color: JOINT_COLOR }),
    );
    bone.add(body, joint);
    group.add(bone);
    return bone;
  });
  const plate = new THREE.Mesh(
    new THREE.BoxGeometry(0.02, 0.14, 0.2),
    new THREE.MeshStandardMaterial({ color: LINK_COLOR }),
  );
  const thumb = new THREE.Mesh(
    new THREE.BoxGeometry(0.03, 0.05, 0.03),
    new THREE.MeshStandardMaterial({ color: JOINT_COLOR }),
  );
  plate.add(thumb);
  thumb.position.set(0, 0.09, 0.05);
  plate.position.x = Math.hypot(...reaches[reaches.length - 1]);
  bones[bones.length - 1].add(plate);
  return {
    group,
    show(arm) {
      const { rotations, origins } = framesOf(arm);
      bones.forEach((bone, n) => {
        bone.position.fromArray(origins[n]);
        bone.quaternion.fromArray(rotations[n]);
      });
    },
    dispose() {
      group.removeFromParent();
      group.traverse((object) => {
        if (!(object instanceof THREE.Mesh)) return;
        object.geometry.dispose();
        object.material.dispose();
      });
    },
  };
}

/** A wireframe of the hand at its target. */
export function createTargetView(): { readonly group: THREE.Group; show(target: Target): void } {
  const group = new THREE.Group();
  const edges = (x: number, y: number, z: number): THREE.LineSegments =>
    new THREE.LineSegments(
      new THREE.EdgesGeometry(new THREE.BoxGeometry(x, y, z)),
      new THREE.LineBasicMaterial({ color: TARGET_COLOR }),
    );
  const thumb = edges(0.03, 0.05, 0.03);
  thumb.position.set(0, 0.09, 0.05);
  const center = new THREE.Mesh(
    new THREE.SphereGeometry(0.02, 16, 12),
    new THREE.MeshStandardMaterial({ color: TARGET_COLOR }),
  );
  group.add(edges(0.024, 0.15, 0.21), thumb, center);
  return {
    group,
    show({ position, rotation }) {
      group.position.fromArray(position);
      group.quaternion.fromArray(rotation);
    },
  };
}

/** Lights, floor grid, camera. */
export function createStage(): { readonly scene: THREE.Scene; readonly camera: THREE.PerspectiveCamera } {
  const scene = new THREE.Scene();
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8899aa, 2.2));
  const sun = new THREE.DirectionalLight(0xffffff, 1.6);
  sun.position.set(1, 2, 3);
  scene.add(sun);
  const grid = new THREE.GridHelper(2, 10);
  grid.material.vertexColors = false;
  onColor('--line', (color) => grid.material.color.set(color));
  grid.position.y = -0.6;
  scene.add(grid);
  const camera = new THREE.PerspectiveCamera(42, 1, 0.1, 20);
  camera.position.set(0.35, 0.45, 1.7);
  camera.lookAt(0, -0.02, 0);
  return { scene, camera };
}
