import { GoalError } from 'poise';
import { allStages, goalTypes } from 'poise/ik';
import { requireFields } from 'poise/internal/checks';
import type { FigureBinding } from '../binding/bind-figure.js';
import { FIELDS, type FigureSolverOptions, FigureSolverWith } from './figure-solver-with.js';
import type { SceneGoal } from './scene-goals.js';

/**
 * Inverse kinematics on three.js objects, over whatever animates them:
 *
 *     mixer.update(seconds);
 *     solver.update(seconds);
 *
 * Each {@link update} reads the animation's pose from the objects, solves the goals from there and writes the solution back
 * with {@link weight}. The animation's pose is kept apart from the solver's output, so nothing drifts, even if the mixer is
 * paused or has no track for a bone; without an animation, the objects' pose at the solver's creation takes its place. Bones
 * that no goal can move keep the animation bit for bit.
 */
export class FigureSolver extends FigureSolverWith {
  /**
   * @param binding - From `bindFigure`.
   * @throws GoalError, FigureError for goals that are invalid for the figure, with the nearest name for unknown ones.
   */
  constructor(binding: FigureBinding, goals: readonly SceneGoal[], options: FigureSolverOptions = {}) {
    requireFields(options, FIELDS, 'options', GoalError);
    super(binding, goals, { ...options, goalTypes, stages: allStages });
  }
}
