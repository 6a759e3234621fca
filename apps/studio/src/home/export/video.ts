/** Draws a film frame by frame and encodes it: each frame at its own time, however long it takes to draw. */
import { live } from '../../live/driver.js';
import { view } from '../../scene/view.js';
import { session } from '../../session/store.js';
import type { Film } from './film.js';
import { type WebmFrame, writeWebm } from './webm.js';

/** Codecs by their preference: what encoders call them, and what the file does. */
const CODECS = [
  { codec: 'vp09.00.51.08', name: 'V_VP9' },
  { codec: 'vp8', name: 'V_VP8' },
] as const;
/** Bits a pixel and frame: flat colours with soft edges. */
const BITS = 0.12;
/** Between key frames, s: a player seeks to these. */
const KEY_EVERY = 2;
/** Frames that wait for the encoder at most. */
const QUEUE = 4;

/** What records videos here: frame by frame, as fast as it is shown, or nothing. */
export function recorderKind(): 'frames' | 'live' | undefined {
  if (typeof VideoEncoder !== 'undefined') return 'frames';
  return typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported('video/webm')
    ? 'live'
    : undefined;
}

export interface RecordOptions {
  /** Called with the share that is done. */
  readonly progress: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * A film as WebM.
 * @throws Error where the browser records none or it was cancelled, or the window was resized meanwhile.
 */
export async function recordFilm(film: Film, options: RecordOptions): Promise<Blob> {
  const { renderer, scene, camera, canvas, body } = view;
  if (!renderer || !scene || !camera || !canvas || !body) throw new Error('The figure is not drawn yet.');
  const { driver } = live;
  const before = session.snapshot();
  live.driver = { step: () => undefined, isMoving: false };
  const size = [canvas.width, canvas.height];
  const show = (time: number) => {
    if (canvas.width !== size[0] || canvas.height !== size[1])
      throw new Error('The window was resized meanwhile. Record it again.');
    options.signal.throwIfAborted();
    session.follow(film.poseAt(time));
    body.update(session.pose);
    renderer.render(scene, camera);
  };
  try {
    // Limits of joints are not drawn while something moves the figure.
    view.invalidate();
    await new Promise(requestAnimationFrame);
    return recorderKind() === 'frames'
      ? await encode(film, canvas, show, options)
      : await recordLive(film, canvas, show, options);
  } finally {
    live.driver = driver;
    session.restore(before);
    view.invalidate();
  }
}

async function encode(
  { rate, times }: Film,
  canvas: HTMLCanvasElement,
  show: (time: number) => void,
  { progress }: RecordOptions,
): Promise<Blob> {
  // Colours are halved in size.
  const [width, height] = [canvas.width & ~1, canvas.height & ~1];
  const config = await configOf(width, height, rate);
  const frames: WebmFrame[] = [];
  let problem: Error | undefined;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      frames.push({ time: chunk.timestamp / 1e6, isKey: chunk.type === 'key', bytes });
    },
    error: (error) => {
      problem = error;
    },
  });
  encoder.configure(config.encoder);
  try {
    for (let k = 0; k < times.length; k++) {
      show(times[k]);
      const frame = new VideoFrame(canvas, {
        timestamp: Math.round((1e6 * k) / rate),
        visibleRect: { x: 0, y: 0, width, height },
      });
      encoder.encode(frame, { keyFrame: k % Math.max(1, Math.round(KEY_EVERY * rate)) === 0 });
      frame.close();
      progress((k + 1) / times.length);
      do await pause();
      while (encoder.encodeQueueSize > QUEUE && problem === undefined);
      if (problem !== undefined) throw problem;
    }
    await encoder.flush();
  } finally {
    if (encoder.state !== 'closed') encoder.close();
  }
  return writeWebm({ codec: config.name, width, height, rate }, frames);
}

async function configOf(
  width: number,
  height: number,
  framerate: number,
): Promise<{ readonly encoder: VideoEncoderConfig; readonly name: string }> {
  for (const { codec, name } of CODECS) {
    const bitrate = Math.round(BITS * width * height * framerate);
    const encoder: VideoEncoderConfig = { codec, width, height, framerate, bitrate };
    if ((await VideoEncoder.isConfigSupported(encoder)).supported) return { encoder, name };
  }
  throw new Error('This browser encodes no WebM video. Export the clip, or record the screen.');
}

/** Each frame when it is due: a machine that draws more slowly records a slower film. */
async function recordLive(
  { rate, times }: Film,
  canvas: HTMLCanvasElement,
  show: (time: number) => void,
  { progress }: RecordOptions,
): Promise<Blob> {
  const stream = canvas.captureStream(0);
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[];
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm' });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise<void>((resolve, reject) => {
    recorder.onstop = () => resolve();
    recorder.onerror = () => reject(new Error('The browser has stopped recording.'));
  });
  recorder.start();
  const start = performance.now();
  try {
    for (let k = 0; k < times.length; k++) {
      show(times[k]);
      track.requestFrame();
      progress((k + 1) / times.length);
      const due = start + (1000 * (k + 1)) / rate;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
  } finally {
    if (recorder.state !== 'inactive') recorder.stop();
  }
  await ended;
  track.stop();
  return new Blob(parts, { type: 'video/webm' });
}

/** Lets the page answer. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
