import type { Site } from '@isotherm/contracts/settings';
import { PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { serverNow } from '../../shared/api/clock.ts';
import { readSession } from '../../shared/api/session.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { asCurl, type BuiltRequest, buildRequest, type Proof } from './build-request.ts';
import { CopyButton } from './copy-button.tsx';
import { exampleOf } from './example.ts';
import type { Operation } from './openapi.ts';

interface Answer {
  status: number;
  milliseconds: number;
  body: string;
}

type ProofKind = Proof['kind'];

/** Routes with a permission can also be called with an API key. */
const PROOFS: Partial<Record<string, ProofKind[]>> = { [PUBLIC]: ['none'], [SIGNED_IN]: ['session'] };

/** Form that fills in a request, shows how it is signed, copies it as curl, and sends it. */
export function RequestPanel({ operation, site }: { operation: Operation; site: Site }) {
  const { text, language } = useText();
  const own = readSession();
  const kinds = PROOFS[operation.access] ?? ['session', 'key'];
  const [parameters, setParameters] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() =>
    operation.body ? JSON.stringify(exampleOf(operation.body.schema), null, 2) : '',
  );
  const [kind, setKind] = useState<ProofKind>(kinds[0] ?? 'none');
  const [username, setUsername] = useState(own?.username ?? '');
  const [token, setToken] = useState('');
  const [key, setKey] = useState('');
  const [salt, setSalt] = useState(site.salt);
  const [timestamp, setTimestamp] = useState(() => serverNow());
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);

  // By default the request uses the user's own session. Its token is used but never shown.
  const usesOwn = own !== null && username === own.username && token === '';
  const proof: Proof =
    kind === 'session'
      ? { kind, username, token: usesOwn ? own.token : token }
      : kind === 'key'
        ? { kind, key }
        : { kind };
  const build = (at: number) =>
    buildRequest(operation, { parameters, body, proof, salt, language, timestamp: at });
  const built = attempt(() => build(timestamp));
  const request = 'request' in built ? built.request : null;
  const curl = useMemo(() => (request ? asCurl(location.origin, request) : ''), [request]);

  async function send() {
    const now = serverNow();
    const fresh = attempt(() => build(now));
    if (!('request' in fresh)) return;
    setTimestamp(now);
    setBusy(true);
    setAnswer(await perform(fresh.request));
    setBusy(false);
  }
  const change = (name: string) => (value: string) => setParameters({ ...parameters, [name]: value });

  return (
    <section className="panel api-request">
      <h3>{text('apitool.try')}</h3>
      <div className="api-fields">
        {operation.parameters.map((parameter) => (
          <Typed
            key={parameter.name}
            label={`${parameter.name}${parameter.required ? ' *' : ''}`}
            hint={parameter.in}
            value={parameters[parameter.name] ?? ''}
            onChange={change(parameter.name)}
          />
        ))}
      </div>
      {operation.body ? (
        <BodyField value={body} onChange={setBody} mediaType={operation.body.mediaType} />
      ) : null}
      {kinds.length > 1 ? (
        <fieldset className="api-proof">
          <legend className="field-label">{text('apitool.proof')}</legend>
          <span className="segments">
            {kinds.map((each) => (
              <button key={each} type="button" aria-pressed={each === kind} onClick={() => setKind(each)}>
                {text(each === 'session' ? 'apitool.proof.session' : 'apitool.proof.key')}
              </button>
            ))}
          </span>
        </fieldset>
      ) : null}
      <div className="api-fields">
        {kind === 'session' ? (
          <>
            <Typed label={text('apitool.username')} value={username} onChange={setUsername} />
            <Typed
              label={text('apitool.token')}
              value={token}
              onChange={setToken}
              secret
              placeholder={usesOwn ? text('apitool.token.own') : ''}
            />
          </>
        ) : null}
        {kind === 'key' ? (
          <Typed label={text('apitool.key')} value={key} onChange={setKey} secret />
        ) : (
          <>
            <Typed label={text('apitool.salt')} value={salt} onChange={setSalt} />
            <Typed
              label={text('apitool.timestamp')}
              value={String(timestamp)}
              onChange={(value) => setTimestamp(Number(value.replace(/\D/g, '')) || 0)}
              after={
                <Button variant="quiet" size="small" onClick={() => setTimestamp(serverNow())}>
                  {text('apitool.now')}
                </Button>
              }
            />
          </>
        )}
      </div>
      {'fault' in built ? (
        <div className="field-fault" role="alert">
          <Icon name="info" small />
          {text('apitool.body-fault', { reason: built.fault })}
        </div>
      ) : null}
      {request?.steps ? <Steps steps={request.steps} /> : null}
      {request ? (
        <>
          <div className="api-bar">
            <h4>curl</h4>
            <span className="end">
              <CopyButton label={text('apitool.copy-curl')} content={curl} />
            </span>
          </div>
          <pre className="api-code" data-testid="curl">
            {curl}
          </pre>
        </>
      ) : null}
      <div className="api-bar">
        <Button
          variant="primary"
          disabled={busy || !request || (kind === 'session' && !usesOwn && token === '')}
          onClick={() => void send()}
        >
          {text(busy ? 'apitool.sending' : 'apitool.send')}
        </Button>
        <span className="small secondary">
          {text(
            operation.method === 'GET'
              ? own
                ? 'apitool.send-as-self'
                : 'apitool.send-signed-out'
              : 'apitool.send-changes',
          )}
        </span>
      </div>
      {answer ? (
        <div aria-live="polite">
          <div className="api-bar">
            <h4>
              {answer.status === 0 ? text('apitool.no-answer') : answer.status}
              <span className="tertiary"> {answer.milliseconds} ms</span>
            </h4>
            <span className="end">
              <CopyButton label={text('apitool.copy')} content={answer.body} />
            </span>
          </div>
          <pre className="api-code api-answer">{answer.body}</pre>
        </div>
      ) : null}
    </section>
  );
}

