/** A WebM file (Matroska, RFC 9559) of encoded frames, with its duration and an index, so that players seek in it. */

export interface WebmFrame {
  /** s. */
  readonly time: number;
  readonly isKey: boolean;
  readonly bytes: Uint8Array;
}

export interface WebmTrack {
  /** `V_VP9` or `V_VP8`. */
  readonly codec: string;
  /** px. */
  readonly width: number;
  readonly height: number;
  /** Frames a second. */
  readonly rate: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

const ID = {
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
} as const;

const SECOND = 1000;

/** @param frames - In the order of time; the first is a key frame. A cluster begins with each key frame. */
export function writeWebm({ codec, width, height, rate }: WebmTrack, frames: readonly WebmFrame[]): Blob {
  const end = frames.length === 0 ? 0 : frames[frames.length - 1].time + 1 / rate;
  const info = element(
    ID.info,
    element(ID.timestampScale, unsigned(1e9 / SECOND)),
    element(ID.duration, float(end * SECOND)),
    element(ID.muxingApp, text('Poise')),
    element(ID.writingApp, text('Poise')),
  );
  const tracks = element(
    ID.tracks,
    element(
      ID.trackEntry,
      element(ID.trackNumber, unsigned(1)),
      element(ID.trackUid, unsigned(1)),
      element(ID.trackType, unsigned(1)),
      element(ID.codecId, text(codec)),
      element(ID.defaultDuration, unsigned(Math.round(1e9 / rate))),
      element(ID.video, element(ID.pixelWidth, unsigned(width)), element(ID.pixelHeight, unsigned(height))),
    ),
  );
  const clusters: Bytes[][] = [];
  const cues: Bytes[][] = [];
  let position = sizeOf(info) + sizeOf(tracks);
  for (let first = 0; first < frames.length; ) {
    let after = first + 1;
    while (after < frames.length && !frames[after].isKey) after++;
    const start = stamp(frames[first]);
    const blocks = frames.slice(first, after).map((frame) => block(frame, start));
    const cluster = element(ID.cluster, element(ID.timestamp, unsigned(start)), ...blocks);
    cues.push(
      element(
        ID.cuePoint,
        element(ID.cueTime, unsigned(start)),
        element(
          ID.cueTrackPositions,
          element(ID.cueTrack, unsigned(1)),
          element(ID.cueClusterPosition, unsigned(position)),
        ),
      ),
    );
    clusters.push(cluster);
    position += sizeOf(cluster);
    first = after;
  }
  const head = element(
    ID.ebml,
    element(ID.ebmlVersion, unsigned(1)),
    element(ID.ebmlReadVersion, unsigned(1)),
    element(ID.ebmlMaxIdLength, unsigned(4)),
    element(ID.ebmlMaxSizeLength, unsigned(8)),
    element(ID.docType, text('webm')),
    element(ID.docTypeVersion, unsigned(4)),
    element(ID.docTypeReadVersion, unsigned(2)),
  );
  const segment = element(ID.segment, info, tracks, ...clusters, element(ID.cues, ...cues));
  return new Blob([...head, ...segment], { type: 'video/webm' });
}

/** An element: its number, the size of its content in eight bytes, the content. */
function element(id: number, ...content: readonly (readonly Bytes[])[]): Bytes[] {
  const parts = content.flat();
  const head = new Uint8Array([...unsigned(id)[0], 1, 0, 0, 0, 0, 0, 0, 0]);
  let size = sizeOf(parts);
  for (let k = head.length - 1; size > 0; k--, size = Math.floor(size / 256)) head[k] = size % 256;
  return [head, ...parts];
}

/** A frame of track 1, its time from the start of the cluster. */
function block(frame: WebmFrame, start: number): Bytes[] {
  const head = new Uint8Array(4);
  head[0] = 0x81;
  new DataView(head.buffer).setInt16(1, stamp(frame) - start);
  head[3] = frame.isKey ? 0x80 : 0;
  return element(ID.simpleBlock, [head, Uint8Array.from(frame.bytes)]);
}

function stamp({ time }: WebmFrame): number {
  return Math.round(time * SECOND);
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** In as few bytes as it has. */
function unsigned(value: number): [Bytes] {
  const bytes: number[] = [];
  for (let rest = value; bytes.length === 0 || rest > 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return [Uint8Array.from(bytes)];
}

function float(value: number): [Bytes] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return [bytes];
}

function text(value: string): [Bytes] {
  return [Uint8Array.from(new TextEncoder().encode(value))];
}
