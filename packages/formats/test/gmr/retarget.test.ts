import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import loadMujoco from '@mujoco/mujoco';
import { qposFromPose, readBvh, readGmrConfig, readMjcf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { limitViolation } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import {
  createHumanReader,
  createRobotRetargeter,
  LAFAN1_FEET,
  readHuman,
  retargetToRobot,
} from 'poise/robot';
import { beforeAll, expect, test } from 'vitest';

/** What is called of the peer, GMR in TypeScript. Quaternions w x y z. */
interface Peer {
  readonly parseBvh: (text: string) => unknown;
  readonly lafan1: {
    readonly bvhToLafan1Frames: (clip: unknown) => { readonly frames: readonly PeerFrame[] };
  };
  readonly GmrRetargetEngine: new (
    robot: object,
    config: object,
    options: object,
  ) => {
    readonly retargetFrame: (frame: PeerFrame) => Float64Array;
    readonly lastScaledHuman: PeerFrame;
  };
}
type PeerFrame = ReadonlyMap<string, { readonly pos: readonly number[]; readonly quat: readonly number[] }>;

describeWithData('the clips of a peer on the Unitree G1', '../peers/gmr-web', (folder) => {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  let run: (clip: string) => {
    readonly frames: number;
    /** Objectives of the second table by MuJoCo's kinematics. */
    readonly ours: readonly number[];
    readonly peers: readonly number[];
    readonly reported: readonly number[];
    readonly residual: number;
    readonly targetGap: number;
    readonly violation: number;
  };

  beforeAll(async () => {
    const mujoco = await loadMujoco();
    const peer: Peer = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'dist/gmr-web.mjs')).href);
    // Meshes only draw.
    const xml = read('public/robots/unitree_g1/g1_mocap_29dof.xml')
      .replace(/<mesh\b[^>]*\/>/g, '')
      .replace(/<geom\b[^>]*\bmesh="[^"]*"[^>]*\/>/g, '');
    const json = read('src/lib/retarget/configs/bvh_lafan1_to_unitree_g1.json');
    const config = JSON.parse(json);
    const model = mujoco.MjModel.from_xml_string(xml);
    if (model === null) throw new Error('MuJoCo does not read the model');
    const data = new mujoco.MjData(model);
    // The binding does not give the flags of limits; a range that is one tells as much.
    const range: ArrayLike<number> = model.jnt_range;
    Object.defineProperty(model, 'jnt_limited', {
      value: Uint8Array.from({ length: model.njnt }, (_, j) => (range[2 * j] < range[2 * j + 1] ? 1 : 0)),
    });
    const bodies = Array.from({ length: model.nbody }, (_, k) =>
      String(mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY.value, k)),
    );
    const robot = {
      mujoco,
      model,
      data,
      bodyIds: new Map(bodies.map((n, k) => [n, k])),
      nq: model.nq,
      nv: model.nv,
    };
    const settings = {
      damping: 0.5,
      lmDamping: 1,
      maxIter: 10,
      errTol: 0.001,
      actualHumanHeight: 1.75,
      groundOffset: 0,
      offsetToGround: false,
      useVelocityLimit: false,
    };
    const ours = readMjcf(xml);

    const objectiveOf = (qpos: Float64Array, targets: PeerFrame): number => {
      data.qpos.set(qpos);
      mujoco.mj_kinematics(model, data);
      let sum = 0;
      for (const [body, [human, wp, wr]] of Object.entries<[string, number, number]>(
        config.ik_match_table2,
      )) {
        const target = targets.get(human);
        const id = robot.bodyIds.get(body);
        if (target === undefined || id === undefined) throw new Error(`no ${body}`);
        const e = Math.hypot(...target.pos.map((x, k) => x - data.xpos[3 * id + k]));
        const dot =
          target.quat.reduce((d, x, k) => d + x * data.xquat[4 * id + k], 0) / Math.hypot(...target.quat);
        const r = 2 * Math.acos(Math.min(1, Math.abs(dot)));
        sum += (wp * e) ** 2 + (wr * r) ** 2;
      }
      return sum;
    };

    run = (clip) => {
      const text = read(`clips/${clip}`);
      const engine = new peer.GmrRetargetEngine(robot, config, settings);
      const peers: number[] = [];
      const targets: PeerFrame[] = [];
      for (const frame of peer.lafan1.bvhToLafan1Frames(peer.parseBvh(text)).frames) {
        const qpos = engine.retargetFrame(frame);
        targets.push(engine.lastScaledHuman);
        peers.push(objectiveOf(qpos, engine.lastScaledHuman));
        data.qpos.set(qpos);
      }
      const human = readBvh(text, { scale: 0.01 });
      const retargeter = createRobotRetargeter(ours.figure, readGmrConfig(json), { humanHeight: 1.75 });
      const reader = createHumanReader(human.figure, retargeter.humanBodies, { joined: LAFAN1_FEET });
      const sampler = createMotionSampler(human.figure, human.motion);
      const humanPose = new Float64Array(human.figure.dof);
      const pose = new Float64Array(ours.figure.dof);
      const result = {
        frames: targets.length,
        ours: [] as number[],
        peers,
        reported: [] as number[],
        residual: 0,
        targetGap: 0,
        violation: 0,
      };
      targets.forEach((target, k) => {
        samplePose(sampler, k * human.frameTime, humanPose);
        const { objective, residual } = retargetToRobot(retargeter, readHuman(reader, humanPose), pose);
        result.reported.push(objective);
        result.ours.push(objectiveOf(qposFromPose(ours, pose), target));
        result.residual = Math.max(result.residual, residual);
        result.violation = Math.max(result.violation, limitViolation(ours.figure, pose));
        retargeter.humanBodies.forEach((body, b) => {
          for (let n = 0; n < 3; n++) {
            const gap = Math.abs(
              retargeter.state.targets.positions[3 * b + n] - (target.get(body)?.pos[n] ?? Number.NaN),
            );
            result.targetGap = Math.max(result.targetGap, gap);
          }
        });
      });
      return result;
    };
  });

  test.each(readdirSync(join(folder, 'clips')))(
    '%s: at most its objective, at a minimum within the limits',
    (clip) => {
      const { frames, ours, peers, reported, residual, targetGap, violation } = run(clip);
      expect(ours).toHaveLength(frames);
      expect(targetGap).toBeLessThan(1e-9);
      expect(ours.filter((f, k) => f <= peers[k]).length).toBeGreaterThanOrEqual(0.99 * frames);
      for (const [k, f] of ours.entries()) expect(Math.abs(reported[k] - f)).toBeLessThan(1e-6 * f);
      expect(residual).toBeLessThan(1e-6);
      expect(violation).toBe(0);
    },
  );
});
