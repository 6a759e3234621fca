import { createIk } from 'poise/ik';
import type { FigureBinding } from '../binding/bind-figure.js';
import { type FigureSolverOptions, FigureSolverWith } from './figure-solver-with.js';
import type { SceneGoal } from './scene-goals.js';

/**
 * Inverse kinematics on three.js objects, over whatever animates them:
 *
 *     mixer.update(seconds);
 *     solver.update(seconds);
 *
 * Each {@link update} takes the pose that the animation gave the objects, solves the goals from there and writes the solution back
 * with {@link weight}. The animation's pose is kept apart from what the solver wrote, so nothing drifts, also where the mixer is paused or
 * has no track for a bone; without an animation, the pose in which the objects stood when the solver was made takes its place. Bones that no
 * goal can move keep the animation to the bit.
 */
export class FigureSolver extends FigureSolverWith {
  /**
   * @param binding - From `bindFigure`.
   * @throws GoalError, FigureError for goals that make no sense on the figure; names come with the nearest.
   */
  constructor(binding: FigureBinding, goals: readonly SceneGoal[], options: FigureSolverOptions = {}) {
    super(createIk, binding, goals, options);
  }
}
