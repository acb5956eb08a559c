import '../features/identity/login.css';
import type { Site } from '@isotherm/contracts/settings';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import type { ReactNode } from 'react';
import { changeLanguage } from '../shared/i18n/language.ts';
import { useText } from '../shared/i18n/use-text.ts';
import { Icon } from '../shared/ui/icon.tsx';
import { BrandLogo } from './brand-logo.tsx';

/** Page frame of the forms before login. It is deliberately small and contains no tables or charts. */
export function EntryFrame({ site, children }: { site: Site; children: ReactNode }) {
  const { text, language } = useText();
  return (
    <main className="login">
      <section className="login-scene">
        <Isotherms />
        <div className="login-brand">
          <BrandLogo src={site.loginLogo} size={24} />
          {site.title}
        </div>
        <div className="login-promise">
          <strong>{text('login.promise.title')}</strong>
          <span className="secondary">{text('login.promise.line')}</span>
        </div>
      </section>
      <section className="login-side">
        <div className="login-top">
          <div className="login-brand">
            <BrandLogo src={site.loginLogo} size={24} />
            {site.title}
          </div>
          {site.languagePicker ? <LanguagePicker language={language} /> : null}
        </div>
        {children}
        <footer className="login-foot">
          <span>{text('login.browser-advice')}</span>
          {site.supportNote ? <span className="login-support">{site.supportNote}</span> : null}
          <span>
            {site.version} · {site.copyright}
            {site.filing ? ` · ${site.filing}` : ''}
          </span>
        </footer>
      </section>
    </main>
  );
}

function LanguagePicker({ language }: { language: Language }) {
  const { text } = useText();
  return (
    <label className="language-picker">
      <Icon name="globe" />
      <span className="visually-hidden">{text('common.language')}</span>
      <select value={language} onChange={(event) => void changeLanguage(event.target.value as Language)}>
        {LANGUAGES.map((each) => (
          <option key={each} value={each}>
            {LANGUAGE_NAMES[each]}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

const LINES = 12;
const ACCENT_LINE = 6;

function isotherm(line: number): string {
  let path = '';
  for (let x = 0; x <= 720; x += 12) {
    const y = 80 + line * 52 + 46 * Math.sin(x / 150 + line * 0.32) + 24 * Math.sin(x / 63 - line * 0.21);
    path += `${x === 0 ? 'M' : 'L'}${x} ${y.toFixed(1)}`;
  }
  return path;
}

/** A drawing of isotherms (lines of equal temperature), which gave the product its name. */
function Isotherms() {
  return (
    <svg viewBox="0 0 720 900" preserveAspectRatio="xMidYMid slice" fill="none" aria-hidden="true">
      {Array.from({ length: LINES }, (_, line) => isotherm(line)).map((path, line) => (
        <path
          key={path}
          d={path}
          stroke={line === ACCENT_LINE ? 'var(--accent-base)' : 'var(--border-default)'}
          strokeWidth={line === ACCENT_LINE ? 2 : 1}
        />
      ))}
    </svg>
  );
}
