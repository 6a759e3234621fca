/**
 * Runs tasks, so many at a time, in their order: each as soon as there is room and the tasks are done that it comes after.
 *
 * @template {{ readonly name: string, readonly after?: readonly string[] }} Task
 * @param {readonly Task[]} tasks names in `after` that none of them has are taken for done
 * @param {number} room
 * @param {(task: Task) => Promise<void>} run
 * @returns {Promise<void>}
 */
export async function schedule(tasks, room, run) {
  const waiting = [...tasks];
  const unfinished = new Set(tasks.map(({ name }) => name));
  let running = 0;
  await new Promise((/** @type {(value?: undefined) => void} */ resolve, reject) => {
    const startSome = () => {
      if (unfinished.size === 0) resolve();
      while (running < room) {
        const next = waiting.findIndex(({ after = [] }) => !after.some((name) => unfinished.has(name)));
        if (next < 0) break;
        const [task] = waiting.splice(next, 1);
        running++;
        run(task).then(() => {
          running--;
          unfinished.delete(task.name);
          startSome();
        }, reject);
      }
      if (running === 0 && waiting.length > 0)
        reject(new Error(`${waiting.map(({ name }) => name).join(', ')} come after each other`));
    };
    startSome();
  });
}
