import './apitool.css';
import '../../shared/ui/form/form.css';
import type { Site } from '@isotherm/contracts/settings';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import { useEffect, useMemo, useRef, useState } from 'react';
import { readSession } from '../../shared/api/session.ts';
import { changeLanguage } from '../../shared/i18n/language.ts';
import { type Text, useText } from '../../shared/i18n/use-text.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { BrandLogo } from '../brand-logo.tsx';
import { exampleOf } from './example.ts';
import { groupsOf, loadDocument, matches, type Operation, operationsOf } from './openapi.ts';
import { RequestPanel } from './request-panel.tsx';
import { SchemaView } from './schema-view.tsx';

/**
 * The API reference (requirements §2, `/apitool`). It is generated from the server's OpenAPI document and
 * needs no login.
 */
export function ApiToolPage({ site }: { site: Site }) {
  const { text, language } = useText();
  const [operations, setOperations] = useState<Operation[] | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(decodeURIComponent(location.hash.slice(1)));
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks again.
  useEffect(() => {
    const asking = new AbortController();
    setFailure(null);
    loadDocument(asking.signal).then(
      (document) => setOperations(operationsOf(document)),
      (error: unknown) => asking.signal.aborted || setFailure(error),
    );
    return () => asking.abort();
  }, [round]);
  useEffect(() => {
    const follow = () => setChosen(decodeURIComponent(location.hash.slice(1)));
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);

  const groups = useMemo(
    () =>
      groupsOf(
        (operations ?? []).filter((operation) => query.trim() === '' || matches(operation, query.trim())),
      ),
    [operations, query],
  );
  const open = operations?.find(({ id }) => id === chosen) ?? operations?.[0];
  const openId = open?.id;
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    if (openId) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [openId]);
  return (
    <div className="api">
      <header className="api-head">
        <a className="site-brand" href="/">
          <BrandLogo src={site.menuLogo} />
          {site.title}
        </a>
        <h1>{text('apitool.title')}</h1>
        <span className="end row">
          {site.languagePicker ? (
            <select
              className="api-language"
              aria-label={text('common.language')}
              value={language}
              onChange={(event) => void changeLanguage(event.target.value as Language)}
            >
              {LANGUAGES.map((each) => (
                <option key={each} value={each}>
                  {LANGUAGE_NAMES[each]}
                </option>
              ))}
            </select>
          ) : null}
          <a className={buttonClass({ size: 'small' })} href="/api/openapi.json">
            OpenAPI
          </a>
          <a className={buttonClass({ variant: 'primary', size: 'small' })} href="/">
            {text(readSession() ? 'apitool.to-console' : 'login.submit')}
          </a>
        </span>
      </header>
      <nav ref={list} className="api-list" aria-label={text('apitool.calls')}>
        <FilterBox value={query} placeholder={text('apitool.search')} onChange={setQuery} />
        {groups.map(([group, members]) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            {members.map(({ id, method, path, summary }) => (
              <a
                key={id}
                href={`#${encodeURIComponent(id)}`}
                aria-current={id === open?.id ? 'page' : undefined}
                title={summary}
              >
                <span className={`api-method api-${method.toLowerCase()}`}>{method}</span>
                <span className="ellipsis">{path.replace('/api', '')}</span>
              </a>
            ))}
          </section>
        ))}
        {operations && groups.length === 0 ? (
          <p className="secondary api-plain">{text('common.list.no-result')}</p>
        ) : null}
      </nav>
      <main className="api-main" id="content">
        {failure ? <FailureNotice error={failure} retry={() => setRound(round + 1)} /> : null}
        {open ? <OperationView key={open.id} operation={open} site={site} /> : null}
        {operations && !open ? <Notice icon="page" title={text('common.list.no-result')} /> : null}
      </main>
    </div>
  );
}

function accessText(access: string, text: Text): string {
  if (access === 'public') return text('apitool.access.public');
  if (access === 'signed-in') return text('apitool.access.signed-in');
  return text('apitool.access.permission', { permission: access });
}

function OperationView({ operation, site }: { operation: Operation; site: Site }) {
  const { text } = useText();
  const data = operation.response?.properties?.data ?? operation.response;
  return (
    <>
      <div className="api-title">
        <h2>
          <span className={`api-method api-${operation.method.toLowerCase()}`}>{operation.method}</span>
          <code>{operation.path}</code>
        </h2>
        <p>{operation.summary}</p>
        <p className="small secondary">{accessText(operation.access, text)}</p>
      </div>
      <div className="api-columns">
        <div className="api-facts">
          {operation.parameters.length > 0 ? (
            <section className="panel">
              <h3>{text('apitool.parameters')}</h3>
              <SchemaView
                label={text('apitool.parameters')}
                schema={{
                  properties: Object.fromEntries(
                    operation.parameters.map(({ name, schema }) => [name, schema]),
                  ),
                  required: operation.parameters.filter(({ required }) => required).map(({ name }) => name),
                }}
              />
            </section>
          ) : null}
          {operation.body ? (
            <section className="panel">
              <h3>
                {text('apitool.body')} <span className="small tertiary">{operation.body.mediaType}</span>
              </h3>
              <SchemaView schema={operation.body.schema} label={text('apitool.body')} />
            </section>
          ) : null}
          {data ? (
            <section className="panel">
              <h3>
                {text('apitool.answer')} <span className="small tertiary">data</span>
              </h3>
              <SchemaView schema={data} label={text('apitool.answer')} />
              <details className="api-example">
                <summary>{text('apitool.example')}</summary>
                <pre className="api-code">
                  {JSON.stringify({ status: '1', message: '', data: exampleOf(data) }, null, 2)}
                </pre>
              </details>
            </section>
          ) : null}
        </div>
        <RequestPanel operation={operation} site={site} />
      </div>
    </>
  );
}