function attempt(build: () => BuiltRequest): { request: BuiltRequest } | { fault: string } {
  try {
    return { request: build() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

async function perform(request: BuiltRequest): Promise<Answer> {
  const begun = performance.now();
  const took = () => Math.round(performance.now() - begun);
  const form = request.fields ? new FormData() : null;
  for (const [name, value] of request.fields ?? []) form?.append(name, value);
  const body = form ?? (request.json === '' ? null : request.json);
  try {
    const response = await fetch(request.address, {
      method: request.method,
      headers: request.headers,
      credentials: 'omit',
      ...(body === null ? {} : { body }),
    });
    const content = await response.text();
    return { status: response.status, milliseconds: took(), body: pretty(content) };
  } catch (error) {
    return { status: 0, milliseconds: took(), body: error instanceof Error ? error.message : String(error) };
  }
}

function pretty(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}

function Steps({ steps }: { steps: NonNullable<BuiltRequest['steps']> }) {
  const { text } = useText();
  return (
    <details className="api-steps" open>
      <summary>{text('apitool.steps')}</summary>
      <ol>
        <li>
          {text('apitool.step.parameters')}
          <pre className="api-code">{steps.parameters || text('apitool.step.no-parameters')}</pre>
        </li>
        <li>
          {text('apitool.step.text')}
          <pre className="api-code">{steps.signedText}</pre>
        </li>
        <li>
          {text('apitool.step.signature')}
          <pre className="api-code" data-testid="signature">
            {steps.signature}
          </pre>
        </li>
        {steps.provenText ? (
          <li>
            {text('apitool.step.session')}
            <pre className="api-code">{steps.provenText}</pre>
          </li>
        ) : null}
      </ol>
    </details>
  );
}

function Typed({
  label,
  hint,
  value,
  onChange,
  secret = false,
  placeholder,
  after,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
  secret?: boolean;
  placeholder?: string;
  after?: ReactNode;
}) {
  const id = useId();
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {label} {hint ? <span className="tertiary">{hint}</span> : null}
      </label>
      <div className="field">
        <input
          id={id}
          type={secret ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
        {after}
      </div>
    </div>
  );
}

function BodyField({
  value,
  onChange,
  mediaType,
}: {
  value: string;
  onChange: (value: string) => void;
  mediaType: string;
}) {
  const { text } = useText();
  const id = useId();
  return (
    <div>
      <label className="field-label" htmlFor={id}>
        {text('apitool.body')} <span className="tertiary">{mediaType}</span>
      </label>
      <textarea
        id={id}
        className="text-area api-body"
        rows={Math.min(14, value.split('\n').length + 1)}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
