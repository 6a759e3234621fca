/** The limits of a rig as one self-contained HTML file: the figure, the range of each joint, and where its clips leave them. */
import type { Figure, LimitComponent } from 'poise/figure';
import type { Movement } from '../io/body-limits.js';
import { count, decimals } from '../io/parse-number.js';
import type { LimitedBone, LimitsReport } from '../limits/report.js';
import { percent } from '../retarget/summary.js';
import type { ClipsOutside, OutsideOfLimit } from '../trajectory/clips-outside.js';
import { escaped, polyline, px } from './markup.js';
import { facts, htmlTable, note, page, type Section, verdict, warningList } from './page.js';

export interface LimitsOfRig {
  /** With the limits. */
  readonly figure: Figure;
  readonly said: LimitsReport;
  /** The picture of `--picture`. */
  readonly picture: string;
  readonly outside: ClipsOutside | undefined;
}

/** Deterministic: the same rig gives the same bytes. */
export function limitsHtml({ figure, said, picture, outside }: LimitsOfRig): Uint8Array {
  const { bones, fixed, loose, source, warnings } = said;
  const index = new Map(figure.bones.map((bone) => [bone.name, bone.index]));
  const limited = bones.flatMap((bone) => {
    const at = index.get(bone.bone);
    const components = figure.limitComponents.filter(
      (component) => component.bone === at && isAngle(component),
    );
    return at === undefined || components.length === 0 ? [] : [{ bone, at, components }];
  });
  const cards = limited.map(({ bone, at, components }) =>
    card(bone, components, outside, outside?.bones.get(at)),
  );
  const told: (readonly [string, string])[] = [
    ['rig', source.path ?? 'the built-in human'],
    ['joints', `${count(limited.length, 'joint')} of a human with limits`],
    ...(outside ? [['clips', `${outside.clips}, seen at ${count(outside.samples, 'moment')}`] as const] : []),
  ];
  const sections: Section[] = [
    { title: 'The figure with its limits', body: `<div class="limit-picture">${picture}</div>` },
    { title: 'Where the clips leave the limits', body: outside ? outsideTable(outside) : '' },
    {
      title: 'Each joint',
      body: `<div class="limits">${cards.join('')}</div>${note(
        `Degrees from the rest pose of the rig. Blue: what the joint may do.${outside ? ' Dots and bars: what the clips do, orange where that is beyond. A joint is outside too where a clip turns it about an axis that it does not have.' : ''}`,
      )}`,
    },
    {
      title: 'All bones',
      body:
        htmlTable(
          ['human bone', 'bone', { number: 'sure' }, 'limits'],
          bones.map(({ human, bone, confidence, text }) => [human, bone, decimals(confidence, 2), text]),
        ) +
        (fixed.length > 0 ? `<p>Fixed, between these: ${escaped(fixed.join(', '))}.</p>` : '') +
        (loose.length > 0 ? `<p>Up to 60°, below these: ${escaped(loose.join(', '))}.</p>` : ''),
    },
  ];
  const lead = outside ? verdictOf(outside) : '';
  const about = [facts(told), warningList(warnings)];
  return new TextEncoder().encode(page({ title: `Limits of ${said.figure}`, lead, about, sections }));
}

function isAngle({ role }: LimitComponent): boolean {
  return role !== 'distance' && role !== 'position';
}

function sorted({ bones }: ClipsOutside): OutsideOfLimit[] {
  return [...bones.values()].filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
}

function verdictOf(outside: ClipsOutside): string {
  const [worst] = sorted(outside).sort((a, b) => b.excess - a.excess);
  if (worst === undefined)
    return verdict(true, '<b>The clips stay within the limits</b> at all moments looked at.');
  return verdict(
    false,
    `<b>The clips leave the limits</b>: ${escaped(worst.bone)} by ${decimals(worst.excess, 0)}° in '${escaped(worst.clip)}' at ${decimals(worst.time, 2)} s, the farthest of all joints.`,
  );
}

function outsideTable(outside: ClipsOutside): string {
  const rows = sorted(outside).map(({ bone, share, excess, clip, time }) => [
    bone,
    percent(share),
    `${decimals(excess, 1)}°`,
    `'${clip}' at ${decimals(time, 2)} s`,
  ]);
  if (rows.length === 0) return note('Nowhere.');
  return htmlTable(['bone', { number: 'of the moments' }, { number: 'at most' }, 'where'], rows);
}

const WIDTH = 220;
const PLOT = 150;
const BAR = 44;
const MARGIN = 22;
const DEGREES = 180 / Math.PI;

/** A joint: its movements in words and pictures. */
function card(
  { human, bone, text, movements }: LimitedBone,
  components: readonly LimitComponent[],
  clips: ClipsOutside | undefined,
  outside: OutsideOfLimit | undefined,
): string {
  let k = 0;
  let y = 0;
  const parts = components.map((component) => {
    const names = movements?.slice(k, k + 2 * component.size);
    k += 2 * component.size;
    const [draw, height] = component.size === 2 ? [swingPlot, PLOT] : [rangeBar, BAR];
    const part = `<g transform="translate(0 ${y})">${draw(component, names, clips?.poses ?? [])}</g>`;
    y += height;
    return part;
  });
  const said =
    outside === undefined
      ? ''
      : outside.share > 0
        ? `<div class="outside">outside at ${percent(outside.share)} of the moments, by up to ${decimals(outside.excess, 0)}°</div>`
        : '<div>never left by the clips</div>';
  const name = human === bone ? human : `${human} (${bone})`;
  return `<div class="limit"><b>${escaped(name)}</b><svg viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="${escaped(`${name}: ${text}`)}">${parts.join('')}</svg><div>${escaped(text)}</div>${said}</div>`;
}

