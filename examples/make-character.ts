import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';
import { createCharacter } from './shared/character.js';

/** The part of a browser's FileReader that the exporter uses, for Node. */
class BlobReader {
  result: ArrayBuffer | undefined;
  onloadend: (() => void) | undefined;

  readAsArrayBuffer(blob: Blob): void {
    void blob.arrayBuffer().then((bytes) => {
      this.result = bytes;
      this.onloadend?.();
    });
  }
}

/** The mannequin as the GLB of a character, in place of a file of yours. */
export async function makeCharacter(): Promise<Uint8Array> {
  Object.assign(globalThis, { FileReader: globalThis.FileReader ?? BlobReader });
  const glb = await new GLTFExporter().parseAsync(createCharacter().root, { binary: true });
  return new Uint8Array(glb as ArrayBuffer);
}
