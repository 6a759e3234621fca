import { useThree } from '@react-three/fiber';
import { useEffect, useMemo } from 'react';
import {
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Points,
  PointsMaterial,
} from 'three';
import { view } from '../scene/view.js';
import { useStudio } from '../session/store.js';
import { hasKeys } from './clip/clip.js';
import { ghostsOf, trailOf } from './ghosts.js';
import { useAnimate, useClip } from './store.js';
import { timeline } from './timeline.js';

const BEFORE = new Color('#c07a10');
const AFTER = new Color('#2f66d0');
const TRAIL = '#cf5a22';
/** Opacity of the nearest ghosts. */
const NEAREST = 0.75;

/** Ghosts of the poses before and after, and the path of a handle. */
export function Scene() {
  const showsGhosts = useAnimate((animate) => animate.showsGhosts);
  const showsTrail = useAnimate((animate) => animate.showsTrail);
  return (
    <>
      {showsGhosts && <Ghosts />}
      {showsTrail && <Trail />}
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
