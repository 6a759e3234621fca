import { view } from '../../scene/view.js';

export interface PictureOptions {
  /** Pixels a pixel of the page. */
  readonly scale: number;
  /** Without background and grid. */
  readonly isTransparent: boolean;
}

/** Size of a picture, px. */
export function pictureSize(scale: number): readonly [width: number, height: number] {
  const { canvas } = view;
  return [Math.floor((canvas?.clientWidth ?? 0) * scale), Math.floor((canvas?.clientHeight ?? 0) * scale)];
}

/**
 * The view as a PNG, drawn anew at its size.
 * @throws Error for one that is larger than this machine draws.
 */
export function takePicture({ scale, isTransparent }: PictureOptions): Promise<Blob> {
  const { renderer, scene, camera, canvas } = view;
  if (renderer === undefined || scene === undefined || camera === undefined || canvas === undefined)
    throw new Error('The figure is not drawn yet.');
  const ratio = renderer.getPixelRatio();
  const { background } = scene;
  const grid = scene.getObjectByName('grid');
  const taken = () => {
    renderer.setPixelRatio(scale);
    const context = renderer.getContext();
    if (context.drawingBufferWidth < canvas.width || context.drawingBufferHeight < canvas.height)
      throw new Error(
        `This machine draws no picture of ${canvas.width} by ${canvas.height} pixels. Take a smaller one.`,
      );
    if (isTransparent) {
      scene.background = null;
      if (grid !== undefined) grid.visible = false;
    }
    renderer.render(scene, camera);
    // It copies the pixels at once: what is drawn afterwards is not among them.
    return new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('The picture is too large. Take a smaller one.'));
        else resolve(blob);
      }, 'image/png'),
    );
  };
  try {
    return taken();
  } finally {
    scene.background = background;
    if (grid !== undefined) grid.visible = true;
    renderer.setPixelRatio(ratio);
    view.invalidate();
  }
}
