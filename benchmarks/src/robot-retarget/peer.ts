/** GMR in TypeScript on MuJoCo's kinematics, from the shared folder of peers, and MuJoCo as the judge. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import loadMujoco from '@mujoco/mujoco';
import { repositoryRoot } from '../problems.js';

/** Bodies of a human by name; quaternions w x y z. */
export type PeerFrame = ReadonlyMap<
  string,
  { readonly pos: readonly number[]; readonly quat: readonly number[] }
>;

interface Engine {
  readonly retargetFrame: (frame: PeerFrame) => Float64Array;
  readonly lastScaledHuman: PeerFrame;
  readonly reset: () => void;
}

interface Bundle {
  readonly parseBvh: (text: string) => unknown;
  readonly lafan1: {
    readonly bvhToLafan1Frames: (clip: unknown) => { readonly frames: readonly PeerFrame[] };
  };
  readonly GmrRetargetEngine: new (robot: object, config: object, options: object) => Engine;
}

export interface Peer {
  readonly clips: readonly string[];
  /** The robot without its meshes, and GMR's configuration. */
  readonly xml: string;
  readonly config: string;
  readonly framesOf: (clip: string) => readonly PeerFrame[];
  readonly createEngine: () => Engine;
  /** Objective of the second table of a `qpos`, by MuJoCo's kinematics. */
  readonly objectiveOf: (qpos: Float64Array, targets: PeerFrame) => number;
}

/** The defaults of the peer's page. */
const SETTINGS = {
  damping: 0.5,
  lmDamping: 1,
  maxIter: 10,
  errTol: 0.001,
  actualHumanHeight: 1.75,
  groundOffset: 0,
  offsetToGround: false,
  useVelocityLimit: false,
};

/** @returns undefined where the folder is not there. */
export async function loadPeer(): Promise<Peer | undefined> {
  const folder = join(
    resolve(repositoryRoot(), process.env.POISE_DATA ?? '../shared/data'),
    '../peers/gmr-web',
  );
  if (!existsSync(folder)) return undefined;
  const bundle: Bundle = await import(
    /* @vite-ignore */ pathToFileURL(join(folder, 'dist/gmr-web.mjs')).href
  );
  const mujoco = await loadMujoco();
  const xml = readFileSync(join(folder, 'public/robots/unitree_g1/g1_mocap_29dof.xml'), 'utf8')
    .replace(/<mesh\b[^>]*\/>/g, '')
    .replace(/<geom\b[^>]*\bmesh="[^"]*"[^>]*\/>/g, '');
  const config = readFileSync(join(folder, 'src/lib/retarget/configs/bvh_lafan1_to_unitree_g1.json'), 'utf8');
  const table: Readonly<Record<string, readonly [string, number, number]>> =
    JSON.parse(config).ik_match_table2;
  const model = mujoco.MjModel.from_xml_string(xml);
  if (model === null) throw new Error('MuJoCo does not read the model');
  const data = new mujoco.MjData(model);
  // The binding does not give the flags of limits; a range that is one tells as much.
  const range: ArrayLike<number> = model.jnt_range;
  Object.defineProperty(model, 'jnt_limited', {
    value: Uint8Array.from({ length: model.njnt }, (_, j) => (range[2 * j] < range[2 * j + 1] ? 1 : 0)),
  });
  const bodyIds = new Map(
    Array.from({ length: model.nbody }, (_, k) => [
      String(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY.value, k)),
      k,
    ]),
  );
  const judge = new mujoco.MjData(model);
  return {
    clips: readdirSync(join(folder, 'clips')).map((name) => join(folder, 'clips', name)),
    xml,
    config,
    framesOf: (clip) => bundle.lafan1.bvhToLafan1Frames(bundle.parseBvh(readFileSync(clip, 'utf8'))).frames,
    createEngine: () =>
      new bundle.GmrRetargetEngine(
        { mujoco, model, data, bodyIds, nq: model.nq, nv: model.nv },
        JSON.parse(config),
        SETTINGS,
      ),
    objectiveOf(qpos, targets) {
      judge.qpos.set(qpos);
      mujoco.mj_kinematics(model, judge);
      let sum = 0;
      for (const [body, [human, wp, wr]] of Object.entries(table)) {
        const target = targets.get(human);
        const id = bodyIds.get(body);
        if (target === undefined || id === undefined) throw new Error(`no ${body} for ${human}`);
        const e = Math.hypot(...target.pos.map((x, k) => x - judge.xpos[3 * id + k]));
        // |R* R^-1| from the vector part of the product: exact for small angles.
        const [aw, ax, ay, az] = target.quat;
        const [bw, bx, by, bz] = judge.xquat.subarray(4 * id, 4 * id + 4);
        const sine = Math.hypot(
          -aw * bx + ax * bw - ay * bz + az * by,
          -aw * by + ax * bz + ay * bw - az * bx,
          -aw * bz - ax * by + ay * bx + az * bw,
        );
        const r = 2 * Math.atan2(sine, Math.abs(aw * bw + ax * bx + ay * by + az * bz));
        sum += (wp * e) ** 2 + (wr * r) ** 2;
      }
      return sum;
    },
  };
}
