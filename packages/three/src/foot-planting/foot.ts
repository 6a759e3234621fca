/** One foot: when it is on the ground, where it stays, and how high the ground is under it. */
import { type Object3D, Quaternion, Vector3 } from 'three';
import type { RestHeights } from './find-legs.js';
import type { GroundPoint, GroundReader } from './ground.js';
import type { Leg } from './leg.js';

// Lengths in leg lengths, speeds in leg lengths a second: an adult's leg is about 0.85 m.

/** Height of the ball over its height at rest, and speed, below which a contact begins and above which it ends. */
const CONTACT_HEIGHT = [0.035, 0.06] as const;
const CONTACT_SPEED = [0.35, 0.8] as const;
/** Distance and angle (rad) from the animation at which a foot lets go: the character is turned or pushed in place. */
const MAX_OFFSET = 0.2;
const MAX_YAW = 0.8;
/** Distance and speed at which it takes hold again without having been lifted. */
const REST_OFFSET = 0.01;
const REST_SPEED = 0.05;
/** Time constant in which a foot that let go returns to the animation, s. */
const RELEASE_TIME = 0.08;
/** Time over which the ground ahead of a swinging foot is looked at, s, and the number of points. */
const LOOKAHEAD = 0.18;
const LOOKAHEAD_POINTS = 3;
/** Rates at which the ground under a foot rises in foresight and falls, and at which it rises at most. */
const RATE = 2;
const MAX_RATE = 8;
/** Slope that a foot follows however fast it is. */
const FAST_SLOPE = 0.4;
/** Heights of the sole between which it leaves the slope, and the foot is not waited for by the body. */
const LEVEL_HEIGHT = [0.03, 0.25] as const;
/** Share of the height of a lifted foot that steps over higher ground; it is lifted for the rest. */
const CLEARANCE_SHARE = 0.6;
/** Ground behind the heel that counts for it, over the distance from heel to ball: a heel comes back as the foot comes down. */
const HEEL_MARGIN = 0.2;
/** Largest angle between the ground and the sole, rad: steeper ground counts as that steep. */
const MAX_SLOPE = 0.7;
/** Time constant of the slope, s. */
const SLOPE_TIME = 0.05;
/** Step of the differences for normals. */
const DIFFERENCE = 0.02;
/** Component of the foot's direction across up below which it has no heading. */
const MIN_HEADING = 0.3;

/** What the planter knows of the character in this frame. */
export interface Frame {
  readonly up: Vector3;
  /** Height of the animation's floor: of the character's origin. */
  readonly floor: number;
  /** Distance of the ground from the floor up to which it is stood on, world. */
  readonly stepHeight: number;
  readonly seconds: number;
  readonly reader: GroundReader;
}

export class Foot {
  readonly leg: Leg;
  readonly side: 'left' | 'right';
  readonly object: Object3D;
  /** Whether the foot is held where it came down. */
  locked = false;
  /** On the ground, below the ball of the foot. */
  readonly position = new Vector3();
  /** Unit normal of the sole. */
  readonly normal = new Vector3();
  /** Where the ankle goes, and the rotation of the foot from the animation. */
  readonly target = new Vector3();
  readonly rotation = new Quaternion();
  /** The foot's orientation in the animation. */
  readonly animated = new Quaternion();
  /** Height of the ground under the foot, along up. */
  height = 0;
  /** How much the body waits for this foot: 1 on the ground, 0 in the air. */
  load = 0;

  readonly #rest: RestHeights;
  /** From the animation's ball to the target's, across up, and the rotation about up. */
  readonly #offset = new Vector3();
  #yaw = 0;
  readonly #lockedAt = new Vector3();
  readonly #lockedHeading = new Vector3();
  /** It let go while down: it takes hold again once it was lifted or has come to rest. */
  #hasLetGo = false;
  #isNew = true;
  readonly #ball = new Vector3();
  readonly #ballTarget = new Vector3();
  readonly #before = new Vector3();
  readonly #velocity = new Vector3();

  constructor(leg: Leg, rest: RestHeights) {
    this.leg = leg;
    this.side = leg.objects.side;
    this.object = leg.objects.foot;
    this.#rest = rest;
  }

  reset(): void {
    this.#isNew = true;
  }

