/** The speed of the fastest joint over the last seconds, and the limit. */

/** Time range of the chart, s. */
const SPAN = 6;
const INK = '#2f66d0';
const LIMIT = '#b84a17';

export interface Chart {
  /** Adds a value and draws. */
  add(seconds: number, value: number, limit: number): void;
}

export function createChart(canvas: HTMLCanvasElement): Chart {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The chart cannot be drawn.');
  const { width, height } = canvas;
  const points: { t: number; value: number; limit: number }[] = [];
  let time = 0;
  return {
    add(seconds, value, limit) {
      time += seconds;
      points.push({ t: time, value, limit });
      while (points[0].t < time - SPAN) points.shift();
      const top = 1.25 * Math.max(1, ...points.map((point) => Math.max(point.value, point.limit)));
      const x = (t: number): number => width * (1 - (time - t) / SPAN);
      const y = (speed: number): number => height * (1 - speed / top) - 2;
      context.clearRect(0, 0, width, height);
      context.lineWidth = 3;
      for (const [key, color, dash] of [
        ['limit', LIMIT, [10, 8]],
        ['value', INK, []],
      ] as const) {
        context.strokeStyle = color;
        context.setLineDash(dash);
        context.beginPath();
        for (const point of points) context.lineTo(x(point.t), y(point[key]));
        context.stroke();
      }
    },
  };
}
