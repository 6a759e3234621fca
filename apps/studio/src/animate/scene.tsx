import { useThree } from '@react-three/fiber';
import { createState, forwardKinematics } from 'poise/figure';
import { useEffect, useMemo } from 'react';
import {
  BufferGeometry,
  Color,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
} from 'three';
import { shownHeight } from '../character/character.js';
import { BoneRods } from '../scene/bone-rods.js';
import { REGION, toWorld, view } from '../scene/view.js';
import { useStudio } from '../session/store.js';
import { hasKeys } from './clip/clip.js';
import { poseAt } from './clip/clip-motion.js';
import { ClipGround } from './clip-ground.js';
import { ghostsOf, trailOf } from './ghosts.js';
import { contactPoint, sourceView, standingAt } from './import/source-view.js';
import { sourceOf } from './import/sources.js';
import { useAnimate, useClip } from './store.js';
import { timeline } from './timeline.js';

const BEFORE = new Color('#c07a10');
const AFTER = new Color('#2f66d0');
const TRAIL = '#cf5a22';
const SOURCE = '#6b7a8c';
const CONTACT = '#12a094';
/** Radius and thickness of the disc of a contact, in the scene. */
const DISC = 0.045;
const THICK = 0.004;
/** How far the source and the character reach with their arms out, over the height of the character. */
const REACH = { left: 1.08, right: 0.6 };
/** Opacity of the nearest ghosts. */
const NEAREST = 0.75;

/** Ghosts of the poses before and after, the path of a handle, and what a clip goes with: its source, its ground. */
export function Scene() {
  const showsGhosts = useAnimate((animate) => animate.showsGhosts);
  const showsTrail = useAnimate((animate) => animate.showsTrail);
  const clip = useClip();
  return (
    <>
      {showsGhosts && <Ghosts />}
      {showsTrail && <Trail />}
      <Source />
      <ClipGround clip={clip} />
    </>
  );
}

/** A group in the world of the figure, drawn over the body. */
function createGroup(): Group {
  const group = new Group();
  group.matrixAutoUpdate = false;
  return group;
}

function place(group: Group): void {
  group.matrix.copy(view.worldFromFigure);
  group.matrixWorldNeedsUpdate = true;
}

function empty(group: Group): void {
  for (const object of [...group.children]) {
    if (object instanceof Line || object instanceof Points) {
      object.geometry.dispose();
      object.material.dispose();
    }
    object.removeFromParent();
  }
}

function geometryOf(points: readonly number[]): BufferGeometry {
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3));
}

function Ghosts() {
  const clip = useClip();
  const character = useStudio((studio) => studio.character);
  const invalidate = useThree((three) => three.invalidate);
  const group = useMemo(createGroup, []);
  useEffect(() => {
    const stop = timeline.listen((time) => {
      empty(group);
      place(group);
      for (const { side, lines } of hasKeys(clip) ? ghostsOf(clip, character, time) : []) {
        const material = new LineBasicMaterial({
          color: side < 0 ? BEFORE : AFTER,
          transparent: true,
          opacity: NEAREST * (1.15 - Math.abs(side)),
          depthTest: false,
        });
        const ghost = new LineSegments(geometryOf(lines), material);
        ghost.frustumCulled = false;
        group.add(ghost);
      }
      invalidate();
    });
    return () => {
      stop();
      empty(group);
      invalidate();
    };
  }, [clip, character, group, invalidate]);
  return <primitive object={group} />;
}

function Trail() {
  const clip = useClip();
  const character = useStudio((studio) => studio.character);
  const id = useAnimate((animate) => animate.handle);
  const invalidate = useThree((three) => three.invalidate);
  const group = useMemo(createGroup, []);
  useEffect(() => {
    const handle = character.handles.find((each) => each.id === id);
    if (handle !== undefined && hasKeys(clip)) {
      const { path, keys } = trailOf(clip, character, handle);
      place(group);
      const line = new Line(geometryOf(path), new LineBasicMaterial({ color: TRAIL, depthTest: false }));
      const points = new Points(
        geometryOf(keys),
        new PointsMaterial({ color: TRAIL, size: 7, sizeAttenuation: false, depthTest: false }),
      );
      for (const object of [line, points]) object.frustumCulled = false;
      group.add(line, points);
    }
    invalidate();
    return () => {
      empty(group);
      invalidate();
    };
  }, [clip, character, id, group, invalidate]);
  return <primitive object={group} />;
}

/** What the clip was put on from, beside the character, and a disc under each foot of both that stands. */
function Source() {
  const clip = useClip();
  const character = useStudio((studio) => studio.character);
  const isShown = useAnimate((animate) => animate.showsSource);
  const invalidate = useThree((three) => three.invalidate);
  const group = useMemo(() => new Group(), []);
  const source = isShown ? sourceOf(clip) : undefined;
  const stick = useMemo(() => source && sourceView(source, character), [source, character]);
  useRoom(stick !== undefined);
  useEffect(() => {
    if (source === undefined || stick === undefined) return;
    const rods = new BoneRods(
      stick.linesAt(0).length / 6,
      shownHeight(character),
      new MeshStandardMaterial({ color: SOURCE, roughness: 0.8 }),
    );
    rods.castShadow = true;
    const disc = new CylinderGeometry(DISC, DISC, THICK, 24);
    const material = new MeshBasicMaterial({
      color: CONTACT,
      transparent: true,
      opacity: 0.7,
      // Also under the foot that stands on it.
      depthTest: false,
    });
    const discs = source.contacts.map(() => [new Mesh(disc, material), new Mesh(disc, material)] as const);
    group.add(rods, ...discs.flat());
    const state = createState(character.figure);
    const stop = timeline.listen((time) => {
      rods.place(stick.linesAt(time));
      forwardKinematics(state, poseAt(clip, character, time));
      const standing = new Set(standingAt(source, time).map(({ contact }) => contact));
      source.contacts.forEach((contact, n) => {
        const point = contactPoint(character, state, contact);
        const places = [stick.contactAt(time, contact), point && toWorld(point)];
        discs[n].forEach((mesh, k) => {
          const at = places[k];
          mesh.visible = standing.has(contact) && at !== undefined;
          if (at !== undefined) mesh.position.set(at[0], contact.point === 'palm' ? at[1] : THICK / 2, at[2]);
        });
      });
      invalidate();
    });
    return () => {
      stop();
      group.clear();
      rods.dispose();
      disc.dispose();
      material.dispose();
      invalidate();
    };
  }, [clip, source, stick, character, group, invalidate]);
  return <primitive object={group} />;
}

/** Shows what is beside the character too, in windows that are narrow. */
function useRoom(isShown: boolean): void {
  const camera = useThree((three) => three.camera);
  const { width, height } = useThree((three) => three.size);
  useEffect(() => {
    if (!isShown || !(camera instanceof PerspectiveCamera)) return;
    const half = Math.max(REGION.width, (REGION.height * width) / height);
    const wanted = Math.max(half, (REACH.left + REACH.right) / 2);
    /** How far what is shown goes to the left, over half its width. */
    const shift = Math.max(0, REACH.left - wanted) / wanted;
    camera.zoom = half / wanted;
    camera.setViewOffset(width, height, (-shift * width) / 2, 0, width, height);
    view.invalidate();
    return () => {
      camera.zoom = 1;
      camera.clearViewOffset();
      view.invalidate();
    };
  }, [isShown, camera, width, height]);
}
