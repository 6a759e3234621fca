import { Vector3 } from 'three';
import { createCharacter } from '../shared/character.js';
import { find, onSlider, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Ground } from './ground.js';
import { Walker } from './walker.js';

/** Slide from which feet visibly do not stay, m. */
const VISIBLE = 0.002;

const stage = createStage({ middle: [0, 0.8, 0], from: [2.4, 0.75, 3.4], floor: false });
const character = createCharacter();
const ground = new Ground();
const walker = new Walker(character, ground);
stage.scene.add(ground.mesh, character.root);

let speed = 1;
onSlider('#weight', (weight) => {
  walker.planter.weight = weight;
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

function showFeet(): void {
  const { planter, slide } = walker;
  const standing = planter.feet.filter(({ locked }) => locked).map(({ side }) => side);
  if (planter.weight === 0) showWords('animation', 'warn', 'Animation alone: feet slide and sink', []);
  else if (planter.weight < 1) showWords('blended', 'warn', 'Partly planted: feet slide a little', []);
  else if (slide > VISIBLE) showWords('sliding', 'far', 'A foot slides: its leg does not reach', []);
  else showWords('planted', 'good', 'Feet stay where they come down', []);
  find('#status').dataset.standing = standing.join(' ');
  showNumber('#slide', slide, `${(1000 * slide).toFixed(1)} mm`);
  const moved = planter.weight * planter.bodyOffset;
  showNumber('#body', moved, `${(1000 * moved).toFixed(0)} mm`);
}

const before = character.root.position.clone();
const moved = new Vector3();
stage.start((seconds) => {
  walker.step(speed * seconds);
  showFeet();
  // The camera follows at constant height.
  moved.subVectors(character.root.position, before).setY(0);
  stage.controls.target.add(moved);
  stage.camera.position.add(moved);
  before.copy(character.root.position);
});