type Names = readonly Movement[] | undefined;
type Poses = readonly ArrayLike<number>[];

/** Directions of a limb: the first coordinate upwards, the second to the right, rotation vector in degrees. */
function swingPlot({ kind, parameters: p, coordinate }: LimitComponent, names: Names, poses: Poses): string {
  const radii =
    kind === 'disk' ? [-p[0], p[0], -p[0], p[0]] : kind === 'ellipse' ? [-p[0], p[0], -p[1], p[1]] : p;
  const rim = Array.from({ length: 72 }, (_, n): [number, number] => {
    const [c, s] = [Math.cos((n * Math.PI) / 36), Math.sin((n * Math.PI) / 36)];
    return [Math.abs(radii[c > 0 ? 1 : 0]) * c, Math.abs(radii[s > 0 ? 3 : 2]) * s];
  });
  const seen = poses.map((pose): [number, number] => [pose[coordinate], pose[coordinate + 1]]);
  const reach = [0, 1].map((c) =>
    [...rim, ...seen].reduce((most, q) => Math.max(most, Math.abs(q[c])), 1e-3),
  );
  const scale = Math.min((PLOT / 2 - MARGIN + 6) / reach[0], (WIDTH / 2 - MARGIN) / reach[1]);
  const at = ([a, b]: readonly [number, number]): [number, number] => [
    WIDTH / 2 + scale * b,
    PLOT / 2 - scale * a,
  ];
  const isInside = ([a, b]: readonly [number, number]): boolean => {
    const u = a / radii[a > 0 ? 1 : 0];
    const v = b / radii[b > 0 ? 3 : 2];
    return u * u + v * v <= 1.001;
  };
  const axis = `<path class="grid" d="M${MARGIN} ${PLOT / 2}H${WIDTH - MARGIN}M${WIDTH / 2} 12V${PLOT - 12}"/>`;
  const words = (k: number, x: number, y: number, anchor: string): string =>
    names?.[k] === undefined
      ? ''
      : `<text x="${x}" y="${y}" text-anchor="${anchor}" style="font-size:9px">${escaped(names[k].name)}</text>`;
  const labels = [
    words(1, WIDTH / 2, 9, 'middle'),
    words(0, WIDTH / 2, PLOT - 3, 'middle'),
    words(3, WIDTH, PLOT / 2 - 4, 'end'),
    words(2, 0, PLOT / 2 - 4, 'start'),
  ];
  return `${axis}<path class="allowed" d="${polyline(rim.map(at))}Z"/>${dots(seen.filter(isInside).map(at), 'within')}${dots(
    seen.filter((q) => !isInside(q)).map(at),
    'beyond',
  )}${labels.join('')}`;
}

/** Points as one path, each pixel once. */
function dots(points: readonly (readonly [number, number])[], name: string): string {
  const places = new Set(points.map(([x, y]) => `M${Math.round(x)} ${Math.round(y)}h0`));
  return places.size === 0 ? '' : `<path class="dots ${name}" d="${[...places].join('')}"/>`;
}

/** How far a joint bends or a limb rotates, degrees, and how far it does in clips. */
function rangeBar(
  { parameters: [low, high], coordinate, kind }: LimitComponent,
  names: Names,
  poses: Poses,
): string {
  const full = kind === 'disk' ? [-low, low] : [low, high];
  const [min, max] = full.map((bound) => Math.max(-Math.PI, Math.min(Math.PI, bound)));
  const values = poses.map((pose) => pose[coordinate]);
  const least = values.reduce((so, value) => Math.min(so, value), min);
  const most = values.reduce((so, value) => Math.max(so, value), max);
  const [from, to] = [Math.min(least, 0), Math.max(most, 0)];
  const x = (value: number): number => MARGIN + ((WIDTH - 2 * MARGIN) * (value - from)) / (to - from || 1);
  const bar = (a: number, b: number, y: number, height: number, style: string): string =>
    b > a ? `<rect x="${px(x(a))}" y="${y}" width="${px(x(b) - x(a))}" height="${height}" ${style}/>` : '';
  const word = (k: number, at: number, anchor: string): string => {
    const name = names?.[k]?.name;
    const size = `${decimals(Math.abs(DEGREES * (k === 0 ? min : max)), 0)}°`;
    return `<text x="${at}" y="11" text-anchor="${anchor}" style="font-size:9px">${escaped(name === undefined ? size : `${name} ${size}`)}</text>`;
  };
  const [seenLow, seenHigh] = values.length > 0 ? range(values) : [0, 0];
  const clip =
    values.length === 0
      ? ''
      : bar(Math.max(seenLow, min), Math.min(seenHigh, max), 31, 5, 'class="seen"') +
        bar(seenLow, Math.min(seenHigh, min), 31, 5, 'class="beyond"') +
        bar(Math.max(seenLow, max), seenHigh, 31, 5, 'class="beyond"');
  return `${bar(min, max, 16, 12, 'class="allowed"')}<path class="level" style="stroke:var(--soft)" d="M${px(x(0))} 14V38"/>${clip}${word(0, 0, 'start')}${word(1, WIDTH, 'end')}`;
}

/** Smallest and largest. */
function range(values: readonly number[]): [number, number] {
  return values.reduce(
    ([a, b], value): [number, number] => [Math.min(a, value), Math.max(b, value)],
    [values[0], values[0]],
  );
}
