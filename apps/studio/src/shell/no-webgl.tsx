import { NO_WEBGL } from './no-webgl-words.js';

/** In place of the picture and its panel. */
export function NoWebgl() {
  return (
    <main className="notice">
      <h1>{NO_WEBGL.title}</h1>
      <p>The studio {NO_WEBGL.reason}</p>
      <ul>
        {NO_WEBGL.remedies.map((remedy) => (
          <li key={remedy}>{remedy}</li>
        ))}
      </ul>
      <p>
        The command line poses figures without a browser: <code>npx poise pose</code>.
      </p>
    </main>
  );
}
