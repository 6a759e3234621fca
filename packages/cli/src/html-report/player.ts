/** A player of motions side by side, as stick figures that turn with the mouse or the keys. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';
import { type Vec3, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { bonesOf, type End, headOf, type Leg, sticksOf } from './body.js';
import { escaped } from './markup.js';

/** A body of the player. */
export interface PlayedFigure {
  readonly title: string;
  /** Left out: points alone. */
  readonly figure?: Figure;
  /** Where the figure has the bones of a human, these are drawn. */
  readonly humanoid?: Humanoid;
  /** Of a human, with the balls of its feet. */
  readonly legs?: readonly Leg[];
  /** Bones that have something to draw. Default: all. */
  readonly drawn?: readonly boolean[];
  /** Where there is no figure. */
  readonly up?: Vec3;
  /** Height of the ground along its up, m; `first` for a figure in the place and size of the one before; left out: its lowest point. */
  readonly ground?: number | 'first';
  /** What the points of a take are: tails and heads of arrows, measured markers and their places on the body, or dots. */
  readonly points?: 'arrows' | 'pairs' | 'dots';
}

/** A clip that is played. */
export interface Take {
  readonly name: string;
  /** s */
  readonly times: ArrayLike<number>;
  /** Of each figure; undefined for the rest pose. */
  readonly motions: readonly (Motion | undefined)[];
  readonly contacts?: readonly PlayedContact[];
  /** Points of the last figure at a frame, world, m; undefined for one that is not there. */
  readonly points?: (frame: number) => readonly (Vec3 | undefined)[];
}

/** A point of a foot, or of a hand, which is not shown, that is in contact over some frames. */
export interface PlayedContact {
  readonly foot?: 'left' | 'right';
  readonly inContact: ArrayLike<number>;
}

/** Frames of a take, and of all together, at most. */
const MAX_FRAMES = 400;
const MAX_ALL = 1600;
/** Numbers of a figure are in parts of its size. */
const PARTS = 4000;
/** Size of a figure that is one point, m. */
const POINT_SIZE = 1;

/** The axes of a figure: left, up and forward. */
function axesOf({ humanoid, figure, up: given }: PlayedFigure): readonly [Vec3, Vec3, Vec3] {
  if (humanoid) return [humanoid.left, humanoid.up, humanoid.forward];
  const up = figure?.up ?? given ?? [0, 1, 0];
  // Robots face x where z is up, characters face z where y is.
  const forward: Vec3 = Math.abs(up[2]) > 0.9 ? [1, 0, 0] : Math.abs(up[1]) > 0.9 ? [0, 0, 1] : [0, 1, 0];
  return [vec3.cross(up, forward), up, forward];
}

/** Lines and points of a figure, and where they are. */
function createDrawing(played: PlayedFigure): {
  readonly shape: object;
  /** Left, up and forward of each end and point, m, a list a frame; NaN for a point that is not there. */
  readonly framesOf: (take: Take, motion: Motion | undefined, chosen: readonly number[]) => number[][];
} {
  const { figure, humanoid, points: kind } = played;
  const axes = axesOf(played);
  const { ends, sticks } =
    figure === undefined
      ? { ends: [], sticks: [] }
      : humanoid
        ? sticksOf(figure, humanoid.bones, played.legs)
        : bonesOf(figure, played.drawn);
  const head = figure && humanoid && headOf(figure, humanoid);
  const bodyEnds: readonly End[] = head ? [...ends, { bone: head.bone }, head] : ends;
  const shape = {
    title: played.title,
    sticks: sticks.map(({ from, to, side, foot }) => [from, to, side, foot ? 1 : 0]),
    heads: head ? [[ends.length, ends.length + 1]] : [],
    ends: bodyEnds.length,
    ...(kind && { points: kind }),
  };
  const state = figure && createState(figure);
  const flat = (point: Vec3): number[] => axes.map((axis) => vec3.dot(axis, point));
  const framesOf = (take: Take, motion: Motion | undefined, chosen: readonly number[]): number[][] => {
    const sampler = figure && motion && createMotionSampler(figure, motion);
    const pose = new Float64Array(figure?.dof ?? 0);
    return chosen.map((f) => {
      const time = take.times[f] - take.times[0] + (motion?.start ?? 0);
      if (state) forwardKinematics(state, sampler ? samplePose(sampler, time, pose) : pose);
      const body = bodyEnds.flatMap(({ bone, tip = [0, 0, 0] }) => {
        const w = (state as NonNullable<typeof state>).worldFromBone.subarray(12 * bone, 12 * bone + 12);
        return flat([0, 1, 2].map((r) => w[9 + r] + vec3.dot(w.subarray(3 * r, 3 * r + 3), tip)));
      });
      const points = kind ? (take.points?.(f) ?? []) : [];
      return [...body, ...points.flatMap((point) => (point ? flat(point) : [NaN, NaN, NaN]))];
    });
  };
  return { shape, framesOf };
}

