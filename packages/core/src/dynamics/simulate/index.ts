export { createSimulation, placeSimulation, type Simulation, type SimulationOptions } from './simulation.js';
export { type SimulationReport, stepSimulation } from './step.js';
