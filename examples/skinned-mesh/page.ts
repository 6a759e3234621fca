// main.ts is all of the example; where a browser draws nothing in three dimensions the page says so, and it is not loaded.
import '../shared/needs-webgl.js';

await import('./main.js');
