/** The limits of a figure as an SVG: the figure at rest from the front, from its right and its arms from above, at each joint how far it goes. */
import {
  createLimitPicture,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  type LimitComponent,
  type Triple,
} from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';
import { type Vec3, vec3 } from 'poise/math';
import { COLORS, escaped, polyline, px } from './markup.js';

/** Height of the figure, margin, and height of the line of words below, px. */
const HEIGHT = 560;
const MARGIN = 28;
const LEGEND = 34;
/** Radius of a limit over the length of its limb; bounds of it over the height of the figure. */
const RADIUS = 0.45;
const RADII = [0.018, 0.085] as const;
/** Radius of the arc of a twist over that of the swing, and its place along the limb. */
const TWIST = 0.5;
const TWIST_AT = 0.5;
/** Distance from the middle of the body from which a joint is of its left, over the height. */
const LEFT = 0.02;
/** Sine of the angle from level up to which a limb is drawn from above. */
const LEVEL = 0.6;

type Point = readonly [number, number];
type Kind = 'swing' | 'hinge' | 'twist';

const KINDS: Readonly<Record<Kind, readonly [color: string, words: string]>> = {
  swing: [COLORS[0], 'directions of the limb'],
  hinge: [COLORS[2], 'bending'],
  twist: [COLORS[1], 'rotation about the limb'],
};

/** A limit in the world: a fan of its boundary about the joint. */
interface Fan {
  readonly kind: Kind;
  readonly closed: boolean;
  readonly center: Vec3;
  readonly boundary: readonly Vec3[];
  readonly words: string;
  /** Whether the limb is level rather than upright. */
  readonly isLevel: boolean;
}

/** A direction of view: what points to the right, and up. */
interface View {
  readonly title: string;
  readonly right: Vec3;
  readonly up: Vec3;
  readonly sticks: readonly Vec3[][];
  readonly fans: readonly Fan[];
}

export interface LimitsPictureOptions {
  readonly title: string;
  readonly figure: Figure;
  readonly humanoid: Pick<Humanoid, 'left' | 'up' | 'forward'>;
  /** Bones that have something to draw. */
  readonly drawn: readonly boolean[];
  /** Limits of bones in words, by name. */
  readonly words: ReadonlyMap<string, string>;
}

