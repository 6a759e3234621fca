/** A player of two motions side by side, as stick figures that turn with the mouse. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import type { HumanBoneMap, Humanoid } from 'poise/humanoid';
import { type Vec3, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';

/** A motion of a humanoid. */
export interface PlayedMotion {
  readonly title: string;
  readonly figure: Figure;
  readonly humanoid: Humanoid;
  readonly motion: Motion;
  /** Factor on its lengths. */
  readonly scale: number;
  /** Height of the ground along its up, m; left out: its lowest point. */
  readonly ground?: number;
}

/** A point of a foot, or of a hand, which is not shown, that is in contact over some frames. */
export interface PlayedContact {
  readonly foot?: 'left' | 'right';
  readonly inContact: ArrayLike<number>;
}

/** Frames of the player at most. */
const MAX_FRAMES = 400;

const TRUNK = ['hips', 'spine', 'chest', 'upperChest', 'neck', 'head'];
const FINGERS = ['Thumb', 'Index', 'Middle', 'Ring', 'Little'];

export interface Stick {
  readonly from: number;
  readonly to: number;
  readonly side: 'l' | 'r' | 'm';
  /** The foot that it belongs to. */
  readonly foot: boolean;
}

/** Points and the lines between them: the human bones, in the order of the body. */
export function sticksOf(
  figure: Figure,
  bones: Readonly<HumanBoneMap<number>>,
): { ends: End[]; sticks: Stick[] } {
  const all: Readonly<Record<string, number | undefined>> = bones;
  const ends: End[] = [];
  const sticks: Stick[] = [];
  const chain = (names: readonly string[], side: Stick['side']): void => {
    const found = names.flatMap((name) => (all[name] === undefined ? [] : [{ name, bone: all[name] }]));
    let before = -1;
    for (const { name, bone } of found) {
      const at = ends.push({ bone }) - 1;
      if (before >= 0) sticks.push({ from: before, to: at, side, foot: /Toes$/.test(name) });
      before = at;
    }
    const last = found.at(-1);
    const tip = last && figure.bones[last.bone].tip;
    if (!last || !tip) return;
    const at = ends.push({ bone: last.bone, tip }) - 1;
    sticks.push({ from: before, to: at, side, foot: /Toes$|Foot$/.test(last.name) });
  };
  chain(TRUNK, 'm');
  const top = ['upperChest', 'chest', 'spine', 'hips'].find((name) => all[name] !== undefined) ?? 'hips';
  for (const side of ['left', 'right'] as const) {
    const of = (names: readonly string[]): string[] => names.map((name) => `${side}${name}`);
    chain([top, ...of(['Shoulder', 'UpperArm', 'LowerArm', 'Hand'])], side === 'left' ? 'l' : 'r');
    chain(['hips', ...of(['UpperLeg', 'LowerLeg', 'Foot', 'Toes'])], side === 'left' ? 'l' : 'r');
    for (const finger of FINGERS) {
      const phalanges = ['Metacarpal', 'Proximal', 'Intermediate', 'Distal'].map(
        (name) => `${finger}${name}`,
      );
      if (of(phalanges).every((name) => all[name] === undefined)) continue;
      chain(of(['Hand', ...phalanges]), side === 'left' ? 'l' : 'r');
    }
  }
  return { ends, sticks };
}

export interface End {
  readonly bone: number;
  readonly tip?: Vec3;
}

/** Left, up and forward of each end in mm, three numbers, a list a frame. */
function framesOf(played: PlayedMotion, ends: readonly End[], times: readonly number[]): number[][] {
  const { figure, motion, humanoid, scale } = played;
  const { up, left, forward } = humanoid;
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const axes = [left, up, forward];
  const frames = times.map((time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return ends.flatMap(({ bone, tip = [0, 0, 0] }) => {
      const w = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
      const at = [0, 1, 2].map(
        (r) => w[9 + r] + w[3 * r] * tip[0] + w[3 * r + 1] * tip[1] + w[3 * r + 2] * tip[2],
      );
      return axes.map((axis) => scale * vec3.dot(axis, at));
    });
  });
  const heights = (frame: readonly number[]): number[] => frame.filter((_, k) => k % 3 === 1);
  const ground =
    played.ground ??
    frames.reduce((least, frame) => Math.min(least, ...heights(frame)), Number.POSITIVE_INFINITY);
  return frames.map((frame) => frame.map((x, k) => Math.round(1000 * (k % 3 === 1 ? x - ground : x))));
}

