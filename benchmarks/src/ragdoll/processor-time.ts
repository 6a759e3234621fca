/** ms of processor time that the process has taken: what other work beside it hardly changes. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
