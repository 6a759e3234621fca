import rapier from '@dimforge/rapier3d-compat';

export type Rapier = typeof rapier;

let loading: Promise<void> | undefined;

/** Rapier with its wasm started, once for the process. */
export async function loadRapier(): Promise<Rapier> {
  loading ??= rapier.init();
  await loading;
  return rapier;
}
