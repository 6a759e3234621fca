/** What retargeting did to a clip, in figures of the whole clip: as an object and as text. */
import type { HumanBone, Humanoid } from 'poise/humanoid';
import type { ContactReport, RetargetSummary } from 'poise/retarget';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { table } from '../io/table.js';
import type { ContactSummary } from './contacts-file.js';
import { type PhysicalReport, physicalLines } from './physical.js';
import type { RetargetedClip } from './retarget-clip.js';

/** What `poise retarget --json` prints. Times in s, angles in degrees, distances in mm. */
export interface RetargetClipReport {
  readonly format: 'poise-retarget-report';
  readonly version: 1;
  readonly clip: {
    readonly path: string;
    readonly name: string;
    readonly start: number;
    readonly end: number;
    readonly frames: number;
    readonly rate: number;
  };
  readonly source: MatchedFigure;
  readonly target: MatchedFigure & { readonly kind: Source['kind']; readonly path?: string };
  /** Factor on the path of the hips. */
  readonly scale: number;
  /** Human bones of the target that move, and those that the source lacks: they stay at rest. */
  readonly moved: readonly string[];
  readonly atRest: readonly string[];
  /** Heels and balls of the feet, and palms that touch the ground. */
  readonly contacts: readonly ContactSummary[];
  /** Relations of hands that were asked for. */
  readonly relations: readonly RelationSummary[];
  readonly summary: RetargetSummary;
  /** Where and when it is largest. */
  readonly worst: {
    readonly sliding?: Worst;
    readonly penetration?: Worst;
    readonly orientation: Worst;
  };
  /** Share of the frames in which a limit of the bone is active, largest first; others have none. */
  readonly limits: readonly { readonly bone: string; readonly share: number }[];
  readonly bones: readonly BoneSummary[];
  /** With `--physical`: all above is of the clip before. */
  readonly physical?: PhysicalReport;
  readonly output?: string;
  readonly report?: string;
  readonly warnings: readonly string[];
}

/** A figure and its human bones by VRM name. */
export interface MatchedFigure {
  readonly figure: string;
  readonly bones: Readonly<Record<string, { readonly bone: string; readonly confidence: number }>>;
}

export interface RelationSummary {
  readonly hand: 'left' | 'right';
  /** A human bone, or `point`. */
  readonly to: string;
  /** s. */
  readonly over: readonly [from: number, to: number];
  /** Largest distance of the palm from its place, mm, and when, s. */
  readonly error: number;
  readonly at: number;
}

export interface BoneSummary {
  readonly bone: string;
  /** Degrees. */
  readonly meanError: number;
  readonly maxError: number;
  /** s. */
  readonly at: number;
  /** null where the source's bone does not move. */
  readonly jerkRatio: number | null;
}

/** mm or degrees, of a bone or a foot point, at a time, s. */
export interface Worst {
  readonly of: string;
  readonly value: number;
  readonly at: number;
}

/** Below this a bone that is moved is worth a warning: name and form disagree, or only one speaks for it. */
const SURE = 0.6;

export function reportOf(
  retargeted: RetargetedClip,
  files: { readonly output?: string; readonly report?: string },
  notes: readonly string[],
): RetargetClipReport {
  const { path, clip, rig, retargeter, from, to, motion, report } = retargeted;
  const { times, bones, contacts, summary } = report;
  const { name, start, end } = motion;
  const moved = new Set<string>(bones);
  const size = bones.length;
  const perBone = bones.map((bone, b): BoneSummary => {
    const errors = columnOf(report.orientationError, b, size);
    const worst = largest(errors);
    const jerk = report.jerkRatio[b];
    return {
      bone,
      meanError: meanOf(errors),
      maxError: errors[worst],
      at: times[worst],
      jerkRatio: Number.isFinite(jerk) ? jerk : null,
    };
  });
  const worstBone = perBone[largest(perBone.map(({ maxError }) => maxError))];
  return {
    format: 'poise-retarget-report',
    version: 1,
    clip: { path, name, start, end, frames: times.length, rate: Number(rateOf(retargeted).toPrecision(6)) },
    source: matched(clip.figure.bones, clip.figure.name, from),
    target: {
      kind: rig.kind,
      ...(rig.path !== undefined && { path: rig.path }),
      ...matched(rig.figure.bones, rig.figure.name, to),
    },
    scale: retargeter.scale,
    moved: [...bones],
    atRest: Object.keys(to.bones).filter((bone) => !moved.has(bone)),
    contacts: contacts.map((contact) => contactSummary(contact, times)),
    relations: report.relations.map(({ hand, to, span, error }) => {
      const at = largest(error);
      return { hand, to, over: [times[span[0]], times[span[1]]], error: error[at], at: times[at] };
    }),
    summary,
    worst: {
      ...worstContact(contacts, times, 'sliding'),
      ...worstContact(contacts, times, 'penetration'),
      orientation: { of: worstBone.bone, value: worstBone.maxError, at: worstBone.at },
    },
    limits: bones
      .map((bone, b) => ({ bone, share: meanOf(columnOf(report.atLimit, b, size)) }))
      .filter((entry) => entry.share > 0)
      .sort((a, b) => b.share - a.share),
    bones: perBone,
    ...files,
    warnings: [...clip.warnings, ...rig.warnings, ...doubts(retargeted), ...notes],
  };
}

