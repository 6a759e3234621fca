import fc from 'fast-check';
import { seedFromEnvironment } from './seed.js';

// Loaded into every test file: fast-check draws from the run's one seed (announce-seed.ts has settled it).
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedFromEnvironment(process.env.POISE_SEED) });