/** Deterministic: the same figure gives the same bytes. */
export function limitsPicture({ title, figure, humanoid, drawn, words }: LimitsPictureOptions): string {
  const { left, up, forward } = humanoid;
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const world = state.worldFromBone;
  const place = (bone: number, point: Vec3 = [0, 0, 0]): Triple => {
    const o = 12 * bone;
    return [0, 1, 2].map(
      (k) =>
        world[o + 9 + k] +
        world[o + 3 * k] * point[0] +
        world[o + 3 * k + 1] * point[1] +
        world[o + 3 * k + 2] * point[2],
    ) as unknown as Triple;
  };
  const sticks = sticksOf(figure, drawn, place);
  const heights = sticks.flat().map((point) => vec3.dot(point, up));
  const height = Math.max(1e-6, Math.max(...heights) - Math.min(...heights));
  const fans = figure.limitComponents.flatMap((component): Fan[] => {
    const fan = fanOf(figure, component, place, height);
    if (fan === undefined) return [];
    const { name, index } = figure.bones[component.bone];
    const limb = vec3.subtract(place(index, limbOf(figure, index)), place(index));
    const isLevel = Math.abs(vec3.dot(limb, up)) < LEVEL * vec3.norm(limb);
    return [{ ...fan, isLevel, words: `${name}: ${words.get(name) ?? ''}` }];
  });
  const middle = vec3.dot(place(0), left);
  const right = fans.filter(({ center }) => vec3.dot(center, left) - middle < LEFT * height);
  const level = fans.filter(({ isLevel }) => isLevel);
  const arms = sticks.filter(([from, to]) => {
    const way = vec3.subtract(to, from);
    return Math.abs(vec3.dot(way, up)) < LEVEL * vec3.norm(way);
  });
  const scale = HEIGHT / height;
  const front = layOut({ title: 'from the front', right: left, up, sticks, fans }, scale, [MARGIN, MARGIN]);
  const views = [
    front,
    layOut({ title: 'from its right', right: forward, up, sticks, fans: right }, scale, [
      front.end[0] + MARGIN,
      MARGIN,
    ]),
  ];
  if (level.length > 0) {
    const above = {
      title: 'from above',
      right: left,
      up: vec3.scale(forward, -1),
      sticks: arms,
      fans: level,
    };
    views.push(layOut(above, scale, [MARGIN, Math.max(...views.map(({ end }) => end[1])) + 1.5 * MARGIN]));
  }
  const [width, floor] = [0, 1].map((k) => MARGIN + Math.max(...views.map(({ end }) => end[k])));
  const legend = (Object.keys(KINDS) as Kind[]).filter((kind) => fans.some((fan) => fan.kind === kind));
  const full = floor + LEGEND;
  const key = legend.map((kind, k) => {
    const [color, text] = KINDS[kind];
    const at = MARGIN + 190 * k;
    return `<rect x="${px(at)}" y="${px(full - 21)}" width="12" height="12" fill="${color}" fill-opacity="0.35" stroke="${color}"/><text x="${px(at + 18)}" y="${px(full - 11)}">${text}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${px(width)} ${px(full)}" width="${px(width)}" height="${px(full)}" font-family="sans-serif" font-size="13" fill="#333">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${px(width)}" height="${px(full)}" fill="#fff"/>`,
    ...views.map(({ markup }) => markup),
    ...key,
    '</svg>\n',
  ].join('\n');
}

/** Lines from each bone to those below it, and to its tip where none is. */
function sticksOf(
  { bones }: Figure,
  drawn: readonly boolean[],
  place: (bone: number, point?: Vec3) => Vec3,
): Vec3[][] {
  return bones.flatMap(({ index, tip }) => {
    const below = bones.filter(({ parent, index: child }) => parent === index && drawn[child]);
    if (!drawn[index]) return [];
    if (below.length > 0) return below.map((child) => [place(index), place(child.index)]);
    return tip === undefined ? [] : [[place(index), place(index, tip)]];
  });
}

/** @returns undefined for a limit that has no picture. */
function fanOf(
  figure: Figure,
  component: LimitComponent,
  place: (bone: number, point?: Vec3) => Vec3,
  height: number,
): Omit<Fan, 'words' | 'isLevel'> | undefined {
  const picture = createLimitPicture(figure, component);
  if (picture === undefined || picture.shape === 'positions') return undefined;
  const { bone, role, size } = component;
  const limb = limbOf(figure, bone);
  const radius = Math.min(RADII[1] * height, Math.max(RADII[0] * height, RADIUS * vec3.norm(limb)));
  const isTwist = role === 'twist';
  const middle = isTwist ? vec3.scale(limb, TWIST_AT) : [0, 0, 0];
  const r = isTwist ? TWIST * radius : radius;
  const { boundary, closed } = picture;
  return {
    kind: isTwist ? 'twist' : size === 1 ? 'hinge' : 'swing',
    closed,
    center: place(bone, middle),
    // At rest the frame of the bone is the rest frame of its joint.
    boundary: Array.from({ length: boundary.length / 3 }, (_, k) =>
      place(bone, vec3.addScaled(middle, boundary.subarray(3 * k, 3 * k + 3), r)),
    ),
  };
}

/** From a joint to the end of its limb, in the frame of the bone: its tip, or the farthest joint below it. */
function limbOf({ bones }: Figure, bone: number): Vec3 {
  const { tip } = bones[bone];
  if (tip !== undefined && vec3.norm(tip) > 0) return tip;
  return bones
    .filter(({ parent }) => parent === bone)
    .map(({ rest }) => rest.position as Vec3)
    .reduce((most, next) => (vec3.norm(next) > vec3.norm(most) ? next : most), [0, 0, 0] as Vec3);
}

/** A view with its upper left corner at a place of the picture; `end` is the lower right one. */
function layOut(view: View, scale: number, [x, y]: Point): { readonly markup: string; readonly end: Point } {
  const { title, right, up, sticks, fans } = view;
  const flat = (point: Vec3): Point => [scale * vec3.dot(point, right), -scale * vec3.dot(point, up)];
  const all = [...sticks.flat(), ...fans.flatMap(({ boundary }) => boundary)].map(flat);
  const [left, top] = [0, 1].map((k) => Math.min(...all.map((point) => point[k])));
  const toPicture = (point: Vec3): Point => {
    const [u, v] = flat(point);
    // Tenths of a pixel.
    return [Math.round(10 * (x + u - left)) / 10, Math.round(10 * (y + v - top)) / 10];
  };
  const words = `<text x="${px(x)}" y="${px(y - 10)}">${title}</text>`;
  const end = [0, 1].map((k) => Math.max(...all.map((point) => point[k]))) as [number, number];
  return { markup: `${viewMarkup(view, toPicture)}\n${words}`, end: [x + end[0] - left, y + end[1] - top] };
}

function viewMarkup({ sticks, fans }: View, toPicture: (point: Vec3) => Point): string {
  const lines = sticks.map((stick) => polyline(stick.map(toPicture))).join('');
  const shapes = fans.map(({ kind, closed, center, boundary, words }) => {
    const [color] = KINDS[kind];
    const middle = toPicture(center);
    const rim = boundary.map(toPicture);
    const ring = closed ? [...rim, rim[0]] : rim;
    // Sectors that go round one way, so that where they overlap they are filled once.
    const fan = sectorsOf(middle, ring)
      .map((sector) => `${polyline(sector)}Z`)
      .join('');
    const outline = closed ? `${polyline(rim)}Z` : polyline([middle, ...rim, middle]);
    return `<g><title>${escaped(words)}</title><path d="${fan}" fill="${color}" fill-opacity="0.16"/><path d="${outline}" fill="none" stroke="${color}" stroke-width="1.2" stroke-linejoin="round"/></g>`;
  });
  return `<path d="${lines}" fill="none" stroke="#b9c0c9" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/>\n${shapes.join('\n')}`;
}

/** A fan about a point as sectors along which it goes round one way, all the same. */
function sectorsOf(middle: Point, rim: readonly Point[]): Point[][] {
  const sectors: { sign: number; rim: Point[] }[] = [];
  for (let k = 0; k + 1 < rim.length; k++) {
    const [a, b] = [rim[k], rim[k + 1]];
    const area = (a[0] - middle[0]) * (b[1] - middle[1]) - (a[1] - middle[1]) * (b[0] - middle[0]);
    const sign = Math.sign(area);
    const last = sectors[sectors.length - 1];
    if (last?.sign === sign) last.rim.push(b);
    else if (sign !== 0) sectors.push({ sign, rim: [a, b] });
  }
  return sectors.map(({ sign, rim: part }) => [middle, ...(sign > 0 ? part : part.reverse())]);
}