/** Markup of the player: a canvas, buttons, its data and its program. @param times - Of the frames that contacts are given for. */
export function player(
  motions: readonly PlayedMotion[],
  contacts: readonly PlayedContact[],
  times: ArrayLike<number>,
): string {
  const every = Math.max(1, Math.ceil(times.length / MAX_FRAMES));
  const chosen = Array.from(times, (_, f) => f).filter((f) => f % every === 0);
  const shown = chosen.map((f) => times[f]);
  const data = {
    times: shown.map((time) => Number((time - shown[0]).toFixed(4))),
    start: shown[0],
    figures: motions.map((played) => {
      const { ends, sticks } = sticksOf(played.figure, played.humanoid.bones);
      return {
        title: played.title,
        sticks: sticks.map(({ from, to, side, foot }) => [from, to, side, foot ? 1 : 0]),
        frames: framesOf(played, ends, shown),
      };
    }),
    // Of the last figure, by frame: feet in contact.
    feet: (['left', 'right'] as const).map((side) =>
      chosen.map((f) =>
        contacts.some((contact) => contact.foot === side && contact.inContact[f] === 1) ? 1 : 0,
      ),
    ),
  };
  // No name of a file ends the script.
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  return (
    '<div class="player"><canvas width="1040" height="420" role="img" aria-label="The clip and the result, side by side"></canvas>' +
    '<p><button type="button">pause</button> <input type="range" min="0" value="0" step="1" aria-label="time"> <output></output> ' +
    '<label><input type="checkbox" checked> follow</label> <span class="note">drag to turn; blue: left, grey: right, orange: foot in contact</span></p></div>' +
    `<script type="application/json" id="player-data">${text}</script><script>${PROGRAM}</script>`
  );
}

const PROGRAM = `
(() => {
  const data = JSON.parse(document.getElementById('player-data').textContent);
  const root = document.querySelector('.player');
  const [canvas, button, slider, output, follow] = ['canvas', 'button', 'input[type=range]', 'output', 'input[type=checkbox]'].map((s) => root.querySelector(s));
  const ctx = canvas.getContext('2d');
  const { times, figures, feet } = data;
  const last = times.length - 1;
  slider.max = last;
  let yaw = 0.6, frame = 0, playing = true, since = performance.now();
  const all = figures.flatMap(({ frames }) => frames);
  let tall = 1;
  for (const f of all) for (let k = 1; k < f.length; k += 3) tall = Math.max(tall, f[k]);
  const middle = [0, 2].map((k) => {
    let low = Infinity, high = -Infinity;
    for (const f of all) { low = Math.min(low, f[k]); high = Math.max(high, f[k]); }
    return { at: (low + high) / 2, span: high - low };
  });
  const colors = { l: '#0b3c5d', r: '#9db4c6', m: '#444' };
  function draw() {
    const { width, height } = canvas;
    ctx.clearRect(0, 0, width, height);
    const cell = width / figures.length;
    const c = Math.cos(yaw), s = Math.sin(yaw);
    figures.forEach(({ title, sticks, frames }, n) => {
      const f = frames[frame];
      const wide = follow.checked ? 0 : Math.max(middle[0].span, middle[1].span);
      const scale = Math.min((height - 60) / (1.08 * tall), cell / (wide + tall));
      const center = follow.checked ? [f[0], f[2]] : middle.map(({ at }) => at);
      const at = (x, y, z) => {
        const u = x - center[0], w = z - center[1];
        const across = c * u - s * w, near = s * u + c * w;
        return [cell * (n + 0.5) + scale * across, height - 34 - scale * (y - 0.18 * near), near];
      };
      ctx.save();
      ctx.beginPath(); ctx.rect(cell * n, 0, cell, height); ctx.clip();
      ctx.strokeStyle = '#e5e5e5'; ctx.lineWidth = 1;
      const grid = 500, half = 2500;
      const gx = Math.round(center[0] / grid) * grid, gz = Math.round(center[1] / grid) * grid;
      ctx.beginPath();
      for (let k = -half; k <= half; k += grid) {
        ctx.moveTo(...at(gx + k, 0, gz - half).slice(0, 2)); ctx.lineTo(...at(gx + k, 0, gz + half).slice(0, 2));
        ctx.moveTo(...at(gx - half, 0, gz + k).slice(0, 2)); ctx.lineTo(...at(gx + half, 0, gz + k).slice(0, 2));
      }
      ctx.stroke();
      const point = (k) => at(f[3 * k], f[3 * k + 1], f[3 * k + 2]);
      const lines = sticks.map(([from, to, side, foot]) => ({ a: point(from), b: point(to), side, foot }));
      lines.sort((p, q) => p.a[2] + p.b[2] - q.a[2] - q.b[2]);
      ctx.lineCap = 'round'; ctx.lineWidth = 3.5;
      for (const { a, b, side, foot } of lines) {
        const touches = foot && (side === 'l' ? feet[0] : feet[1])[frame];
        ctx.strokeStyle = touches ? '#d55e00' : colors[side];
        ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(b[0], b[1]); ctx.stroke();
      }
      ctx.fillStyle = '#222'; ctx.font = '14px system-ui, sans-serif'; ctx.textAlign = 'center';
      ctx.fillText(title, cell * (n + 0.5), height - 10);
      ctx.restore();
    });
    slider.value = frame;
    output.textContent = (data.start + times[frame]).toFixed(2) + ' s';
  }
  function tick(now) {
    if (playing) {
      const time = ((now - since) / 1000) % (times[last] + 0.4 || 1);
      frame = 0;
      while (frame < last && times[frame + 1] <= time) frame++;
      draw();
    }
    requestAnimationFrame(tick);
  }
  button.onclick = () => {
    playing = !playing;
    button.textContent = playing ? 'pause' : 'play';
    since = performance.now() - 1000 * times[frame];
  };
  slider.oninput = () => {
    if (playing) button.onclick();
    frame = Number(slider.value);
    draw();
  };
  follow.onchange = draw;
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (event.buttons === 0) return;
    yaw += 0.01 * event.movementX;
    draw();
  };
  draw();
  requestAnimationFrame(tick);
})();
`;
