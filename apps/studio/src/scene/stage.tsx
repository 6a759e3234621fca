import { LimitHelper } from '@poise/three';
import { useFrame, useThree } from '@react-three/fiber';
import { vec3 } from 'poise/math';
import { type ComponentType, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { Group, MathUtils, Matrix4, Object3D, PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { type Character, HEIGHTS, shownAxes, shownHeight } from '../character/character.js';
import type { CharacterModel } from '../character/model.js';
import { live } from '../live/driver.js';
import { forgetHint } from '../preferences/hints.js';
import { useTheme } from '../preferences/theme.js';
import { session, useStudio } from '../session/store.js';
import { arrive, beyond, isBehind, nextShift, useFollow } from './follow.js';
import { FrameTimer } from './frame-timer.js';
import { createGrid } from './grid.js';
import { layOutHandles } from './handle-layout.js';
import { PALETTES } from './palette.js';
import { Picture } from './picture.js';
import { REGION, type Side, view } from './view.js';

const FIELD_OF_VIEW = 28;
/** Direction of the camera from its target, at first and from the sides; the distance follows from the window. */
const DIRECTIONS: Readonly<Record<Side, Vector3>> = {
  start: new Vector3(1.45, 0.59, 4).normalize(),
  front: new Vector3(0, 0, 1),
  side: new Vector3(1, 0, 0),
  top: new Vector3(0, 1, 0),
};
/** Half of what is in view of what is no human, over the radius of the ball around its joints. */
const MARGIN = 1.2;
/** Frame time, ms, above which the resolution is reduced until the drag ends. */
const SLOW_FRAME = 45;
const COARSE = 0.6;
/** Longest time that a driver advances in a frame, s: after a pause nothing jumps. */
const LONGEST = 0.1;
/** How far the view goes before light and floor go with it, m. */
const FLOOR_SLACK = 1;
/** Update interval of the panel, ms. */
const PANEL_EVERY = 90;

/** The character in its surroundings. @param Others - What the mode shows beside it. */
export function Stage({ Others }: { Others: ComponentType }) {
  return (
    <Picture label="The figure in three dimensions" fieldOfView={FIELD_OF_VIEW}>
      <Surroundings />
      <Figure />
      <Others />
      <ViewControls />
    </Picture>
  );
}

/** Background, light and floor, in the colours of the page. */
function Surroundings() {
  const palette = useTheme(({ scheme }) => PALETTES[scheme]);
  const { background, shadow, sky, sun } = palette;
  const grid = useMemo(() => createGrid(palette), [palette]);
  const lit = useRef<Group>(null);
  const sunTarget = useMemo(() => new Object3D(), []);
  useEffect(
    () => () => {
      grid.geometry.dispose();
      grid.material.dispose();
    },
    [grid],
  );
  useFrame(() => {
    const [x, , z] = beyond([view.shift.x, 0, view.shift.z], FLOOR_SLACK);
    lit.current?.position.set(x, 0, z);
    // By whole squares: its lines stay where they are.
    grid.position.set(Math.round(x), grid.position.y, Math.round(z));
  });
  return (
    <>
      <color attach="background" args={[background]} />
      <fog attach="fog" args={[background, 7, 15]} />
      <hemisphereLight color={sky.above} groundColor={sky.below} intensity={sky.intensity} />
      <directionalLight position={[-3, 2, -2.5]} intensity={0.7} color="#dce8ff" />
      <group ref={lit}>
        <primitive object={sunTarget} />
        <directionalLight
          position={[2.2, 4.2, 2.6]}
          intensity={sun}
          color="#fff6ea"
          castShadow
          target={sunTarget}
          shadow-mapSize={[1024, 1024]}
          shadow-radius={6}
          shadow-bias={-0.0004}
          shadow-normalBias={0.012}
          shadow-camera-left={-2}
          shadow-camera-right={2}
          shadow-camera-top={2.4}
          shadow-camera-bottom={-1.6}
          shadow-camera-near={1}
          shadow-camera-far={9}
        />
        <mesh rotation-x={-Math.PI / 2} receiveShadow>
          <circleGeometry args={[3.2, 48]} />
          <shadowMaterial transparent opacity={shadow.opacity} color={shadow.color} />
        </mesh>
      </group>
      <primitive object={grid} name="grid" position-y={0.0005} />
    </>
  );
}

/** The body and its limits: solves and draws on each requested frame. */
function Figure() {
  const character = useStudio((studio) => studio.character);
  const showLimits = useStudio((studio) => studio.showLimits);
  const actions = useStudio((studio) => studio.actions);
  const refresh = useStudio((studio) => studio.refresh);
  const invalidate = useThree((three) => three.invalidate);
  const { createModel } = character;
  // Other limits are no other body.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is the model's.
  const { body, stand } = useMemo(() => stage(character), [createModel]);
  const limits = useMemo(() => limitsOf(character, body), [character, body]);
  const timer = useMemo(() => new FrameTimer(), []);
  /** What was drawn last; when the panel was refreshed, and whether something has changed since. */
  const drawn = useRef({ version: -1, actions: -1, panel: 0, isPanelStale: true });
  // A file's scene is one object: what was last made of it may not be what is shown.
  useLayoutEffect(() => {
    stand.add(body.root);
    view.body = body;
    return () => body.dispose();
  }, [stand, body]);
  useEffect(() => () => limits.dispose(), [limits]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every action requests a frame.
  useEffect(() => invalidate(), [actions, invalidate]);

  useFrame(({ viewport, setDpr }, seconds) => {
    // Another was taken, and is drawn next.
    if (session.character !== character) return;
    const { driver } = live;
    const driven = driver?.step(Math.min(seconds, LONGEST));
    if (driven !== undefined) session.follow(driven);
    if (driven !== undefined || isBehind()) view.follow(Math.min(seconds, LONGEST), driver?.isPulled);
    const solved = driver === undefined && session.step(seconds);
    if (solved && session.lastSolve) timer.solved(session.lastSolve.milliseconds);
    timer.frame(session.drag !== undefined);
    const last = drawn.current;
    if (session.version !== last.version || actions !== last.actions) {
      body.update(session.pose);
      markLimits(body, limits, showLimits && driver === undefined);
    }
    const { dpr, initialDpr: sharp } = viewport;
    if (session.drag === undefined) {
      if (dpr !== sharp) setDpr(sharp);
    } else if (dpr === sharp && timer.frameMilliseconds() > SLOW_FRAME) setDpr(COARSE * sharp);
    const fading = body.fade(Math.min(seconds, 0.05));
    layOutHandles();
    const now = performance.now();
    const isDue = now - last.panel > PANEL_EVERY || (session.drag === undefined && driver === undefined);
    last.isPanelStale ||= solved || session.version !== last.version || actions !== last.actions;
    if (isDue && last.isPanelStale) {
      refresh(timer.timing());
      last.panel = now;
      last.isPanelStale = false;
    }
    last.version = session.version;
    last.actions = actions;
    if (session.drag !== undefined || fading || driver?.isMoving) invalidate();
  });
  return (
    <>
      <primitive object={stand} />
      <primitive object={limits} />
    </>
  );
}

/** The body of a character, upright on the floor, to the front and as high as a person. */
function stage(character: Character) {
  const body = character.createModel();
  const { size, floor } = character;
  const stand = new Group();
  stand.add(body.root);
  body.update(Float64Array.from(character.pose));
  stand.updateMatrixWorld(true);
  const inverse = body.binding.worldFromFigure(new Matrix4()).invert();
  const [left, up, forward] = shownAxes(character).map((axis) => new Vector3(...axis));
  const turn = new Matrix4().makeBasis(left, up, forward).transpose();
  const scale = shownHeight(character) / size;
  const place = new Matrix4().makeScale(scale, scale, scale).multiply(turn);
  place.premultiply(new Matrix4().makeTranslation(0, -scale * floor, 0));
  stand.applyMatrix4(place.multiply(inverse));
  stand.updateMatrixWorld(true);
  body.binding.worldFromFigure(view.worldFromFigure);
  return { body, stand };
}

function limitsOf({ figure }: Character, { binding }: CharacterModel): LimitHelper {
  return new LimitHelper({
    figure,
    binding,
    get pose() {
      return session.pose;
    },
    get result() {
      return session.result;
    },
  });
}

/**
 * Colours the bones whose limits block a goal, and draws those limits if they are shown; while something is dragged, all that are touched: in
 * a rest pose many are.
 */
function markLimits(body: CharacterModel, limits: LimitHelper, show: boolean): void {
  const { figure, result } = session;
  const blocking = new Set(result?.activeLimits.map(({ coordinate }) => coordinate));
  for (const bone of figure.bones) body.setBlocked(bone.index, 0);
  for (const { bone, coordinate } of figure.limitComponents) {
    if (blocking.has(coordinate)) body.setBlocked(bone, 1);
  }
  limits.visible = show;
  limits.show = session.drag === undefined ? 'blocking' : 'touched';
  if (show) limits.update();
}

/** The middle of what is in view, and how far it goes up and aside from there, m of the scene. */
function regionOf(character: Character): [x: number, y: number, z: number, up: number, aside: number] {
  const { humanoid, middle, radius, size, floor } = character;
  const shown = shownHeight(character);
  if (humanoid !== undefined) {
    // Between that of the character and the usual one, so that heights differ in the picture.
    const height = Math.sqrt(shown * HEIGHTS.usual);
    return [0, REGION.middle * height, 0, REGION.height * height, REGION.width * height];
  }
  const scale = shown / size;
  const [x, y, z] = shownAxes(character).map((axis) => scale * vec3.dot(axis, middle));
  // What is drawn may be larger than what moves.
  const half = MARGIN * Math.max(scale * radius, shown / 2);
  return [x, y - scale * floor, z, half, half];
}

/** Turns the view by mouse and finger, and fits the whole body into it, for any window shape. */
function ViewControls() {
  const character = useStudio((studio) => studio.character);
  const [x, y, z, up, aside] = regionOf(character);
  const { camera, gl, scene, size, invalidate } = useThree();
  const aspect = size.width / Math.max(1, size.height);
  const controls = useMemo(() => {
    const orbit = new OrbitControls(camera);
    orbit.target.set(0, REGION.middle * HEIGHTS.usual, 0);
    Object.assign(orbit, { minDistance: 0.8, maxDistance: 9, maxPolarAngle: 0.53 * Math.PI });
    orbit.dampingFactor = 0.12;
    return orbit;
  }, [camera]);
  useEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)');
    const follow = () => {
      controls.enableDamping = !still.matches;
    };
    const changed = () => invalidate();
    const rotated = () => forgetHint('look');
    follow();
    still.addEventListener('change', follow);
    controls.connect(gl.domElement);
    controls.addEventListener('change', changed);
    controls.addEventListener('end', rotated);
    return () => {
      still.removeEventListener('change', follow);
      controls.removeEventListener('change', changed);
      controls.removeEventListener('end', rotated);
      controls.dispose();
    };
  }, [controls, gl, invalidate]);
  useEffect(
    () =>
      // At once: a pinch puts a drag back and takes the camera with one event.
      useStudio.subscribe(({ dragging }) => {
        controls.enabled = dragging === undefined;
      }),
    [controls],
  );
  useEffect(() => {
    if (!(camera instanceof PerspectiveCamera)) return;
    const look = (direction: Vector3) => {
      const tangent = Math.tan(MathUtils.degToRad(FIELD_OF_VIEW / 2));
      const distance = Math.max(up, aside / aspect) / tangent;
      const { target } = controls;
      target.set(x, y, z).add(view.shift.set(...arrive()));
      camera.position.copy(target).addScaledVector(direction, distance);
      controls.update();
      invalidate();
    };
    const lookFrom = (side: Side) => look(DIRECTIONS[side]);
    const still = matchMedia('(prefers-reduced-motion: reduce)');
    const follow = (seconds = Number.POSITIVE_INFINITY, isPulled = false) => {
      if (!useFollow.getState().isOn) return;
      const time = still.matches ? Number.POSITIVE_INFINITY : seconds;
      const way = new Vector3(...nextShift(view.shift.toArray(), time, isPulled)).sub(view.shift);
      if (way.lengthSq() === 0) return;
      for (const moved of [camera.position, controls.target, view.shift]) moved.add(way);
      camera.updateMatrixWorld();
      invalidate();
    };
    Object.assign(view, { camera, canvas: gl.domElement, renderer: gl, scene, invalidate, lookFrom, follow });
    look(camera.position.clone().sub(controls.target).normalize());
  }, [camera, gl, scene, controls, aspect, x, y, z, up, aside, invalidate]);
  useLayoutEffect(() => {
    view.size = size;
  }, [size]);
  const mode = useStudio((studio) => studio.mode);
  const follows = useFollow(({ isOn }) => isOn);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them may show it elsewhere.
  useEffect(() => view.follow(), [mode, character, follows]);
  useFrame(() => {
    if (controls.enabled) controls.update();
  }, -1);
  return null;
}
