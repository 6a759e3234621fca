import start from 'jolt-physics';

export type Jolt = Awaited<ReturnType<typeof start>>;

/** Object layers: moving bodies collide with static and with moving ones. */
export const JOLT_STILL = 0;
export const JOLT_MOVING = 1;

let loading: Promise<Jolt> | undefined;

/** Jolt with its wasm started, once for the process. */
export function loadJolt(): Promise<Jolt> {
  loading ??= start() as Promise<Jolt>;
  return loading;
}

/** An empty world on one thread; the caller calls `jolt.destroy` on it. */
export function createJoltWorld(jolt: Jolt, gravity: readonly number[]): InstanceType<Jolt['JoltInterface']> {
  const pairs = new jolt.ObjectLayerPairFilterTable(2);
  pairs.EnableCollision(JOLT_STILL, JOLT_MOVING);
  pairs.EnableCollision(JOLT_MOVING, JOLT_MOVING);
  const broad = new jolt.BroadPhaseLayerInterfaceTable(2, 2);
  for (const layer of [JOLT_STILL, JOLT_MOVING]) {
    const name = new jolt.BroadPhaseLayer(layer);
    broad.MapObjectToBroadPhaseLayer(layer, name);
    jolt.destroy(name);
  }
  const settings = new jolt.JoltSettings();
  settings.mMaxWorkerThreads = 0;
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = broad;
  settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(broad, 2, pairs, 2);
  const world = new jolt.JoltInterface(settings);
  jolt.destroy(settings);
  const down = new jolt.Vec3(gravity[0], gravity[1], gravity[2]);
  world.GetPhysicsSystem().SetGravity(down);
  jolt.destroy(down);
  return world;
}
