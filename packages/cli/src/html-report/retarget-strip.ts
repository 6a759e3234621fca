/** What retargeting did to a clip, as an SVG: poses of the clip, carried alone and with contacts held, and feet in a contact close up. */
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { type Vec3, vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { type ContactReport, retargetMotion } from 'poise/retarget';
import { decimals } from '../io/parse-number.js';
import type { RetargetedClip } from '../retarget/retarget-clip.js';
import { type End, type Stick, sticksOf } from './body.js';
import { COLORS, escaped, polyline, px } from './markup.js';

/** Poses in a row, px of a row and of the width. */
const POSES = 8;
const ROW = 200;
const WIDTH = 960;
const MARGIN = 16;
/** Height of a figure in its row. */
const TALL = 150;
/** Of a foot close up: frames at most, px of its picture, and its width over the distance from heel to ball. */
const FRAMES = 12;
const CLOSE = 180;
/** Below the ground in it, px, where no foot is deeper; and around a foot. */
const UNDER = 38;
const EDGE = 8;
const ACROSS = 2.7;

type Point = readonly [number, number];

const SIDES: Readonly<Record<Stick['side'], string>> = { l: COLORS[0], r: COLORS[1], m: '#4a5563' };

/** A motion of one of the two bodies, seen from its right. */
interface Row {
  readonly title: string;
  readonly sticks: readonly Stick[];
  /** Ends of sticks at a frame: forward and up, m. */
  readonly points: (frame: number) => Point[];
  /** Ankle, heel and ball of a foot at a frame. */
  readonly foot: (frame: number, name: 'left' | 'right') => [ankle: Point, heel: Point, ball: Point];
  /** Height of the ground. */
  readonly ground: number;
  /** Of the figure, m. */
  readonly height: number;
}

/** A contact of a foot, from heel strike to toe-off: first and last frame. */
interface Stance {
  readonly foot: 'left' | 'right';
  readonly from: number;
  readonly to: number;
}

/** Deterministic: the same clip and rig give the same bytes. */
export function retargetStrip(retargeted: RetargetedClip): Uint8Array {
  const { clip, retargeter, motion, report } = retargeted;
  const { times, contacts } = report;
  const rate = (times.length - 1) / (motion.end - motion.start);
  const carried = retargetMotion(retargeter, clip.motion, { contacts: [], rate });
  const { source, result } = retargeter.alignment;
  const common = { figure: retargeter.target, body: result, scale: 1, times, ground: retargeter.ground };
  const start = clip.motion.start - motion.start;
  const rows = [
    rowOf({
      title: `the clip: ${clip.figure.name}, scaled`,
      figure: clip.figure,
      motion: clip.motion,
      body: source,
      scale: retargeter.scale,
      times: times.map((time) => time + start),
    }),
    rowOf({ ...common, title: 'rotations carried alone', motion: carried.motion }),
    rowOf({ ...common, title: 'with contacts held', motion }),
  ];
  const parts = rows.map((row, k) => rowMarkup(row, times, k * ROW + MARGIN));
  const stances = (['left', 'right'] as const).flatMap((foot) => longest(contacts, foot, times.length));
  let y = rows.length * ROW + MARGIN;
  for (const stance of stances) {
    const wide = (WIDTH - 2 * MARGIN) / 2;
    const pair = [rows[1], rows[2]];
    const view = viewOf(pair, rows[2], stance, wide - MARGIN);
    pair.forEach((row, k) => {
      parts.push(closeUp(row, view, stance, contacts, times, [MARGIN + k * wide, y], wide - MARGIN));
    });
    y += CLOSE + 56;
  }
  const title = `'${clip.motion.name}' of ${clip.figure.name} on ${retargeter.target.name}`;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${px(y)}" width="${WIDTH}" height="${px(y)}" font-family="sans-serif" font-size="13" fill="#333">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${px(y)}" fill="#fff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
  return new TextEncoder().encode(svg);
}

interface RowOptions {
  readonly title: string;
  readonly figure: Figure;
  readonly motion: Motion;
  readonly body: RetargetedClip['retargeter']['alignment']['result'];
  readonly scale: number;
  readonly times: ArrayLike<number>;
  /** Left out: the height of the lowest sole. */
  readonly ground?: number;
}

function rowOf({ title, figure, motion, body, scale, times, ground }: RowOptions): Row {
  const { bones } = body.humanoid;
  const { ends, sticks } = sticksOf(figure, bones, body.legs);
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const { up } = figure;
  const at = (bone: number, tip: Vec3 = [0, 0, 0]): Vec3 => {
    const [o, m] = [12 * bone, state.worldFromBone];
    return [0, 1, 2].map((k) => m[o + 9 + k] + vec3.dot(m.subarray(o + 3 * k, o + 3 * k + 3), tip));
  };
  const show = (frame: number): void => {
    forwardKinematics(state, samplePose(sampler, times[frame], pose));
  };
  const hips = bones.hips as number;
  // Forward is where the clip goes, else where the body looks.
  show(0);
  const first = at(hips);
  show(times.length - 1);
  const way = vec3.addScaled(
    vec3.subtract(at(hips), first),
    up,
    -vec3.dot(vec3.subtract(at(hips), first), up),
  );
  forwardKinematics(state, new Float64Array(figure.dof));
  const rest = ends.map(({ bone, tip }) => vec3.dot(at(bone, tip), up));
  const height = scale * (Math.max(...rest) - Math.min(...rest));
  const forward = scale * vec3.norm(way) > 0.5 * height ? vec3.normalize(way) : body.humanoid.forward;
  const flat = (point: Vec3): Point => [scale * vec3.dot(point, forward), scale * vec3.dot(point, up)];
  const row = {
    title,
    sticks,
    points: (frame: number): Point[] => {
      show(frame);
      return ends.map(({ bone, tip }: End) => flat(at(bone, tip)));
    },
    foot: (frame: number, name: 'left' | 'right'): [Point, Point, Point] => {
      show(frame);
      const leg = body.legs.find((each) => each.name === name) as (typeof body.legs)[number];
      return [flat(at(leg.foot)), flat(at(leg.foot, leg.heel)), flat(at(leg.foot, leg.ball))];
    },
    height,
  };
  const lowest = (): number => {
    const soles = Array.from(times, (_, f) =>
      (['left', 'right'] as const).flatMap((name) =>
        row
          .foot(f, name)
          .slice(1)
          .map(([, v]) => v),
      ),
    );
    return Math.min(...soles.flat());
  };
  return { ...row, ground: ground === undefined ? lowest() : scale * ground };
}

/** Poses side by side, evenly in time, each in the middle of its cell. */
function rowMarkup(
  { title, sticks, points, ground, height }: Row,
  times: ArrayLike<number>,
  top: number,
): string {
  const scale = TALL / height;
  const cell = (WIDTH - 2 * MARGIN) / POSES;
  const bottom = top + ROW - 28;
  const elements = [
    `<text x="${MARGIN}" y="${px(top + 4)}">${escaped(title)}</text>`,
    `<path d="M${MARGIN} ${px(bottom)}H${WIDTH - MARGIN}" stroke="#c3c9d1"/>`,
  ];
  for (let k = 0; k < POSES; k++) {
    const frame = Math.round((k / (POSES - 1)) * (times.length - 1));
    const ends = points(frame);
    // The hips are the first.
    const toPicture = ([x, y]: Point): Point => [
      MARGIN + (k + 0.5) * cell + scale * (x - ends[0][0]),
      bottom - scale * (y - ground),
    ];
    for (const side of ['l', 'm', 'r'] as const) {
      const lines = sticks.filter((stick) => stick.side === side);
      const d = lines.map(({ from, to }) => polyline([ends[from], ends[to]].map(toPicture))).join('');
      elements.push(
        `<path d="${d}" fill="none" stroke="${SIDES[side]}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>`,
      );
    }
    if (top < ROW) {
      const time = (times[frame] - times[0]).toFixed(2);
      elements.push(
        `<text x="${px(MARGIN + (k + 0.5) * cell)}" y="${px(bottom + 14)}" text-anchor="middle" font-size="11" fill="#7a8492">${time} s</text>`,
      );
    }
  }
  return elements.join('\n');
}

/** The longest stance of a foot, of those that the clip does not cut where there are any. */
function longest(contacts: readonly ContactReport[], foot: Stance['foot'], count: number): Stance[] {
  const down = (frame: number): boolean =>
    contacts.some((contact) => 'foot' in contact && contact.foot === foot && contact.inContact[frame] === 1);
  const stances: Stance[] = [];
  for (let f = 0; f < count; f++) {
    if (!down(f)) continue;
    const from = f;
    while (f + 1 < count && down(f + 1)) f++;
    stances.push({ foot, from, to: f });
  }
  const whole = stances.filter(({ from, to }) => from > 0 && to < count - 1);
  const by = (a: Stance, b: Stance): number => b.to - b.from - (a.to - a.from);
  return [...(whole.length > 0 ? whole : stances)].sort(by).slice(0, 1);
}

/** What the pictures of a foot close up show. */
interface View {
  /** px a metre. */
  readonly scale: number;
  /** From the picture's lower edge to the ground, px. */
  readonly under: number;
  /** The middle of each row, forward. */
  readonly centers: ReadonlyMap<Row, number>;
}

/** Frames of a stance that are drawn. */
function drawnFrames({ from, to }: Stance): number[] {
  const step = Math.max(1, Math.ceil((to - from) / (FRAMES - 1)));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => from + k * step);
}

