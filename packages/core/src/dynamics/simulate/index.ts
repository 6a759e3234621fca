export type { Actor, ActorOptions } from './actor.js';
export type { BoneAnchor, Connection, ConnectionOptions, WorldAnchor } from './connection.js';
export { applyImpulse } from './impulse.js';
export type { Motor, MotorOptions, PerCoordinate } from './motor.js';
export type { SimulationReport, SimulationWarning } from './report.js';
export { createSimulation, type Simulation, type SimulationOptions } from './simulation.js';
export { wakeActor } from './sleep.js';
export { type ActorForces, stepSimulation } from './step.js';