/** Markup of the player: a picture, buttons and its data. Its program is {@link PLAYER}. @param takes - Clips, the first of which is shown. */
export function player(figures: readonly PlayedFigure[], takes: readonly Take[]): string {
  const most = Math.max(24, Math.min(MAX_FRAMES, Math.floor(MAX_ALL / takes.length)));
  const drawings = figures.map(createDrawing);
  const data = {
    figures: drawings.map(({ shape }) => shape),
    takes: takes.map((take) => {
      const { times, motions, contacts = [] } = take;
      const every = Math.max(1, Math.ceil(times.length / most));
      const chosen = Array.from(times, (_, f) => f).filter((f) => f % every === 0);
      const frames = drawings.map(({ framesOf }, k) => framesOf(take, motions[k], chosen));
      return {
        start: Number(times[0].toFixed(4)),
        times: chosen.map((f) => Number((times[f] - times[0]).toFixed(4))),
        frames: onGround(frames, figures),
        // By frame: feet in contact.
        feet: (['left', 'right'] as const).map((side) =>
          chosen.map((f) =>
            contacts.some((contact) => contact.foot === side && contact.inContact[f] === 1) ? 1 : 0,
          ),
        ),
      };
    }),
  };
  // No name of a file ends the script.
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  const options = takes.map(({ name }, k) => `<option value="${k}">${escaped(name)}</option>`).join('');
  const choice = takes.length > 1 ? `<select aria-label="clip">${options}</select> ` : '';
  const isStill = takes.every(({ times }) => times.length < 2);
  const controls = isStill
    ? ''
    : '<button type="button">pause</button><input type="range" min="0" value="0" step="1" aria-label="time"><output></output><label><input type="checkbox" checked> follow</label>';
  const names = figures.map(({ title }) => `<span>${escaped(title)}</span>`).join('');
  return (
    `<div class="player"><canvas tabindex="0" role="img" aria-label="${escaped(figures.map(({ title }) => title).join(', '))}: left and right keys turn the view, space plays"></canvas>` +
    `<div class="names">${names}</div><div class="controls">${choice}${controls}</div></div>` +
    '<noscript><p class="note">The player needs JavaScript; all below does not.</p></noscript>' +
    `<script type="application/json" id="player-data">${text}</script>`
  );
}

/**
 * Frames as whole parts of the size of each figure, above the ground; null for what is not there. Figures on one ground have one size: their height over
 * it or, where that is more, their width in a frame.
 */
function onGround(
  all: readonly (readonly (readonly number[])[])[],
  figures: readonly PlayedFigure[],
): (number | null)[][][] {
  let [level, parts] = [0, PARTS / POINT_SIZE];
  return all.map((frames, k) => {
    const { ground } = figures[k];
    if (ground !== 'first') {
      const ranges = frames.map((frame) => [0, 1, 2].map((axis) => rangeOf(frame, axis)));
      const low = Math.min(...ranges.map(([, height]) => height.low));
      const high = Math.max(...ranges.map(([, height]) => height.high));
      const widths = ranges.flatMap(([left, , ahead]) =>
        [left, ahead].map((range) => range.high - range.low),
      );
      level = ground ?? low;
      const size = Math.max(high - level, ...widths);
      parts = PARTS / (size > 0 ? size : POINT_SIZE);
    }
    return frames.map((frame) =>
      frame.map((x, i) => (Number.isFinite(x) ? Math.round(parts * (i % 3 === 1 ? x - level : x)) : null)),
    );
  });
}

