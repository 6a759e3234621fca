/** What a measurement of a queue needs of the command (scripts/lib/queue-figures.mjs). */
export { jobId, manifestPath, planKey, planLine } from '../../src/batch/manifest.js';
export { readQueueAddress } from '../../src/queue/address.js';
export { loadClients } from '../../src/queue/clients.js';
export { enqueueJobs } from '../../src/queue/enqueue-jobs.js';
export { serveQueue } from '../../src/queue/serve-queue.js';
