/** The queue of BullMQ: what is in a job of it, and how it is opened. */

import { createHash } from 'node:crypto';
import type { QueueOptions as BullmqQueueOptions, Queue } from 'bullmq';
import type { BatchJob, BatchPlan } from '../batch/job.js';
import { planKey } from '../batch/manifest.js';
import type { QueueAddress } from './address.js';
import { type Clients, connectionOptions, KEY_PREFIX } from './clients.js';

/** What a worker is told; all else stands in the folder of the batch. */
export interface QueuedJob {
  /** Folder of the batch, absolute. */
  readonly out: string;
  /** Of `planKey`: a job of a plan that the folder has no more is dropped. */
  readonly plan: string;
  readonly job: BatchJob;
}

/** Events that Redis keeps for who watches the queue: each job makes several, and nothing here reads them. */
const KEPT_EVENTS = 1000;

/** Opens the queue to put jobs into it. It connects again whenever Redis was gone. */
export function openQueue(address: QueueAddress, { bullmq }: Clients): Queue<QueuedJob> {
  const options: BullmqQueueOptions = {
    connection: connectionOptions(address),
    prefix: KEY_PREFIX,
    streams: { events: { maxLen: KEPT_EVENTS } },
    // A job is in Redis while it is to be done. What became of it stands in the journals.
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  };
  return new bullmq.Queue<QueuedJob>(address.name, options);
}

/** An id of BullMQ: no colon, no whole number, and another one where the same input is a job of two folders. */
export function queueId(out: string, { id }: Pick<BatchJob, 'id'>): string {
  return `${id}-${createHash('sha256').update(out).digest('hex').slice(0, 12)}`;
}

export function queuedJob(
  plan: BatchPlan,
  job: BatchJob,
): { name: string; data: QueuedJob; opts: { jobId: string } } {
  const { command, out } = plan;
  return { name: command, data: { out, plan: planKey(plan), job }, opts: { jobId: queueId(out, job) } };
}

/** Whether Redis has each job, waiting or at work, by its id. */
export async function areQueued(queue: Queue<QueuedJob>, ids: readonly string[]): Promise<boolean[]> {
  const client = await queue.getBackend().client;
  const answers = await Promise.all(ids.map((id) => client.hexists(queue.toKey(id), 'data')));
  return answers.map((there) => there === 1);
}
