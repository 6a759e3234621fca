import type { ContactReport } from 'poise/retarget';
import { find } from '../shared/page.js';
import { type Body, VISIBLE } from './body.js';

/** Of the picture, px: width, height, of a bar of a foot, of the curves. */
const WIDTH = 1000;
const HEIGHT = 88;
const BAR = 12;
const GAP = 4;
const CURVES = 2 * (BAR + GAP) + 2;

/** Draws when each foot is on the floor, and how far feet slide, over time: of the clip pale, of the character dark. */
export function drawTimeline(contacts: readonly ContactReport[], source: Body, target: Body): void {
  const count = target.sliding.length;
  const x = (frame: number): string => ((WIDTH * frame) / Math.max(1, count - 1)).toFixed(1);
  const most = Math.max(2 * VISIBLE, ...source.sliding, ...target.sliding);
  const y = (mm: number): string => (HEIGHT - 3 - ((HEIGHT - CURVES - 3) * mm) / most).toFixed(1);
  const bars = (['left', 'right'] as const).flatMap((foot, row) =>
    contacts
      .filter((contact) => 'foot' in contact && contact.foot === foot)
      .flatMap(({ point, spans }) =>
        spans.map(([from, to]) => {
          const half = point === 'heel' ? 0 : BAR / 2;
          return `<rect class="contact" x="${x(from)}" width="${Math.max(1, Number(x(to)) - Number(x(from)))}" y="${row * (BAR + GAP) + half}" height="${BAR / 2}"/>`;
        }),
      ),
  );
  const curve = (values: Float64Array, name: string): string =>
    `<polyline class="${name}" points="${[...values].map((mm, f) => `${x(f)},${y(mm)}`).join(' ')}"/>`;
  const svg = find('#timeline');
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  svg.innerHTML = [
    ...bars,
    `<path class="level" d="M0 ${y(VISIBLE)}H${WIDTH}"/>`,
    curve(source.sliding, 'of-clip'),
    curve(target.sliding, 'of-character'),
    `<path id="playhead" d="M0 0V${HEIGHT}"/>`,
  ].join('');
  const level = find('#level');
  level.textContent = `${VISIBLE} mm`;
  level.style.top = `${(100 * Number(y(VISIBLE))) / HEIGHT}%`;
}

/** Moves the line of the time, 0 to 1. */
export function showPlayhead(at: number): void {
  find('#playhead').setAttribute('transform', `translate(${(WIDTH * at).toFixed(1)} 0)`);
}

/** Calls back with the time, 0 to 1, where the timeline is pressed or dragged. */
export function onScrub(use: (at: number) => void): void {
  const svg = find<SVGElement>('#timeline');
  const move = ({ clientX }: PointerEvent): void => {
    const { left, width } = svg.getBoundingClientRect();
    use(Math.min(1, Math.max(0, (clientX - left) / width)));
  };
  svg.addEventListener('pointerdown', (event) => {
    svg.setPointerCapture(event.pointerId);
    move(event);
  });
  svg.addEventListener('pointermove', (event) => {
    if (svg.hasPointerCapture(event.pointerId)) move(event);
  });
}
