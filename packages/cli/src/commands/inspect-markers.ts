/** Files of measured markers as `poise inspect` shows them. */
import { basename } from 'node:path';
import type { MarkerClip } from '@poise/formats';
import { markerClipOf } from '../fit/marker-clip.js';
import type { InspectedMarker, InspectedMarkers } from '../inspect/inspection.js';
import type { Input } from '../io/input.js';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals, triple } from '../io/parse-number.js';
import { table } from '../io/table.js';

/** @throws FormatError for a damaged file. */
export function inspectedMarkers(input: Input): InspectedMarkers {
  const clip = markerClipOf(input);
  const { frames, rate, times, up, warnings, names } = clip;
  return {
    format: 'poise-inspect',
    version: 1,
    source: { kind: 'markers', path: input.path },
    name: input.name.replace(/\.\w+$/, ''),
    frames,
    rate,
    start: times[0],
    end: times[frames - 1],
    ...(up !== undefined && { up }),
    markers: names.map((name, m) => markerOf(clip, name, m)),
    warnings,
  };
}

function markerOf({ names, frames, positions }: MarkerClip, name: string, m: number): InspectedMarker {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  let observed = 0;
  let gaps = 0;
  let longestGap = 0;
  let gap = 0;
  for (let f = 0; f < frames; f++) {
    const at = 3 * (names.length * f + m);
    if (Number.isNaN(positions[at])) {
      if (gap === 0) gaps++;
      gap++;
      longestGap = Math.max(longestGap, gap);
      continue;
    }
    gap = 0;
    observed++;
    for (let k = 0; k < 3; k++) {
      min[k] = Math.min(min[k], positions[at + k]);
      max[k] = Math.max(max[k], positions[at + k]);
    }
  }
  return { name, observed, gaps, longestGap, ...(observed > 0 && { min, max }) };
}

export function printMarkers(said: InspectedMarkers, io: Io): void {
  const { name, source, markers, frames, rate, start, end, up, warnings } = said;
  const upText = up === undefined ? '' : `; +${up.toUpperCase()} up`;
  line(io, `${styled(io, 'bold', name)} (${basename(source.path)})`);
  line(
    io,
    `${count(markers.length, 'marker')}, ${count(frames, 'frame')} at ${decimals(rate)} Hz, ${decimals(start)} to ${decimals(end)} s${upText}`,
  );
  line(io);
  const [head, ...rows] = table([
    ['marker', 'frames', 'gaps', 'longest', 'from (m, axes of the file)', 'to'],
    ...markers.map((marker) => [
      marker.name,
      String(marker.observed),
      String(marker.gaps),
      marker.gaps > 0 ? String(marker.longestGap) : '-',
      marker.min ? triple(marker.min) : '-',
      marker.max ? triple(marker.max) : '-',
    ]),
  ]);
  line(io, styled(io, 'dim', head));
  for (const row of rows) line(io, row);
  if (warnings.length > 0) line(io);
  for (const warning of warnings) line(io, `${styled(io, 'yellow', 'warning:')} ${warning}`);
}
