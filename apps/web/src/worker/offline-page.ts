import { closestLanguage } from '@isotherm/i18n/languages';
import en from '../../../../packages/i18n/locales/en/push.json' with { type: 'json' };
import es from '../../../../packages/i18n/locales/es/push.json' with { type: 'json' };
import zhCN from '../../../../packages/i18n/locales/zh-CN/push.json' with { type: 'json' };
import zhTW from '../../../../packages/i18n/locales/zh-TW/push.json' with { type: 'json' };
import { SITE_PATH } from './calls.ts';

const TEXTS = { en, es, 'zh-CN': zhCN, 'zh-TW': zhTW };

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { min-height: 90vh; margin: 0; display: grid; place-content: center; text-align: center; padding: 24px; }
  h1 { font-size: 1.25rem; margin: 0 0 8px; }
  p { margin: 0 0 24px; }
  button { font: inherit; min-height: 44px; padding: 0 24px; border-radius: 6px; border: 1px solid; background: none; color: inherit; }
`;
/** Interval at which the page looks whether the server can be reached again. */
const LOOK_EVERY_MS = 5_000;
const SCRIPT = `
  const look = async () => {
    const answer = await fetch('${SITE_PATH}', { cache: 'no-store' }).catch(() => null);
    if (answer && answer.ok) location.reload();
  };
  document.querySelector('button').addEventListener('click', () => location.reload());
  addEventListener('online', look);
  setInterval(look, ${LOOK_EVERY_MS});
`;

/** The page that is shown instead of the console while the server cannot be reached. It contains no data. */
export function offlinePage(language: string, nonce: string): Response {
  const known = closestLanguage(language);
  const texts = TEXTS[known];
  const html = `<!doctype html><html lang="${known}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${texts['push.offline.title']}</title>
<style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${texts['push.offline.title']}</h1>
<p>${texts['push.offline.text']}</p><button type="button">${texts['push.offline.retry']}</button></main>
<script nonce="${nonce}">${SCRIPT}</script></body></html>`;
  return new Response(html, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
    },
  });
}
