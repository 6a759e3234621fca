/** A motion as stick figures side by side, as SVG. */
import { createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import type { SpacetimeExample } from './problems/example.js';

interface Frame {
  /** s */
  readonly time: number;
  readonly pose: ArrayLike<number>;
}

/** px */
const HEIGHT = 230;
const FLOOR = 196;
/** Size of times: a share of the width, between bounds, px. */
const TEXT = { share: 1 / 80, least: 12, most: 24 };
const INK = '#1d2733';
const FAR = '#9aa6b4';
const ACCENT = '#2f66d0';
const ASKED = '#e8590c';

/** Width of a pose, px. */
export const poseWidth = ({ view }: SpacetimeExample): number => (view.apart * (FLOOR - 26)) / view.height;

/** Frames side by side, each with the motion's own displacement added to its column. */
export function drawStrip(example: SpacetimeExample, frames: readonly Frame[]): string {
  const { figure, view } = example;
  const scale = (FLOOR - 26) / view.height;
  const apart = poseWidth(example);
  const width = apart * frames.length;
  const text = Math.min(TEXT.most, Math.max(TEXT.least, TEXT.share * width)).toFixed(0);
  const yaw = (view.yaw * Math.PI) / 180;
  const across = (x: number, z: number): number => Math.cos(yaw) * x + Math.sin(yaw) * z;
  const texts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="${text}" fill="${INK}">`,
    `<title>${example.title}</title>`,
    `<rect width="${width.toFixed(0)}" height="${HEIGHT}" fill="#fff"/>`,
    `<path d="M0 ${FLOOR}H${width.toFixed(0)}" stroke="#c9ced5"/>`,
  ];
  frames.forEach(({ time, pose }, panel) => {
    // The first coordinates of the hips are their displacement from rest, above the origin.
    const middle = view.middle === 'hips' ? across(pose[0], pose[2]) : view.middle;
    const place = (p: Triple): readonly [number, number] => [
      apart * (panel + 0.5) + scale * (across(p[0], p[2]) - middle),
      FLOOR - scale * p[1],
    ];
    for (const { from, to, radius } of example.logs ?? []) {
      const [x, y] = place([0.5 * (from[0] + to[0]), from[1], 0.5 * (from[2] + to[2])]);
      const r = scale * radius;
      if (Math.abs(x - apart * (panel + 0.5)) + r > 0.5 * apart) continue;
      const dx = Math.sqrt(Math.max(0, r * r - (FLOOR - y) ** 2));
      texts.push(
        `<path d="M${at([x - dx, FLOOR])}A${r.toFixed(1)} ${r.toFixed(1)} 0 0 1 ${at([x + dx, FLOOR])}Z" fill="#d9c7ae" stroke="#a98b62"/>`,
      );
    }
    for (const mark of example.marks ?? []) {
      const [x, y] = place(mark);
      texts.push(
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="5" fill="none" stroke="${ASKED}" stroke-width="1.5"/>`,
      );
    }
    for (const { points, color, stroke } of linesOf(example, pose)) {
      const d = points.map((p, k) => `${k === 0 ? 'M' : 'L'}${at(place(p))}`).join('');
      texts.push(
        `<path d="${d}" fill="none" stroke="${color}" stroke-width="${stroke}" stroke-linecap="round" stroke-linejoin="round"/>`,
      );
    }
    const head = headOf(figure, pose);
    if (head !== undefined) {
      const [x, y] = place(head);
      texts.push(
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(0.1 * scale).toFixed(1)}" fill="${INK}"/>`,
      );
    }
    texts.push(
      `<text x="${(apart * (panel + 0.5)).toFixed(1)}" y="${HEIGHT - 12}" text-anchor="middle" fill="#566373">${time.toFixed(2)} s</text>`,
    );
  });
  texts.push('</svg>');
  return `${texts.join('\n')}\n`;
}

const at = ([x, y]: readonly [number, number]): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

interface Line {
  readonly points: readonly Triple[];
  readonly color: string;
  readonly stroke: number;
}

/** Lines from parents to bones and to tips, and contact outlines; sorted back to front. */
function linesOf({ figure, data, traced }: SpacetimeExample, pose: ArrayLike<number>): Line[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const w = state.worldFromBone;
  const placed = (bone: number, [x, y, z]: readonly number[]): Triple => {
    const o = 12 * bone;
    const row = (r: number): number =>
      w[o + 3 * r] * x + w[o + 3 * r + 1] * y + w[o + 3 * r + 2] * z + w[o + 9 + r];
    return [row(0), row(1), row(2)];
  };
  const human = figure.bones.some(({ name }) => name === 'neck');
  const parents = new Set(figure.bones.map(({ parent }) => parent));
  const lines: Line[] = [];
  for (const { index, name, parent, tip, rest } of figure.bones) {
    const color = name.startsWith('left') ? FAR : name === traced ? ACCENT : INK;
    const stroke = name === traced ? 4 : 3;
    if (parent >= 0 && Math.hypot(...rest.position) > 0.02) {
      lines.push({
        points: [placed(parent, [0, 0, 0]), placed(index, [0, 0, 0])],
        color: name.startsWith('left') ? FAR : INK,
        stroke: 3,
      });
    }
    if (tip && !parents.has(index) && !(name === 'head' && human)) {
      lines.push({ points: [placed(index, [0, 0, 0]), placed(index, tip)], color, stroke });
    }
  }
  const outlines = new Map<number, Triple[]>();
  for (const term of data.terms) {
    if (term.type !== 'contact') continue;
    const bone = figure.bones.findIndex(({ name }) => name === term.bone);
    const points = outlines.get(bone) ?? [];
    for (const point of term.points as readonly (readonly number[])[]) {
      const p = placed(bone, point);
      if (!points.some((q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1e-6)) points.push(p);
    }
    outlines.set(bone, points);
  }
  for (const [bone, points] of outlines) {
    const color = figure.bones[bone].name.startsWith('left') ? FAR : INK;
    lines.push({ points: [...points, points[0]], color, stroke: 3 });
  }
  return lines.sort((a, b) => (a.color === FAR ? 0 : 1) - (b.color === FAR ? 0 : 1));
}

/** Centre of the skull, if there is one. */
function headOf(figure: Figure, pose: ArrayLike<number>): Triple | undefined {
  const head = figure.bones.find(({ name }) => name === 'head');
  if (head === undefined || !figure.bones.some(({ name }) => name === 'neck')) return undefined;
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * head.index;
  const w = state.worldFromBone;
  const row = (r: number): number => w[o + 3 * r + 1] * 0.08 + w[o + 3 * r + 2] * 0.02 + w[o + 9 + r];
  return [row(0), row(1), row(2)];
}
