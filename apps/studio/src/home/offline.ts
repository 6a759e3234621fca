/** Time after which the page is kept for visits without a network, ms: the picture comes first. */
const AFTER_PICTURE = 4000;

/** Has the browser keep the page with all its parts; not in development. Without service workers there is none of it. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = () => {
    navigator.serviceWorker.register('./service-worker.js').catch(() => {
      // Refused, in a private window say: the page needs the network.
    });
  };
  window.addEventListener('load', () => setTimeout(register, AFTER_PICTURE));
}
