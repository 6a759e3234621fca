import { useFrame, useThree } from '@react-three/fiber';
import { createState, forwardKinematics } from 'poise/figure';
import { useEffect, useMemo } from 'react';
import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineDashedMaterial,
  MeshBasicMaterial,
} from 'three';
import { hasKeys } from '../animate/clip/clip.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import { ClipGround } from '../animate/clip-ground.js';
import { boneLines } from '../animate/ghosts.js';
import { timeline } from '../animate/timeline.js';
import type { Character } from '../character/character.js';
import { BoneRods } from '../scene/bone-rods.js';
import { view } from '../scene/view.js';
import { useStudio } from '../session/store.js';
import { pointOf } from './arc.js';
import { physical, usePhysical } from './physical.js';
import { boxOf, PRESETS } from './presets.js';

const GHOST = '#8a63d2';
const ARC = '#cf5a22';
const BOX_COLOR = '#cfd6de';
/** Points of an arc. */
const POINTS = 40;

/** What was, as a ghost, and the way of the centre of mass through the air. */
export function Scene() {
  const document = useStudio((studio) => studio.document);
  const actions = useStudio((studio) => studio.actions);
  const showsGhost = usePhysical((state) => state.showsGhost);
  usePhysical((state) => state.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an action may have set another driver.
  useEffect(() => physical.enter(document), [document, actions]);
  useEffect(() => () => physical.leave(), []);
  return (
    <>
      {showsGhost && <Ghost key={document.character.size} character={document.character} />}
      <Arcs />
      <Obstacle />
      <ClipGround clip={physical.clip} />
    </>
  );
}

/** The box that is jumped over: while the jump is found, and as long as it is what was done last. */
function Obstacle() {
  const character = useStudio((studio) => studio.character);
  const last = useStudio((studio) => studio.steps.undo);
  const label = usePhysical((state) => (state.phase === 'ready' ? undefined : state.label));
  const preset = PRESETS.find((each) => each.label === (label ?? last));
  const box = boxOf(preset?.id, character);
  if (box === undefined) return null;
  return (
    <mesh position={[...box.position]} castShadow receiveShadow>
      <boxGeometry args={[...box.size]} />
      <meshStandardMaterial color={BOX_COLOR} roughness={0.9} />
    </mesh>
  );
}

/** In the world of the figure. */
function place(group: Group): void {
  group.matrixAutoUpdate = false;
  group.matrix.copy(view.worldFromFigure);
  group.matrixWorldNeedsUpdate = true;
}

function Ghost({ character }: { character: Character }) {
  const { group, bones, state } = useMemo(() => {
    const { figure, size, humanoid } = character;
    const state = createState(figure);
    forwardKinematics(state, Float64Array.from(character.pose));
    // Through the body, which it is in for the most part.
    const material = new MeshBasicMaterial({
      color: GHOST,
      transparent: true,
      opacity: 0.6,
      depthTest: false,
    });
    const bones = new BoneRods(boneLines(figure, state, humanoid).length / 6, size, material);
    bones.renderOrder = 2;
    const group = new Group();
    group.add(bones);
    return { group, bones, state };
  }, [character]);
  useEffect(() => () => void bones.dispose(), [bones]);
  useFrame(() => {
    const { before } = physical;
    bones.visible = before !== undefined && hasKeys(before);
    if (before === undefined || !bones.visible) return;
    place(group);
    forwardKinematics(state, poseAt(before, character, timeline.time));
    bones.place(boneLines(character.figure, state, character.humanoid));
  });
  return <primitive object={group} />;
}

/** Parabolas, dashed where they are not yet those of the motion. */
function Arcs() {
  const group = useMemo(() => new Group(), []);
  const invalidate = useThree((three) => three.invalidate);
  const document = useStudio((studio) => studio.document);
  const version = usePhysical((state) => state.version);
  const phase = usePhysical((state) => state.phase);
  const off = usePhysical((state) => state.off);
  const part = usePhysical((state) => state.part);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the arcs depend on.
  useEffect(() => {
    place(group);
    for (const arc of phase === 'works' ? [] : physical.arcs()) {
      const seconds = arc.span.to - arc.span.from;
      const points = Array.from({ length: POINTS + 1 }, (_, k) => pointOf(arc, (seconds * k) / POINTS));
      const { size } = document.character;
      const material =
        phase === 'done'
          ? new LineBasicMaterial({ color: ARC, depthTest: false })
          : new LineDashedMaterial({
              color: ARC,
              depthTest: false,
              dashSize: 0.02 * size,
              gapSize: 0.012 * size,
            });
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new Float32BufferAttribute(points.flat(), 3));
      const line = new Line(geometry, material);
      line.computeLineDistances();
      line.frustumCulled = false;
      line.renderOrder = 3;
      group.add(line);
    }
    invalidate();
    return () => {
      for (const child of [...group.children]) {
        if (child instanceof Line) {
          child.geometry.dispose();
          child.material.dispose();
        }
        child.removeFromParent();
      }
      invalidate();
    };
  }, [group, invalidate, document, version, phase, off, part]);
  return <primitive object={group} />;
}
