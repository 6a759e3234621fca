import { GoalHelper } from '@poise/three';
import { Vector3 } from 'three';
import { createCharacter } from '../shared/character.js';
import { find, onSlider, onSwitch, showNumber, showResult } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Ground } from './ground.js';
import { Walker } from './walker.js';

const stage = createStage({ middle: [0, 0.8, 0], from: [2.4, 0.75, 3.4], floor: false });
const character = createCharacter();
const ground = new Ground();
const walker = new Walker(character, ground);
const helper = new GoalHelper(walker.solver, { radius: 0.02 });
stage.scene.add(ground.mesh, character.root, helper);

let speed = 1;
onSlider('#weight', (weight) => {
  walker.solver.weight = weight;
  walker.forget();
  find('#weight-value').textContent = `${Math.round(100 * weight)} %`;
});
onSlider('#speed', (value) => {
  speed = value;
  find('#speed-value').textContent = `${Math.round(100 * value)} %`;
});
onSlider('#bumps', (share) => {
  ground.bumps = share;
  walker.forget();
  find('#bumps-value').textContent = `${Math.round(100 * share)} %`;
});
onSwitch('#goals', (shown) => {
  helper.visible = shown;
});

const before = character.root.position.clone();
const moved = new Vector3();
stage.start((seconds) => {
  showResult(walker.step(speed * seconds));
  showNumber('#slide', walker.slide, `${(1000 * walker.slide).toFixed(1)} mm`);
  showNumber('#tilt', walker.tilt, `${((180 * walker.tilt) / Math.PI).toFixed(1)}°`);
  if (helper.visible) helper.update();
  // The camera follows at constant height.
  moved.subVectors(character.root.position, before).setY(0);
  stage.controls.target.add(moved);
  stage.camera.position.add(moved);
  before.copy(character.root.position);
});
