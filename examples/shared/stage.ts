import './needs-webgl.js';
import {
  CircleGeometry,
  Color,
  DirectionalLight,
  Fog,
  GridHelper,
  HemisphereLight,
  Mesh,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { onColor, prefersStillness } from './page.js';

/** Longest time step, s: a hidden page resumes where it stopped. */
const MAX_STEP = 0.1;

/** A scene with light, a floor, orbit controls and an animation loop. */
export interface Stage {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly renderer: WebGLRenderer;
  /** Moves the camera so that a height, m, about a target at its middle is visible, and remains so in windows of other sizes. */
  show(middle: readonly [number, number, number], height: number): void;
  /** Calls `frame` with the seconds since the last frame, before each render. */
  start(frame: (seconds: number) => void): void;
  /** Calls back after each render. */
  readonly afterFrame: (() => void)[];
}

export interface StageOptions {
  /** Target of the camera, m. */
  readonly middle?: readonly [number, number, number];
  /** Position of the camera relative to its target; its length is the distance in a square window. */
  readonly from?: readonly [number, number, number];
  /** Width and height about the target that remain visible beside the card, m. */
  readonly size?: readonly [width: number, height: number];
  /** Whether to leave out the flat floor. */
  readonly floor?: boolean;
  /** An element that covers the bottom of the window. */
  readonly strip?: HTMLElement;
}

/** Creates the stage in the page's `#stage`, and resizes with it. */
export function createStage({
  middle = [0, 0.95, 0],
  from = [1.5, 0.6, 3.6],
  size,
  floor = true,
  strip,
}: StageOptions = {}): Stage {
  const container = document.querySelector<HTMLElement>('#stage');
  if (container === null) throw new Error('The page has no #stage.');
  const renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  renderer.domElement.setAttribute('role', 'img');
  renderer.domElement.setAttribute('aria-label', container.dataset.label ?? document.title);
  container.prepend(renderer.domElement);

  const scene = new Scene();
  onColor('--paper', (color) => {
    scene.background = new Color(color);
    scene.fog = new Fog(color, 8, 18);
  });
  light(scene, middle);
  if (floor) layFloor(scene);

  const camera = new PerspectiveCamera(30, 1, 0.05, 60);
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.target.set(...middle);
  controls.enableDamping = !prefersStillness();
  controls.dampingFactor = 0.12;
  controls.minDistance = 0.6;
  controls.maxDistance = 16;
  controls.maxPolarAngle = 0.53 * Math.PI;
  controls.enablePan = false;

  const away = new Vector3(...from);
  let isFirst = true;
  /** Height that is visible, m; undefined for what is at the distance given. */
  let shown: number | undefined;
  const fitWindow = () => {
    const { clientWidth: width, clientHeight: height } = container;
    if (width === 0 || height === 0) return;
    renderer.setSize(width, height);
    const aspect = width / height;
    camera.aspect = aspect;
    // The target is in the middle of what is above the strip.
    const covered = Math.max(
      0,
      container.getBoundingClientRect().bottom - (strip ? topOf(strip) : Number.POSITIVE_INFINITY),
    );
    camera.setViewOffset(width, height, 0, 0.5 * covered, width, height);
    camera.updateProjectionMatrix();
    // Further away in a narrow window, so that the same width is visible.
    const up = height - covered;
    const metresPerPixel =
      shown === undefined
        ? Math.max(...(size ?? []).map((m, k) => m / [width, up][k]))
        : shown / Math.min(width, up);
    const distance = Number.isFinite(metresPerPixel)
      ? (0.5 * metresPerPixel * height) / Math.tan((0.5 * Math.PI * camera.fov) / 180)
      : away.length() / Math.min(1, aspect);
    const direction = isFirst ? away.clone() : camera.position.clone().sub(controls.target);
    camera.position.copy(controls.target).add(direction.setLength(distance));
    isFirst = false;
    controls.update();
  };
  const resized = new ResizeObserver(fitWindow);
  resized.observe(container);
  if (strip) resized.observe(strip);
  fitWindow();

  const afterFrame: (() => void)[] = [];
  return {
    scene,
    camera,
    controls,
    renderer,
    afterFrame,
    show(target, height) {
      const before = controls.target.clone();
      controls.target.set(...target);
      camera.position.add(controls.target).sub(before);
      shown = height;
      fitWindow();
    },
    start(frame) {
      let last: number | undefined;
      renderer.setAnimationLoop((now: number) => {
        const seconds = last === undefined ? 0 : Math.min(MAX_STEP, Math.max(0, (now - last) / 1000));
        last = now;
        frame(seconds);
        controls.update();
        renderer.render(scene, camera);
        for (const after of afterFrame) after();
        document.documentElement.dataset.ready = 'true';
      });
    },
  };
}

/** Of an element in the window, px; without bound where it is not displayed. */
function topOf(element: HTMLElement): number {
  const { top, height } = element.getBoundingClientRect();
  return height > 0 ? top : Number.POSITIVE_INFINITY;
}

function light(scene: Scene, [x, y, z]: readonly [number, number, number]): void {
  scene.add(new HemisphereLight('#ffffff', '#cfd3d8', 1.6));
  const sun = new DirectionalLight('#fff6ea', 2.1);
  sun.position.set(x + 2.2, y + 3.4, z + 2.6);
  sun.target.position.set(x, y, z);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.radius = 4;
  sun.shadow.bias = -0.0004;
  sun.shadow.normalBias = 0.014;
  Object.assign(sun.shadow.camera, { left: -2.4, right: 2.4, top: 2.4, bottom: -2.4, near: 0.5, far: 10 });
  const rim = new DirectionalLight('#dce8ff', 0.7);
  rim.position.set(x - 3, y + 1.2, z - 2.5);
  scene.add(sun, sun.target, rim);
}

function layFloor(scene: Scene): void {
  const shadow = new Mesh(new CircleGeometry(4, 48), new ShadowMaterial({ color: '#1f2a3a', opacity: 0.2 }));
  shadow.rotation.x = -Math.PI / 2;
  shadow.receiveShadow = true;
  const grid = new GridHelper(12, 48);
  grid.position.y = -0.001;
  grid.material.vertexColors = false;
  onColor('--line', (color) => grid.material.color.set(color));
  scene.add(shadow, grid);
}