/** One view for all rows, in which every drawn frame of the foot lies. */
function viewOf(rows: readonly Row[], reference: Row, stance: Stance, wide: number): View {
  const { foot, from, to } = stance;
  const [, heel, ball] = reference.foot(Math.round((from + to) / 2), foot);
  const long = Math.hypot(heel[0] - ball[0], heel[1] - ball[1]);
  let [aside, high, deep] = [0, 0, 0];
  const centers = new Map(
    rows.map((row) => {
      // All pictures are about the place where the foot is held.
      const center = 0.5 * (heel[0] + ball[0]) - hipsAt(reference, from) + hipsAt(row, from);
      for (const [u, v] of drawnFrames(stance).flatMap((f) => row.foot(f, foot))) {
        aside = Math.max(aside, Math.abs(u - center));
        high = Math.max(high, v - row.ground);
        deep = Math.max(deep, row.ground - v);
      }
      return [row, center];
    }),
  );
  const scale = Math.min(
    wide / (ACROSS * long),
    (0.5 * wide - EDGE) / aside,
    (CLOSE - 2 * EDGE) / (high + deep),
    (CLOSE - UNDER - EDGE) / high,
  );
  return { scale, under: Math.max(UNDER, scale * deep + EDGE), centers };
}

/** A foot over a stance, frames over each other: points in contact as dots, which lie on each other where the foot stays. */
function closeUp(
  row: Row,
  { scale, under, centers }: View,
  stance: Stance,
  contacts: readonly ContactReport[],
  times: ArrayLike<number>,
  [x, y]: Point,
  wide: number,
): string {
  const { foot, from, to } = stance;
  const center = centers.get(row) as number;
  const bottom = y + CLOSE - under;
  const toPicture = ([u, v]: Point): Point => [
    x + 0.5 * wide + scale * (u - center),
    bottom - scale * (v - row.ground),
  ];
  const lines: string[] = [];
  const dots: string[] = [];
  let [most, deepest] = [0, 0];
  const began = new Map<string, number>();
  const drawn = new Set(drawnFrames(stance));
  for (let f = from; f <= to; f++) {
    const [ankle, ...sole] = row.foot(f, foot);
    const isDrawn = drawn.has(f);
    if (isDrawn) {
      lines.push(
        `<path d="${polyline([ankle, sole[0], sole[1], ankle].map(toPicture))}Z" fill="none" stroke="#4a5563" stroke-opacity="0.45" stroke-width="1.4" stroke-linejoin="round"/>`,
      );
    }
    (['heel', 'ball'] as const).forEach((point, k) => {
      const contact = contacts.find((each) => 'foot' in each && each.foot === foot && each.point === point);
      if (contact?.inContact[f] !== 1) {
        began.delete(point);
        return;
      }
      const first = began.get(point) ?? sole[k][0];
      began.set(point, first);
      most = Math.max(most, Math.abs(sole[k][0] - first));
      deepest = Math.max(deepest, row.ground - sole[k][1]);
      const [u, v] = toPicture(sole[k]);
      const color = point === 'heel' ? COLORS[1] : COLORS[0];
      if (isDrawn)
        dots.push(`<circle cx="${px(u)}" cy="${px(v)}" r="4" fill="${color}" fill-opacity="0.5"/>`);
    });
  }
  const clip = `close-${foot}-${px(x)}`;
  const seconds = (frame: number): string => (times[frame] - times[0]).toFixed(2);
  const slides = `slides ${decimals(1000 * most, 1)} mm forward or back, ${decimals(1000 * deepest, 1)} mm below the ground`;
  return [
    `<clipPath id="${clip}"><rect x="${px(x)}" y="${px(y)}" width="${px(wide)}" height="${CLOSE}"/></clipPath>`,
    `<rect x="${px(x)}" y="${px(y)}" width="${px(wide)}" height="${CLOSE}" fill="#f6f7f9" rx="6"/>`,
    `<g clip-path="url(#${clip})"><path d="M${px(x)} ${px(bottom)}h${px(wide)}" stroke="#9aa4b1"/>`,
    ...lines,
    ...dots,
    '</g>',
    `<text x="${px(x)}" y="${px(y + CLOSE + 16)}">${foot} foot, ${seconds(from)} to ${seconds(to)} s, ${row.title}</text>`,
    `<text x="${px(x)}" y="${px(y + CLOSE + 33)}" fill="#7a8492">${slides}</text>`,
  ].join('\n');
}

/** Where the hips are, forward. */
function hipsAt({ points }: Row, frame: number): number {
  return points(frame)[0][0];
}