  /** Reads the animation, holds the foot if it is down, and places it on the ground. */
  follow(frame: Frame): void {
    const { up, floor, seconds } = frame;
    const { leg } = this;
    const { foot, heel, ball, tip } = leg.objects;
    const length = leg.length;
    foot.matrixWorld.decompose(unused, this.animated, unusedScale);
    this.#ball.copy(ball).applyMatrix4(foot.matrixWorld);
    heelAt.copy(heel).applyMatrix4(foot.matrixWorld);
    tipAt.copy(tip).applyMatrix4(foot.matrixWorld);
    const heelHeight = heelAt.dot(up) - floor;
    // Once down with the ball, heel and tip follow the clip about it.
    const height = this.#ball.dot(up) - floor;
    const { ball: ballAtRest, heel: heelAtRest } = this.#rest;
    const sole = Math.min(height / length - ballAtRest, heelHeight / length - heelAtRest);
    this.#measureVelocity(frame);
    headingOf(heelAt, this.#ball, up, heading);
    this.#updateLock(frame, height / length - ballAtRest, length);

    // The foot on its floor, moved by offset and yaw.
    turn.setFromAxisAngle(up, this.#yaw);
    const { position } = this;
    position.copy(this.#ball).add(this.#offset).addScaledVector(up, -height);
    heelAt
      .sub(this.#ball)
      .multiplyScalar(1 + HEEL_MARGIN)
      .applyQuaternion(turn)
      .add(position);
    tipAt.sub(this.#ball).applyQuaternion(turn).add(position);
    const heelLift = Math.max(0, heelHeight - heelAtRest * length);
    this.#followGround(frame, length, CLEARANCE_SHARE * Math.max(0, sole) * length, heelLift);
    position.addScaledVector(up, this.height - position.dot(up));

    this.load = 1 - smoothstep(sole, LEVEL_HEIGHT[0], LEVEL_HEIGHT[1]);
    tilt.setFromUnitVectors(up, this.normal);
    tilt.slerp(identity, 1 - this.load);
    this.rotation.multiplyQuaternions(tilt, turn);
    // The foot rotates about its ball, which stays as high over the ground as it was over the floor.
    this.#ballTarget.copy(position).addScaledVector(up, height);
    this.target.subVectors(leg.ankle, this.#ball).applyQuaternion(this.rotation).add(this.#ballTarget);
    if (seconds > 0 || this.#isNew) this.#before.copy(this.#ball);
    this.#isNew = false;
  }

  /** Moves the target of the ankle by what the ball of the foot misses of its own, as limits of the leg have rotated the foot. */
  correctTarget(): void {
    const { foot, ball } = this.leg.objects;
    this.leg.readMoved();
    this.target.add(this.#ballTarget).sub(offset.copy(ball).applyMatrix4(foot.matrixWorld));
  }

  #measureVelocity({ up, seconds }: Frame): void {
    if (this.#isNew) this.#velocity.set(0, 0, 0);
    else if (seconds > 0) this.#velocity.subVectors(this.#ball, this.#before).divideScalar(seconds);
    this.#velocity.addScaledVector(up, -this.#velocity.dot(up));
  }

  /** Contact with hysteresis; offset and yaw that hold the foot, or decay. */
  #updateLock({ up, seconds }: Frame, height: number, length: number): void {
    const speed = this.#velocity.length() / length;
    const which = this.locked ? 1 : 0;
    const isLow = height < CONTACT_HEIGHT[which];
    const isDown = isLow && speed < CONTACT_SPEED[which];
    if (this.#isNew) {
      this.#offset.set(0, 0, 0);
      this.#yaw = 0;
      this.locked = false;
      this.#hasLetGo = false;
    }
    const isAtRest = speed < REST_SPEED && this.#offset.length() < REST_OFFSET * length;
    if (!isLow || isAtRest) this.#hasLetGo = false;
    if (!isDown) this.locked = false;
    else if (!this.locked && !this.#hasLetGo && !this.#isNew) {
      this.locked = true;
      this.#lockedAt.addVectors(this.#ball, this.#offset);
      this.#lockedHeading.copy(heading).applyAxisAngle(up, this.#yaw);
    }
    if (this.locked) {
      this.#offset.subVectors(this.#lockedAt, this.#ball);
      this.#offset.addScaledVector(up, -this.#offset.dot(up));
      if (heading.lengthSq() > 0) this.#yaw = angleAbout(up, heading, this.#lockedHeading);
      if (this.#offset.length() < MAX_OFFSET * length && Math.abs(this.#yaw) < MAX_YAW) return;
      this.locked = false;
      this.#hasLetGo = true;
    }
    const kept = Math.exp(-seconds / RELEASE_TIME);
    this.#offset.multiplyScalar(kept);
    this.#yaw *= kept;
  }

  /**
   * Height and slope of the ground under heel, ball and tip, and ahead of a swinging foot; both change at bounded rates.
   *
   * @param clearance - Height of the sole that steps over higher ground.
   * @param heelLift - Height of the heel over its floor: a heel that rises may be over a stair behind it.
   */
  #followGround(frame: Frame, length: number, clearance: number, heelLift: number): void {
    const { up, floor, seconds } = frame;
    const { position } = this;
    this.#read(frame, position, length, underBall);
    this.#read(frame, heelAt, length, underHeel);
    this.#read(frame, tipAt, length, underTip);
    mean.addVectors(underBall.normal, underHeel.normal).normalize();
    const slope = mean.angleTo(up);
    if (slope > MAX_SLOPE) {
      turnTo.setFromUnitVectors(up, mean);
      mean.copy(up).applyQuaternion(tilt.identity().slerp(turnTo, MAX_SLOPE / slope));
    }
    if (this.#isNew) this.normal.copy(mean);
    else this.normal.lerp(mean, 1 - Math.exp(-seconds / SLOPE_TIME)).normalize();
    // The plane of the sole through the ball, raised over the ground at heel and tip.
    const vertical = this.normal.dot(up);
    let least = underBall.height;
    for (const [at, ground, lifted] of [
      [heelAt, underHeel, heelLift],
      [tipAt, underTip, 0],
    ] as const) {
      offset.subVectors(at, position);
      offset.addScaledVector(up, -offset.dot(up));
      least = Math.max(least, ground.height - lifted + this.normal.dot(offset) / vertical);
    }
    // Ahead: as high as lets it be reached in time, at a rate that also follows the slopes of a run.
    const rate = Math.max(RATE * length, FAST_SLOPE * this.#velocity.length());
    let ahead = least;
    if (!this.locked) {
      // The heel leads where a foot is drawn back as it comes down.
      offset.subVectors(tipAt, heelAt);
      const leading = offset.dot(this.#velocity) < 0 ? heelAt : tipAt;
      for (let k = 1; k <= LOOKAHEAD_POINTS; k++) {
        const time = (LOOKAHEAD * k) / LOOKAHEAD_POINTS;
        this.#read(frame, offset.copy(leading).addScaledVector(this.#velocity, time), length, underTip);
        ahead = Math.max(ahead, underTip.height - rate * time);
      }
    }
    // Follows in foresight, at a bounded rate, and faster where the lifted foot would meet the ground.
    const before = this.height;
    const highestRate = this.locked ? RATE : MAX_RATE;
    this.height = Math.min(Math.max(ahead, before - rate * seconds), before + rate * seconds);
    this.height = Math.max(this.height, Math.min(least - clearance, before + highestRate * length * seconds));
    if (this.#isNew) this.height = least;
    if (!Number.isFinite(this.height)) this.height = floor;
  }

  /** The ground at a point; the animation's floor where there is none. */
  #read({ up, floor, stepHeight, reader }: Frame, at: Vector3, length: number, out: GroundPoint): void {
    if (reader.read(at, floor, stepHeight, DIFFERENCE * length, out)) return;
    out.height = floor;
    out.normal.copy(up);
  }
}

/** Unit direction from heel to ball across up; zero for a foot that points up or down. */
function headingOf(heel: Vector3, ball: Vector3, up: Vector3, out: Vector3): void {
  out.subVectors(ball, heel).normalize();
  out.addScaledVector(up, -out.dot(up));
  if (out.length() < MIN_HEADING) out.set(0, 0, 0);
  else out.normalize();
}

/** Angle about an axis that takes one perpendicular direction to another, rad. */
function angleAbout(up: Vector3, from: Vector3, to: Vector3): number {
  return Math.atan2(offset.crossVectors(from, to).dot(up), from.dot(to));
}

function smoothstep(x: number, from: number, to: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return t * t * (3 - 2 * t);
}

const createPoint = (): GroundPoint => ({ height: 0, normal: new Vector3() });
const underBall = /* @__PURE__ */ createPoint();
const underHeel = /* @__PURE__ */ createPoint();
const underTip = /* @__PURE__ */ createPoint();
const heelAt = /* @__PURE__ */ new Vector3();
const tipAt = /* @__PURE__ */ new Vector3();
const heading = /* @__PURE__ */ new Vector3();
const mean = /* @__PURE__ */ new Vector3();
const offset = /* @__PURE__ */ new Vector3();
const unused = /* @__PURE__ */ new Vector3();
const unusedScale = /* @__PURE__ */ new Vector3();
const turn = /* @__PURE__ */ new Quaternion();
const turnTo = /* @__PURE__ */ new Quaternion();
const tilt = /* @__PURE__ */ new Quaternion();
const identity = /* @__PURE__ */ new Quaternion();
