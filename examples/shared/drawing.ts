import { rigid } from 'poise/math';

/** A point in space, m. */
type Point = ArrayLike<number>;

/** What a picture is painted with. Kinds are CSS classes of lesson.css: `x`, `accent`, `ghost`, ... */
export interface Pen {
  /** A line through points, each piece hidden by what is in front of it. */
  line(points: readonly Point[], kind?: string): void;
  face(points: readonly Point[], kind?: string): void;
  /** A disc of a radius in pixels. */
  dot(at: Point, radius: number, kind?: string): void;
  /** The outline of a ball of a radius in metres. */
  ball(at: Point, radius: number, kind?: string): void;
  arrow(from: Point, to: Point, kind?: string): void;
  /** A box in a frame of 12 numbers, between two corners. */
  box(frame: Point, min: Point, max: Point, kind?: string): void;
  /** The three axes of a frame, each of a length. */
  axes(frame: Point, length: number): void;
  /** Text to the right of a point, by an offset in pixels, in front of everything. */
  label(at: Point, text: string, kind?: string, offset?: readonly [number, number]): void;
}

export interface DrawingOptions {
  /** In the accessible name of the picture. */
  readonly label: string;
  /** Point in the middle, m. */
  readonly middle: Point;
  /** Width and height that stay visible, m. */
  readonly size: readonly [width: number, height: number];
  /** Direction of the view: about the vertical, then up, rad. 0 and 0 see x to the right and y up. */
  readonly yaw?: number;
  readonly pitch?: number;
  /** Whether the view may be rotated. Default true. */
  readonly orbit?: boolean;
  readonly paint: (pen: Pen) => void;
}

/** A movable point of a picture: a button over it, dragged or moved with the arrow keys, page up and page down. */
export interface DrawingHandle {
  readonly label: string;
  readonly at: () => Point;
  readonly move: (to: number[]) => void;
  /** Step of a key, m. Default 0.05; with shift five times that. */
  readonly step?: number;
}

export interface Drawing {
  /** Paints the picture anew. */
  redraw(): void;
  addHandle(handle: DrawingHandle): HTMLButtonElement;
  /** Direction of the view; takes effect with the next {@link redraw}. */
  readonly view: { yaw: number; pitch: number };
}

interface Item {
  readonly depth: number;
  readonly markup: string;
}

const SVG = 'http://www.w3.org/2000/svg';
/** Rotation of the view per pixel and per key press, rad. */
const PER_PIXEL = 0.009;
const PER_KEY = 0.1;
const MAX_PITCH = 1.45;
/** Length of the head of an arrow, px. */
const ARROW_HEAD = 9;

