export { type GmrConfig, type GmrMatch, type ReadGmrConfigOptions, readGmrConfig } from './read-config.js';