/** Smallest and largest of every third number that is there. */
function rangeOf(frame: readonly number[], axis: number): { readonly low: number; readonly high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = axis; i < frame.length; i += 3) {
    if (!Number.isFinite(frame[i])) continue;
    low = Math.min(low, frame[i]);
    high = Math.max(high, frame[i]);
  }
  return { low, high };
}

/** What drives {@link player}. */
export const PLAYER = `
(() => {
  const data = JSON.parse(document.getElementById('player-data').textContent);
  const root = document.querySelector('.player');
  const [canvas, button, slider, output, follow, choice] = ['canvas', 'button', 'input[type=range]', 'output', 'input[type=checkbox]', 'select'].map((s) => root.querySelector(s));
  const ctx = canvas.getContext('2d');
  const { figures, takes } = data;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let take = takes[0], yaw = 0.6, frame = 0, playing = Boolean(button) && !calm, since = performance.now(), tall = ${PARTS}, middle = [], colors = {}, asked = false;
  function measure() {
    let low = [0, 0], high = [0, 0], first = true;
    tall = ${PARTS};
    for (const frames of take.frames) for (const f of frames) for (let k = 0; k + 2 < f.length; k += 3) {
      if (f[k] === null) continue;
      tall = Math.max(tall, f[k + 1]);
      [f[k], f[k + 2]].forEach((v, i) => { low[i] = first ? v : Math.min(low[i], v); high[i] = first ? v : Math.max(high[i], v); });
      first = false;
    }
    middle = [0, 1].map((i) => ({ at: (low[i] + high[i]) / 2, span: high[i] - low[i] }));
    if (slider) slider.max = take.times.length - 1;
  }
  function theme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['left', 'right', 'trunk', 'touch', 'force', 'line', 'ink', 'c0', 'c1', 'card']) colors[name] = style.getPropertyValue('--' + name).trim();
    const dots = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * dots));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * dots));
    ask();
  }
  function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(tick);
  }
  function centerOf(f, ends) {
    if (follow && !follow.checked) return middle.map(({ at }) => at);
    if (ends > 0) return [f[0], f[2]];
    let sum = [0, 0], n = 0;
    for (let k = 0; k + 2 < f.length; k += 3) if (f[k] !== null) { sum[0] += f[k]; sum[1] += f[k + 2]; n++; }
    return n > 0 ? [sum[0] / n, sum[1] / n] : middle.map(({ at }) => at);
  }
  function draw() {
    const dots = devicePixelRatio || 1;
    const width = canvas.width / dots, height = canvas.height / dots;
    ctx.setTransform(dots, 0, 0, dots, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const cell = width / figures.length;
    const c = Math.cos(yaw), s = Math.sin(yaw);
    const power = 10 ** Math.floor(Math.log10(tall / 3));
    const grid = power * (tall / 3 / power >= 5 ? 5 : tall / 3 / power >= 2 ? 2 : 1), half = 5 * grid;
    figures.forEach(({ sticks, heads, ends, points }, n) => {
      const f = take.frames[n][frame];
      const still = follow && !follow.checked;
      const wide = still ? Math.max(middle[0].span, middle[1].span) : 0;
      const scale = Math.min((height - 60) / (1.1 * tall), cell / (wide + 0.9 * tall));
      const center = centerOf(f, ends);
      const at = (x, y, z) => {
        const u = x - center[0], w = z - center[1];
        const near = s * u + c * w;
        return [cell * (n + 0.5) + scale * (c * u - s * w), height - 40 - scale * (y - 0.18 * near), near];
      };
      const there = (k) => f[3 * k] !== null && 3 * k + 2 < f.length;
      const point = (k) => at(f[3 * k], f[3 * k + 1], f[3 * k + 2]);
      const stroke = (a, b) => { ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(b[0], b[1]); ctx.stroke(); };
      ctx.save();
      ctx.beginPath(); ctx.rect(cell * n, 0, cell, height); ctx.clip();
      ctx.strokeStyle = colors.line; ctx.lineWidth = 1;
      const gx = Math.round(center[0] / grid) * grid, gz = Math.round(center[1] / grid) * grid;
      for (let k = -half; k <= half; k += grid) {
        stroke(at(gx + k, 0, gz - half), at(gx + k, 0, gz + half));
        stroke(at(gx - half, 0, gz + k), at(gx + half, 0, gz + k));
      }
      const lines = sticks.map(([from, to, side, foot]) => ({ a: point(from), b: point(to), side, foot }));
      for (const [from, to] of heads) lines.push({ a: point(from), b: point(to), head: true, size: scale * Math.hypot(...[0, 1, 2].map((i) => f[3 * from + i] - f[3 * to + i])) });
      lines.sort((p, q) => p.a[2] + p.b[2] - q.a[2] - q.b[2]);
      ctx.lineCap = 'round'; ctx.lineWidth = width < 600 ? 2.6 : 3.6;
      for (const { a, b, side, foot, head, size } of lines) {
        const touches = foot && (side === 'l' ? take.feet[0] : take.feet[1])[frame];
        ctx.strokeStyle = touches ? colors.touch : side === 'l' ? colors.left : side === 'r' ? colors.right : colors.trunk;
        if (!head) { stroke(a, b); continue; }
        ctx.fillStyle = colors.card;
        ctx.beginPath(); ctx.ellipse((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, size / 2, 0.4 * size, Math.atan2(b[1] - a[1], b[0] - a[0]), 0, 7); ctx.fill(); ctx.stroke();
      }
      const dot = (k, color, radius) => { const [x, y] = point(k); ctx.fillStyle = color; ctx.beginPath(); ctx.arc(x, y, radius, 0, 7); ctx.fill(); };
      const paired = points === 'pairs' || points === 'arrows';
      for (let k = ends; points && 3 * k + 2 < f.length; k += paired ? 2 : 1) {
        if (!there(k)) continue;
        if (!paired) { dot(k, colors.c0, 3); continue; }
        if (!there(k + 1)) continue;
        const a = point(k), b = point(k + 1);
        ctx.lineWidth = points === 'arrows' ? 2 : 1.5;
        ctx.strokeStyle = points === 'arrows' ? colors.force : colors.c1;
        stroke(a, b);
        if (points === 'pairs') { dot(k + 1, colors.c0, 2.5); dot(k, colors.c1, 2.5); continue; }
        const way = Math.atan2(b[1] - a[1], b[0] - a[0]);
        for (const turn of [2.6, -2.6]) stroke(b, [b[0] + 7 * Math.cos(way + turn), b[1] + 7 * Math.sin(way + turn)]);
      }
      ctx.restore();
    });
    if (slider) {
      slider.value = frame;
      output.textContent = (take.start + take.times[frame]).toFixed(2) + ' s';
    }
  }
  function tick(now) {
    asked = false;
    const { times } = take, last = times.length - 1;
    if (playing) {
      const time = ((now - since) / 1000) % (times[last] + 0.4 || 1);
      frame = 0;
      while (frame < last && times[frame + 1] <= time) frame++;
      ask();
    }
    draw();
  }
  function play(on) {
    playing = on;
    if (button) button.textContent = on ? 'pause' : 'play';
    since = performance.now() - 1000 * take.times[frame];
    ask();
  }
  if (button) {
    play(playing);
    button.onclick = () => play(!playing);
    slider.oninput = () => { play(false); frame = Number(slider.value); ask(); };
    follow.onchange = ask;
  }
  if (choice) choice.onchange = () => { take = takes[choice.value]; frame = 0; measure(); if (button) play(playing); ask(); };
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (event.buttons === 0) return;
    yaw += 0.01 * event.movementX;
    ask();
  };
  canvas.onkeydown = (event) => {
    const turn = { ArrowLeft: -0.15, ArrowRight: 0.15 }[event.key];
    if (turn) yaw += turn;
    else if (event.key === ' ' && button) play(!playing);
    else return;
    event.preventDefault();
    ask();
  };
  matchMedia('(prefers-color-scheme: dark)').onchange = theme;
  new ResizeObserver(theme).observe(canvas);
  measure();
  theme();
})();
`;
