import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The shaders of three.js without comments and indentation, as in its own bundle. */
const shaders: Plugin = {
  name: 'shaders',
  apply: 'build',
  transform: {
    filter: { id: /three\/src\/.*\.glsl\.js$/ },
    handler: (code) =>
      code.replace(/`[^`]*`/g, (text) =>
        text
          .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
          .replace(/[ \t]+/g, ' ')
          .replace(/\s*\n\s*/g, '\n'),
      ),
  },
};

/** What the page may do: its own files, and what it reads or makes itself. The server of development needs more. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  // Buffers and pictures within files of characters.
  "connect-src 'self' data: blob:",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const policy: Plugin = {
  name: 'policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

export default defineConfig({
  plugins: [react(), shaders, policy],
  resolve: {
    // Workspace packages from their TypeScript sources (docs/decisions/0001).
    conditions: ['poise-source', ...defaultClientConditions],
    // The modules of three.js in place of its bundle: what only a reader of files needs is loaded with that.
    alias: [{ find: /^three$/, replacement: 'three/src/Three.js' }],
  },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: {
    target: 'es2022',
    // Those with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // WebGL's renderer with its shaders is one.
    chunkSizeWarningLimit: 700,
  },
});
