import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithChromium, frames, launchChromium, openPage } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { sharedData } from '@poise/test-support/shared-data';
import { bodyLandmarks, createHumanFigure, createPose } from 'poise';
import { boneIndex, createState, forwardKinematics, worldPoint } from 'poise/figure';
import { BODY_LANDMARKS } from 'poise/ik';
import { build, defaultClientConditions, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WALKING_SPEED, walkingClip } from '../foot-planting/walk.js';
import { makeCharacter, makeVrm } from '../make-character.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const repository = fileURLToPath(new URL('../../', import.meta.url));
const root = join(repository, '.cache/recipes/pages');
const shoot = screenshots('recipes');
const markdown = readFileSync(join(repository, 'docs/recipes.md'), 'utf8');

/** The code of a program of docs/recipes.md. */
function program(name: string): string {
  const [, code] = markdown.split(new RegExp(`^\`\`\`[jt]s recipe ${name}\\n`, 'm'));
  return code.slice(0, code.indexOf('```'));
}

const [html] = [
  ...readFileSync(join(repository, 'docs/tutorial.md'), 'utf8').matchAll(/^```html\n([\s\S]*?)^```/gm),
].map(([, code]) => code);
/** Stands in for MediaPipe, whose models are not in its package: the page has the answer. */
const MEDIAPIPE = `export const FilesetResolver = { forVisionTasks: async (path) => path };
export const PoseLandmarker = { createFromOptions: async () => ({ detectForVideo: () => window.detected }) };`;

/** Before the first frame: the bones that are drawn, at rest. */
const AT_REST = `
const rawBone = (name) => vrm.humanoid.getRawBoneNode(name);
window.page.head = rawBone('head').getWorldQuaternion(new THREE.Quaternion());
window.page.ankles = ['left', 'right'].map((side) => rawBone(side + 'Foot').getWorldPosition(new THREE.Vector3()).y);`;

