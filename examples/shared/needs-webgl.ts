/** Imported before what draws in three dimensions: without WebGL the page says so, and nothing of what imports this runs. */
import { NO_WEBGL } from '@poise/studio/no-webgl-words';
import { hasWebgl } from '@poise/studio/webgl';

if (!hasWebgl()) {
  const notice = document.createElement('section');
  notice.className = 'notice';
  const title = document.createElement('h2');
  title.textContent = NO_WEBGL.title;
  const reason = document.createElement('p');
  reason.textContent = `This page ${NO_WEBGL.reason}`;
  const list = document.createElement('ul');
  list.append(
    ...NO_WEBGL.remedies.map((remedy) => {
      const item = document.createElement('li');
      item.textContent = remedy;
      return item;
    }),
  );
  notice.append(title, reason, list);
  document.body.append(notice);
  // A module that never ends: those that import it would throw.
  await new Promise<never>(() => {});
}