/** Frames a second of the result. */
export function rateOf({ report: { times } }: RetargetedClip): number {
  const last = times.length - 1;
  return last / (times[last] - times[0]);
}

function matched(
  bones: readonly { readonly name: string }[],
  figure: string,
  { bones: human, confidence }: Humanoid,
): MatchedFigure {
  const entries = Object.entries(human).map(([name, bone]) => {
    return [name, { bone: bones[bone].name, confidence: confidence[name as HumanBone] ?? 0 }] as const;
  });
  return { figure, bones: Object.fromEntries(entries) };
}

/** A sentence for each side whose moved bones are not sure. */
function doubts({ path, clip, rig, from, to, report }: RetargetedClip): string[] {
  const said = (
    humanoid: Humanoid,
    names: readonly { readonly name: string }[],
    where: string,
    option: string,
  ) => {
    const unsure = report.bones.filter((bone) => (humanoid.confidence[bone as HumanBone] ?? 1) < SURE);
    if (unsure.length === 0) return [];
    const list = unsure.map((bone) => {
      return `${bone} '${names[humanoid.bones[bone as HumanBone] as number].name}' (${decimals(humanoid.confidence[bone as HumanBone] ?? 0, 2)})`;
    });
    return [`${where}: not sure of ${list.join(', ')}; ${option} BONE=NAME names another.`];
  };
  return [
    ...said(from, clip.figure.bones, path, '--clip-human'),
    ...said(to, rig.figure.bones, rig.path ?? rig.figure.name, '--human'),
  ];
}

function contactSummary(contact: ContactReport, times: Float64Array): ContactSummary {
  const { point, spans, sliding, penetration, inContact, kept } = contact;
  const frames = inContact.reduce((sum, value) => sum + value, 0);
  return {
    ...('foot' in contact ? { foot: contact.foot } : { hand: contact.hand }),
    point,
    over: spans.map(([from, to]) => [times[from], times[to]]),
    sliding: sliding[largest(sliding)] ?? 0,
    penetration: penetration[largest(penetration)] ?? 0,
    kept: frames > 0 ? kept.reduce((sum, value) => sum + value, 0) / frames : 1,
  };
}

/** `left heel`, `right palm`. */
export function contactName(contact: ContactReport): string {
  return `${'foot' in contact ? contact.foot : contact.hand} ${contact.point}`;
}

function worstContact(
  contacts: readonly ContactReport[],
  times: Float64Array,
  what: 'sliding' | 'penetration',
): { readonly sliding?: Worst; readonly penetration?: Worst } {
  let worst: Worst | undefined;
  for (const contact of contacts) {
    const at = largest(contact[what]);
    const value = contact[what][at];
    if (value > (worst?.value ?? 0)) worst = { of: contactName(contact), value, at: times[at] };
  }
  return worst ? { [what]: worst } : {};
}

/** A column of a table row by row. */
function columnOf(values: ArrayLike<number>, column: number, columns: number): Float64Array {
  const out = new Float64Array(values.length / columns);
  for (let row = 0; row < out.length; row++) out[row] = values[columns * row + column];
  return out;
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
}

/** Index of the largest number, the first of equals. */
function largest(values: ArrayLike<number>): number {
  let at = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[at]) at = k;
  return at;
}

const FINGER = /Thumb|Index|Middle|Ring|Little/;

/** Bones whose limits are listed in the text. */
const LISTED = 6;