describeWithChromium('the recipes for pages', () => {
  let server: PreviewServer;
  let browser: Browser;
  let address: string;

  beforeAll(async () => {
    rmSync(root, { recursive: true, force: true });
    const write = (path: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    };
    for (const name of ['main.js', 'ik-worker.js']) write(`workers/${name}`, program(`workers/${name}`));
    // What the test measures, at the end of each program.
    write(
      'walk/main.js',
      `${program('walk/main.js')}\nwindow.page = { THREE, character, planter, feet, height, velocity };`,
    );
    write('public/walk/character.glb', await makeCharacter((character) => [walkingClip(character)]));
    const vrm = `${program('three-vrm/main.js')}\nwindow.page = { THREE, vrm, mouse, ball, height };${AT_REST}`;
    write('three-vrm/main.js', vrm);
    write('public/three-vrm/character.vrm', await makeVrm());
    const shared = sharedData('vrm/cryptovoxels.vrm');
    write('three-vrm-0/main.js', vrm);
    if (shared !== undefined) write('public/three-vrm-0/character.vrm', readFileSync(shared));
    write('webcam/main.js', `${program('webcam/main.js')}\nwindow.page = { THREE, character, first };`);
    write('public/webcam/character.glb', await makeCharacter());
    write('mediapipe.js', MEDIAPIPE);
    const robot = sharedData('gltf/RobotExpressive.glb');
    for (const recipe of ['walk', 'webcam']) {
      write(`${recipe}-robot/main.js`, readFileSync(join(root, recipe, 'main.js')));
      if (robot !== undefined) write(`public/${recipe}-robot/character.glb`, readFileSync(robot));
    }
    const pages = ['workers', 'walk', 'walk-robot', 'three-vrm', 'three-vrm-0', 'webcam', 'webcam-robot'];
    for (const page of pages) write(`${page}/index.html`, html);
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      resolve: {
        conditions: ['poise-source', ...defaultClientConditions],
        alias: { '@mediapipe/tasks-vision': join(root, 'mediapipe.js') },
      },
      build: { minify: false, rollupOptions: { input: pages.map((page) => join(root, page, 'index.html')) } },
    });
    server = await preview({
      root,
      configFile: false,
      logLevel: 'error',
      preview: { host: '127.0.0.1', port: 0 },
    });
    const found = server.httpServer.address();
    if (typeof found !== 'object' || found === null) throw new Error('the server has no port');
    address = `http://127.0.0.1:${found.port}`;
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function open(folder: string, script = ''): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, { viewport: { width: 400, height: 400 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    if (script !== '') await page.addInitScript(script);
    await page.goto(`${address}/${folder}/index.html`);
    if (folder !== 'workers') await page.waitForFunction('window.page');
    return { page, complaints };
  }

  it('a worker in Vite builds, and solves as the pointer moves', async () => {
    const { page } = await open('workers');
    await page.getByText('Move the pointer.').waitFor();
    await page.mouse.move(100, 120);
    await page.mouse.move(120, 160);
    await page.getByText('converged, hand at 0.30, 1.20').waitFor();
    expect(page.workers()).toHaveLength(1);
    await page.close();
  });

  it('a character walks as fast as its clip, and its feet stay on the ground where they are down', async () => {
    // Sixtieths of a second, however long a frame takes here.
    const clock = `const request = window.requestAnimationFrame.bind(window);
    let count = 0;
    window.requestAnimationFrame = (step) => request(() => step((++count * 1000) / 60));`;
    const { page, complaints } = await open('walk', clock);
    // Each frame: balls over the ground, and where locked feet are.
    const frames = (await page.evaluate(`new Promise((done) => {
      const { THREE, planter, feet, height } = window.page;
      const frames = [];
      const update = planter.update;
      planter.update = (seconds) => {
        update.call(planter, seconds);
        frames.push(feet.map((foot, n) => {
          const { x, y, z } = foot.getWorldPosition(new THREE.Vector3());
          const ball = planter.feet[n].position;
          return { clearance: y - height(x, z), locked: planter.feet[n].locked, x: ball.x, z: ball.z };
        }));
        if (frames.length === 120) done(frames);
      };
    })`)) as { clearance: number; locked: boolean; x: number; z: number }[][];
    await shoot(page, 'walk.png');
    let lockedFrames = 0;
    frames.forEach((feet, k) => {
      feet.forEach(({ clearance, locked, x, z }, n) => {
        // The balls of this character are 2 cm over its soles.
        expect(clearance).toBeGreaterThan(0.01);
        const before = frames[k - 1]?.[n];
        if (!locked || !before?.locked) return;
        lockedFrames++;
        expect(Math.hypot(x - before.x, z - before.z)).toBeLessThan(1e-4);
      });
    });
    expect(lockedFrames).toBeGreaterThan(20);
    const [speed, moved] = (await page.evaluate(
      '[window.page.velocity.length(), window.page.character.position.length()]',
    )) as [number, number];
    expect(Math.abs(speed / WALKING_SPEED - 1)).toBeLessThan(0.02);
    expect(moved).toBeGreaterThan(0.3);
    expect(complaints).toEqual([]);
    await page.close();
  });

  for (const [folder, title] of [
    ['three-vrm', 'bones with axes of their own, and one between'],
    ['three-vrm-0', 'version 0'],
  ] as const) {
    const shared = sharedData('vrm/cryptovoxels.vrm');
    const isMissing = folder === 'three-vrm-0' && shared === undefined;
    it.skipIf(isMissing)(
      `a VRM (${title}): after vrm.update hand, gaze and feet are where the goals say`,
      async () => {
        const { page, complaints } = await open(folder);
        await frames(page, 3);
        for (const [x, y] of [
          [260, 130],
          [150, 170],
        ]) {
          await page.mouse.move(x, y);
          await frames(page, 4);
          // The bones that are drawn, after the last frame.
          const [hand, gaze, lifts] = (await page.evaluate(`(() => {
          const { THREE, vrm, mouse, ball, height, head, ankles } = window.page;
          const raw = (name) => vrm.humanoid.getRawBoneNode(name);
          const at = (name) => raw(name).getWorldPosition(new THREE.Vector3());
          // At rest the face looks to the camera.
          const face = new THREE.Vector3(0, 0, 1).applyQuaternion(head.clone().invert());
          face.applyQuaternion(raw('head').getWorldQuaternion(new THREE.Quaternion()));
          const eyes = raw('leftEye') ? at('leftEye').lerp(at('rightEye'), 0.5) : at('head');
          const lifts = ['left', 'right'].map((side, n) => {
            const { x, y, z } = at(side + 'Foot');
            return y - ankles[n] - height(x, z);
          });
          return [at('rightHand').distanceTo(ball.position), face.angleTo(mouse.clone().sub(eyes)), lifts];
        })()`)) as [number, number, number[]];
          expect(hand).toBeLessThan(0.001);
          expect(gaze).toBeLessThan(0.002);
          // A foot tilts with the ground, about its ball.
          for (const lift of lifts) expect(Math.abs(lift)).toBeLessThan(0.03);
        }
        await shoot(page, `${folder}.png`);
        expect(complaints).toEqual([]);
        await page.close();
      },
    );
  }

  it('a live avatar: elbow and knee are those of the person, and the lower foot stays on the floor', async () => {
    const { page, complaints } = await open('webcam', cameraThatSees(0.4));
    await page.waitForFunction('window.page.first.length === 8');
    for (const bend of [0.4, 1]) {
      await page.evaluate(`window.detected = ${JSON.stringify(detected(bend))}`);
      // A new picture of the camera, its solution, and the frame that shows it.
      await frames(page, 40);
      const [elbow, knee, lowest] = (await page.evaluate(`(() => {
        const { THREE, character } = window.page;
        const at = (name) => character.getObjectByName(name).getWorldPosition(new THREE.Vector3());
        const angle = (a, b, c) => at(b).sub(at(a)).angleTo(at(c).sub(at(b)));
        return [
          angle('leftUpperArm', 'leftLowerArm', 'leftHand'),
          angle('rightUpperLeg', 'rightLowerLeg', 'rightFoot'),
          Math.min(...['leftFoot', 'rightFoot', 'leftToes', 'rightToes'].map((name) => at(name).y)),
        ];
      })()`)) as number[];
      expect(elbow).toBeCloseTo(bend, 2);
      expect(knee).toBeCloseTo(bend, 2);
      expect(lowest).toBeCloseTo(0.021, 2);
    }
    await shoot(page, 'webcam.png');
    await page.evaluate('window.detected = { worldLandmarks: [] }');
    await frames(page, 5);
    expect(complaints).toEqual([]);
    await page.close();
  });

  const isWithoutRobot = sharedData('gltf/RobotExpressive.glb') === undefined;
  it.skipIf(isWithoutRobot)('a rig with feet at its root walks, and is a live avatar', async () => {
    const walk = await open('walk-robot');
    await frames(walk.page, 30);
    const [speed, moved, names] = (await walk.page.evaluate(
      '[window.page.velocity.length(), window.page.character.position.length(), window.page.feet.map(({ name }) => name)]',
    )) as [number, number, string[]];
    expect(speed).toBeGreaterThan(0.2);
    expect(moved).toBeGreaterThan(0.02);
    expect(names).toEqual(['FootL', 'FootR']);
    await shoot(walk.page, 'walk-robot.png');
    expect(walk.complaints).toEqual([]);
    await walk.page.close();
    const webcam = await open('webcam-robot', cameraThatSees(0.4));
    await webcam.page.waitForFunction('window.page.first.length > 0');
    await shoot(webcam.page, 'webcam-robot.png');
    expect(webcam.complaints).toEqual([]);
    await webcam.page.close();
  });

  it('every page of docs/recipes.md is tried here', () => {
    const names = [...markdown.matchAll(/^```[jt]s recipe (\w[\w-]*)\/main\.js$/gm)].map(([, name]) => name);
    expect(names.sort()).toEqual(['three-vrm', 'walk', 'webcam', 'workers']);
  });
});

/** Stands in for a camera, and for what MediaPipe says of a person before it. */
function cameraThatSees(bend: number): string {
  return `navigator.mediaDevices.getUserMedia = async () => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    setInterval(() => context.fillRect(0, 0, 10, 10), 20);
    return canvas.captureStream();
  };
  window.detected = ${JSON.stringify(detected(bend))};`;
}

/** What MediaPipe says of a person of 1.6 m with a bent elbow and a bent knee, rad: its axes, origin between the hips. */
function detected(bend: number): object {
  const person = createHumanFigure({ height: 1.6 });
  const pose = createPose(person);
  for (const bone of ['leftLowerArm', 'rightLowerLeg'])
    pose[person.bones[boneIndex(person, bone)].coordinate] = bend;
  const state = createState(person);
  forwardKinematics(state, pose);
  const points = bodyLandmarks(person).map(({ bone, point }) =>
    worldPoint(state, bone, Array.from(point ?? [0, 0, 0])),
  );
  const [left, right] = (['left_hip', 'right_hip'] as const).map(
    (hip) => points[BODY_LANDMARKS.indexOf(hip)],
  );
  const list = points.map((p) => {
    const [x, y, z] = [0, 1, 2].map((k) => p[k] - (left[k] + right[k]) / 2);
    return { x, y: -y, z: -z, visibility: 1 };
  });
  return { worldLandmarks: [list] };
}
