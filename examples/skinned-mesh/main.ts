import { bindFigure, FigureSolver, figureFromObject3D } from '@poise/three';
import * as three from 'three';
import { DragControls } from 'three/examples/jsm/controls/DragControls.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

const { scene: character } = await new GLTFLoader().loadAsync('character.glb');
const ball = new three.Mesh(new three.SphereGeometry(0.05), new three.MeshBasicMaterial({ color: 'orange' }));
ball.position.set(0.5, 1.2, 0.35);
const scene = new three.Scene().add(character, ball, new three.HemisphereLight('white', 'gray', 3));
const camera = new three.PerspectiveCamera(35, innerWidth / innerHeight);
camera.position.set(0, 1, innerWidth > innerHeight ? 3.6 : 6.5);
const renderer = new three.WebGLRenderer({ alpha: true, antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);
new DragControls([ball], camera, renderer.domElement);

const joints = { leftLowerArm: { type: 'hinge', axis: [0, -1, 0] } } as const;
const limits = { leftLowerArm: { type: 'interval', min: 0, max: 2.6 } } as const;
const { figure } = figureFromObject3D(character, { joints, limits });
const goal = { type: 'position', bone: 'leftHand', target: ball } as const;
const locked = ['hips', 'spine', 'chest', 'upperChest'];
const solver = new FigureSolver(bindFigure(figure, character), [goal], { locked });
renderer.setAnimationLoop(() => {
  document.body.dataset.status = solver.update().status;
  renderer.render(scene, camera);
});