export function printReport(report: RetargetClipReport, io: Io): void {
  const { clip, source, target, scale, moved, atRest, contacts, relations, summary, worst, limits, output } =
    report;
  line(
    io,
    `${styled(io, 'bold', target.figure)}: '${clip.name}' of ${source.figure}, ${decimals(clip.end - clip.start)} s, ${count(clip.frames, 'frame')} at ${decimals(clip.rate)} Hz`,
  );
  line(
    io,
    `${count(moved.length, 'bone')} matched${rangeOf(report)}; path of the hips times ${decimals(scale)}`,
  );
  const body = atRest.filter((bone) => !FINGER.test(bone));
  const fingers = atRest.length - body.length;
  const still = fingers > 0 ? [...body, count(fingers, 'finger bone')] : body;
  if (still.length > 0) line(io, `at rest, the clip has none: ${still.join(', ')}`);
  line(io);
  const rows = contacts.map(({ foot, hand, point, over, sliding, penetration, kept }) => [
    `${foot ?? hand} ${point}`,
    String(over.length),
    over.length > 0 ? sliding.toFixed(2) : '-',
    penetration.toFixed(2),
    over.length > 0 ? percent(kept) : '-',
  ]);
  const [head, ...lines] = table([['point', 'contacts', 'sliding mm', 'below ground mm', 'kept'], ...rows]);
  line(io, styled(io, 'dim', head));
  for (const row of lines) line(io, row);
  line(io);
  line(
    io,
    `sliding in contact: ${summary.maxSliding.toFixed(2)} mm at most${placeOf(worst.sliding)}, median ${summary.medianSliding.toFixed(2)} mm`,
  );
  line(io, `below the ground: ${summary.maxPenetration.toFixed(2)} mm at most${placeOf(worst.penetration)}`);
  for (const { hand, to, error, at } of relations) {
    const worstAt = error < 0.005 ? '' : ` (${at.toFixed(3)} s)`;
    line(io, `${hand} hand to ${to}: ${error.toFixed(2)} mm off at most${worstAt}`);
  }
  line(io, `contacts kept: ${percent(summary.contactsKept)}`);
  line(
    io,
    `orientation: ${degrees(summary.meanOrientationError)} off in the mean, ${degrees(summary.maxOrientationError)} at most${placeOf(worst.orientation)}`,
  );
  line(io, `jerk: ${summary.jerkRatio.toFixed(2)} of the clip's`);
  line(io, `limits at work: ${limitsText(limits, summary.limitedFrames)}`);
  if (report.physical !== undefined) for (const text of physicalLines(report.physical)) line(io, text);
  if (output !== undefined) line(io, `wrote ${output}`);
  if (report.report !== undefined) line(io, `wrote ${report.report}: the report`);
}

/** Confidence of the least sure matched bone of each figure. */
function rangeOf({ source, target, moved }: RetargetClipReport): string {
  const least = ({ bones }: MatchedFigure): number =>
    Math.min(...moved.map((bone) => (Object.hasOwn(bones, bone) ? bones[bone].confidence : 1)));
  return `, sure to ${decimals(least(source), 2)} (clip) and ${decimals(least(target), 2)} (rig) at least`;
}

/** One line of several. */
export function clipText({ summary, worst, physical }: RetargetClipReport): string {
  return [
    `${decimals(summary.frames)} frames`,
    `sliding ${summary.maxSliding.toFixed(2)} mm`,
    `below ground ${summary.maxPenetration.toFixed(2)} mm`,
    `contacts kept ${percent(summary.contactsKept)}`,
    `orientation ${degrees(worst.orientation.value)} off at most`,
    ...(physical === undefined ? [] : [`physics ${physical.status}`]),
  ].join(', ');
}

function limitsText(limits: RetargetClipReport['limits'], frames: number): string {
  if (limits.length === 0) return 'none';
  const listed = limits.slice(0, LISTED).map(({ bone, share }) => `${bone} ${percent(share)}`);
  const more = limits.length > LISTED ? `, ${limits.length - LISTED} more` : '';
  return `${listed.join(', ')}${more}; some in ${percent(frames)} of the frames`;
}

/** Of what is not zero as it is printed. */
export function placeOf(worst: Worst | undefined): string {
  return worst === undefined || worst.value < 0.005 ? '' : ` (${worst.of}, ${worst.at.toFixed(3)} s)`;
}

/** 0.99996 is not 100 %. */
export function percent(part: number): string {
  return `${decimals(Math.floor(1000 * part + 1e-9) / 10, 1)} %`;
}

export function degrees(value: number): string {
  return `${decimals(value, 1)}°`;
}
