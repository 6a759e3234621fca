import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { beginHome } from './home/begin.js';
import { keepForOffline } from './home/offline.js';
import { followTheme } from './preferences/theme.js';
import { keepMode } from './shell/keep-mode.js';
import './colours.css';
import './styles.css';
import './controls.css';

followTheme();
keepMode();
beginHome();
keepForOffline();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
