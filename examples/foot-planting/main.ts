import { GoalHelper } from '@poise/three';
import { createCharacter } from '../shared/character.js';
import { onSlider, onSwitch, showNumber, showResult } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { createGround } from './ground.js';
import { Walker } from './walker.js';

const stage = createStage({ middle: [0, 0.62, 0], from: [2.6, 2.7, 6.6], floor: false });
const character = createCharacter();
const walker = new Walker(character);
const helper = new GoalHelper(walker.solver, { radius: 0.02 });
stage.scene.add(createGround(), character.root, helper);

let speed = 1;
onSlider('#weight', (weight) => {
  walker.solver.weight = weight;
  walker.forget();
});
onSlider('#speed', (value) => {
  speed = value;
});
onSwitch('#goals', (shown) => {
  helper.visible = shown;
});
stage.start((seconds) => {
  showResult(walker.step(speed * seconds));
  showNumber('#slide', walker.slide, `${(1000 * walker.slide).toFixed(1)} mm`);
  if (helper.visible) helper.update();
});
