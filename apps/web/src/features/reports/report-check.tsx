import './report-check.css';
import { type ReportVerification, verifyReport } from '@isotherm/contracts/report-register';
import { fileDigest } from '@isotherm/contracts/signing';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

/** Larger than any report, and small enough for the memory of a phone. */
const LARGEST_BYTES = 50_000_000;

/**
 * Says which report a verification link is for, and whether a file is that report. The file is hashed in the browser; only
 * the SHA-256 is sent.
 */
export function ReportCheck({ token }: { token: string }) {
  const { text } = useText();
  const [report, setReport] = useState<ReportVerification | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    call(verifyReport, { body: { token }, quiet: true })
      .then(setReport)
      .catch((error: Error) => setFailure(error.message));
  }, [token]);
  if (failure)
    return (
      <div className="report-check">
        <h1>{text('links.invalid')}</h1>
        <p className="secondary">{failure}</p>
      </div>
    );
  if (!report) return <div className="skeleton skeleton-body" />;
  return (
    <div className="report-check">
      <h1>{text('reports.verify')}</h1>
      <Facts report={report} />
      <FileCheck token={token} number={report.number} />
    </div>
  );
}

function Facts({ report }: { report: ReportVerification }) {
  const { text, time, zone } = useViewer();
  const rows = [
    [text('reports.number'), report.number],
    [text('reports.kind'), text(`reports.kind.${report.kind}`)],
    [text('reports.issuer'), report.issuer],
    [text('reports.created'), `${time(report.createdAt, 'date-time-seconds')} (${zone})`],
  ] as const;
  return (
    <dl className="report-facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Outcome = { name: string } & ({ isGenuine: boolean } | { problem: string });

function FileCheck({ token, number }: { token: string; number: string }) {
  const { text } = useText();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function judge(file: File): Promise<Outcome> {
    const { name, size } = file;
    if (size === 0) return { name, problem: text('reports.verify.empty') };
    if (size > LARGEST_BYTES) return { name, problem: text('reports.verify.large') };
    try {
      const digest = fileDigest(new Uint8Array(await file.arrayBuffer()));
      const body = { token, sha256: digest.slice('sha256:'.length) };
      const { isGenuine } = await call(verifyReport, { body, quiet: true });
      return { name, isGenuine: isGenuine === true };
    } catch (error) {
      return { name, problem: error instanceof Error ? error.message : text('common.failure.unknown') };
    }
  }

  async function check(file: File | undefined) {
    if (!file) return;
    setBusy(true);
    setOutcome(null);
    setOutcome(await judge(file));
    setBusy(false);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    void check(event.dataTransfer.files[0]);
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short cut for the button inside. */}
      <div className="report-drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <p>{text('reports.verify.drop')}</p>
        <Button variant="primary" disabled={isBusy} onClick={() => input.current?.click()}>
          <Icon name="upload" />
          {text('reports.verify.choose')}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={text('reports.verify.choose')}
          accept="application/pdf,.pdf"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = '';
            void check(file);
          }}
        />
        <p className="small tertiary">{text('reports.verify.private')}</p>
      </div>
      <div role="status">{outcome ? <Result outcome={outcome} number={number} /> : null}</div>
    </>
  );
}

function Result({ outcome, number }: { outcome: Outcome; number: string }) {
  const { text } = useText();
  if ('problem' in outcome)
    return (
      <div className="report-result">
        <p>{outcome.problem}</p>
        <p className="small secondary">{outcome.name}</p>
      </div>
    );
  const { isGenuine, name } = outcome;
  return (
    <div className={isGenuine ? 'report-result report-genuine' : 'report-result report-wrong'}>
      <p className="row strong">
        <Icon name={isGenuine ? 'check' : 'close'} />
        {isGenuine ? text('reports.verify.genuine') : text('reports.verify.wrong', { number })}
      </p>
      <p>{text(isGenuine ? 'reports.verify.genuine.means' : 'reports.verify.wrong.means')}</p>
      <p className="small secondary">{name}</p>
    </div>
  );
}