/** A picture of lines and faces in space, drawn in SVG by parallel projection with what is nearer in front. */
export function createDrawing(container: HTMLElement, options: DrawingOptions): Drawing {
  const { label, middle, size, orbit = true, paint } = options;
  const view = { yaw: options.yaw ?? 0, pitch: options.pitch ?? 0 };
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', orbit ? `${label}. Arrow keys rotate the view.` : label);
  container.prepend(svg);
  const handles: { button: HTMLButtonElement; at: () => Point }[] = [];

  let [right, up, towards] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  let [width, height, scale] = [1, 1, 1];
  const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const relative = (p: Point): number[] => [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
  const project = (p: Point): [number, number] => {
    const d = relative(p);
    return [width / 2 + scale * dot(d, right), height / 2 - scale * dot(d, up)];
  };
  const pixels = (p: Point): string =>
    project(p)
      .map((c) => c.toFixed(1))
      .join(' ');
  const depthOf = (points: readonly Point[]): number =>
    points.reduce((sum, p) => sum + dot(relative(p), towards), 0) / points.length;

  function redraw(): void {
    width = container.clientWidth;
    height = container.clientHeight;
    if (width === 0 || height === 0) return;
    scale = Math.min(width / size[0], height / size[1]);
    const [cy, sy, cp, sp] = [
      Math.cos(view.yaw),
      Math.sin(view.yaw),
      Math.cos(view.pitch),
      Math.sin(view.pitch),
    ];
    right = [cy, 0, -sy];
    up = [-sp * sy, cp, -sp * cy];
    towards = [cp * sy, sp, cp * cy];
    const items: Item[] = [];
    const labels: string[] = [];
    paint(createPen(items, labels));
    items.sort((a, b) => a.depth - b.depth);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.innerHTML = items.map(({ markup }) => markup).join('') + labels.join('');
    for (const { button, at } of handles) {
      const [x, y] = project(at());
      button.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  function createPen(items: Item[], labels: string[]): Pen {
    const add = (points: readonly Point[], markup: string) => items.push({ depth: depthOf(points), markup });
    const line = (points: readonly Point[], kind = '') => {
      for (let n = 1; n < points.length; n++) {
        const ends = [points[n - 1], points[n]];
        add(ends, `<path class="line ${kind}" d="M${pixels(ends[0])}L${pixels(ends[1])}"/>`);
      }
    };
    const face = (points: readonly Point[], kind = '') =>
      add(points, `<path class="face ${kind}" d="M${points.map(pixels).join('L')}Z"/>`);
    const arrow = (from: Point, to: Point, kind = '') => {
      const [[x0, y0], [x1, y1]] = [project(from), project(to)];
      const length = Math.hypot(x1 - x0, y1 - y0);
      line([from, to], kind);
      if (length < 1) return;
      const head = Math.min(ARROW_HEAD, length);
      const [ux, uy] = [(head * (x1 - x0)) / length, (head * (y1 - y0)) / length];
      const [bx, by] = [x1 - ux, y1 - uy];
      const corner = (s: number) => `${(bx - 0.42 * s * uy).toFixed(1)} ${(by + 0.42 * s * ux).toFixed(1)}`;
      add(
        [to],
        `<path class="fill ${kind}" d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${corner(1)}L${corner(-1)}Z"/>`,
      );
    };
    return {
      line,
      face,
      arrow,
      dot: (at, radius, kind = '') => {
        const [x, y] = project(at);
        add([at], `<circle class="fill ${kind}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius}"/>`);
      },
      ball: (at, radius, kind = '') => {
        const [x, y] = project(at);
        const r = (radius * scale).toFixed(1);
        add([at], `<circle class="line ${kind}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}"/>`);
      },
      box: (frame, min, max, kind = '') => {
        for (let axis = 0; axis < 3; axis++) {
          for (const end of [min, max]) {
            const normal = [0, 0, 0];
            normal[axis] = end === max ? 1 : -1;
            if (dot(rigid.transformVector(frame, normal), towards) <= 0) continue;
            const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
            const corners = [
              [min[i], min[j]],
              [max[i], min[j]],
              [max[i], max[j]],
              [min[i], max[j]],
            ].map(([a, b]) => {
              const corner = [0, 0, 0];
              corner[axis] = end[axis];
              corner[i] = a;
              corner[j] = b;
              return rigid.transformPoint(frame, corner);
            });
            face(corners, `${['left', 'top', ''][axis]} ${kind}`);
          }
        }
      },
      axes: (frame, length) => {
        for (const [k, kind] of ['x', 'y', 'z'].entries()) {
          const end = [0, 0, 0];
          end[k] = length;
          arrow(rigid.toPosition(frame), rigid.transformPoint(frame, end), kind);
        }
      },
      label: (at, text, kind = '', [dx, dy] = [9, -7]) => {
        const [x, y] = project(at);
        labels.push(
          `<text class="${kind}" x="${(x + dx).toFixed(1)}" y="${(y + dy).toFixed(1)}">${text}</text>`,
        );
      },
    };
  }

  function addHandle({ label: name, at, move, step = 0.05 }: DrawingHandle): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'handle';
    button.dataset.handle = name;
    button.setAttribute(
      'aria-label',
      `${name}: drag it, or move it with the arrow keys, page up and page down`,
    );
    let start: { readonly point: number[]; readonly x: number; readonly y: number } | undefined;
    const moveBy = (from: Point, rightwards: number, upwards: number, nearer: number) =>
      move([0, 1, 2].map((k) => from[k] + rightwards * right[k] + upwards * up[k] + nearer * towards[k]));
    button.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      start = { point: Array.from(at()), x: event.clientX, y: event.clientY };
      button.setPointerCapture(event.pointerId);
      button.dataset.dragged = 'true';
    });
    button.addEventListener('pointermove', (event) => {
      if (start) moveBy(start.point, (event.clientX - start.x) / scale, (start.y - event.clientY) / scale, 0);
    });
    const end = () => {
      start = undefined;
      delete button.dataset.dragged;
    };
    button.addEventListener('pointerup', end);
    button.addEventListener('pointercancel', end);
    button.addEventListener('keydown', (event) => {
      const direction = STEPS[event.key];
      if (direction === undefined) return;
      event.preventDefault();
      const length = step * (event.shiftKey ? 5 : 1);
      moveBy(at(), length * direction[0], length * direction[1], length * direction[2]);
    });
    svg.after(button);
    handles.push({ button, at });
    return button;
  }

  if (orbit) {
    svg.tabIndex = 0;
    const rotate = (yaw: number, pitch: number) => {
      view.yaw += yaw;
      view.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, view.pitch + pitch));
      redraw();
    };
    let last: PointerEvent | undefined;
    svg.addEventListener('pointerdown', (event) => {
      if (last !== undefined || event.button !== 0) return;
      last = event;
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', (event) => {
      if (last?.pointerId !== event.pointerId) return;
      rotate(PER_PIXEL * (last.clientX - event.clientX), PER_PIXEL * (event.clientY - last.clientY));
      last = event;
    });
    const end = ({ pointerId }: PointerEvent) => {
      if (last?.pointerId === pointerId) last = undefined;
    };
    svg.addEventListener('pointerup', end);
    svg.addEventListener('pointercancel', end);
    svg.addEventListener('keydown', (event) => {
      const [x, y] = STEPS[event.key] ?? [0, 0];
      if (x === 0 && y === 0) return;
      event.preventDefault();
      rotate(PER_KEY * x, PER_KEY * y);
    });
  }
  new ResizeObserver(redraw).observe(container);
  return { redraw, addHandle, view };
}

/** Right, up and towards the viewer. */
const STEPS: Readonly<Record<string, readonly [number, number, number]>> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1],
  PageDown: [0, 0, 1],
};

/** Points of a circle about a centre in the plane of two unit vectors. */
export function circle(center: Point, u: Point, w: Point, radius: number, pieces = 48): number[][] {
  return arc(center, u, w, radius, 2 * Math.PI, pieces);
}

/** Points of an arc from u towards w. */
export function arc(
  center: Point,
  u: Point,
  w: Point,
  radius: number,
  angle: number,
  pieces = 48,
): number[][] {
  return Array.from({ length: pieces + 1 }, (_, n) => {
    const [c, s] = [Math.cos((angle * n) / pieces), Math.sin((angle * n) / pieces)];
    return [0, 1, 2].map((k) => center[k] + radius * (c * u[k] + s * w[k]));
  });
}
