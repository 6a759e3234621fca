/** Processor time of the process, ms: hardly affected by other load. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
