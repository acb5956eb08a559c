import './form/form.css';
import './import.css';
import type { ImportForm, ImportReport } from '@isotherm/contracts/batches';
import type { ErrorCode } from '@isotherm/contracts/errors';
import { IMPORT_EXTENSIONS, IMPORT_MAX_BYTES } from '@isotherm/contracts/fields';
import { csvFile } from '@isotherm/domain/csv';
import Modal from 'antd/es/modal';
import { type DragEvent, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useText } from '../i18n/use-text.ts';
import { Button } from './button.tsx';
import { FocusReturn } from './focus-return.tsx';
import { Icon } from './icon.tsx';
import { cancelRunning, ImportProgressBar, newImportId } from './import-progress.tsx';
import { saveFile } from './save-file.ts';
import { TableFrame } from './table-frame.tsx';

const MEGABYTE = 1024 * 1024;
const CANCELLED: ErrorCode = 'import.cancelled';
/** Number of failures that are shown; the file contains all of them. */
const SHOWN = 100;

/**
 * Import dialog with three steps: download the template, check the file without writing, import. Rows with
 * errors are listed, and can be downloaded. While the server is working, the dialog shows the progress and
 * can cancel.
 */
export function ImportDialog({
  title,
  help,
  extensions = IMPORT_EXTENSIONS,
  onTemplate,
  onImport,
  onDone,
  onClose,
}: {
  title: string;
  help: string;
  /** Endings of the accepted files; those of spreadsheets by default. */
  extensions?: readonly string[];
  /** Absent if there is no template to fill in. */
  onTemplate?: () => Promise<unknown>;
  onImport: (form: ImportForm) => Promise<ImportReport>;
  /** Called after something was written. */
  onDone: () => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [fault, setFault] = useState('');
  const [cancelled, setCancelled] = useState('');
  const [running, setRunning] = useState<string | null>(null);
  const [isCancelling, setCancelling] = useState(false);
  const underWay = useRef<string | null>(null);
  const busy = running !== null;
  const formats = extensions.join(', ');
  const [over, setOver] = useState(false);

  async function run(next: File, dryRun: boolean) {
    const importId = newImportId();
    underWay.current = importId;
    setRunning(importId);
    setCancelling(false);
    setFault('');
    setCancelled('');
    try {
      const answer = await onImport({ file: next, dryRun: dryRun ? 'true' : 'false', importId });
      setReport(answer);
      if (answer.written) onDone();
    } catch (error) {
      if (error instanceof ApiError && error.code === CANCELLED) setCancelled(error.message);
      else say(error);
    } finally {
      underWay.current = null;
      setRunning(null);
    }
  }
  function say(error: unknown) {
    setFault(error instanceof Error ? error.message : text('common.failure.unknown'));
  }
  function cancel(importId: string) {
    setCancelling(true);
    cancelRunning(importId, () => underWay.current === importId).catch((error: unknown) => {
      setCancelling(false);
      say(error);
    });
  }
  function choose(next: File | undefined) {
    if (!next || busy) return;
    setReport(null);
    setCancelled('');
    setFile(next);
    const extension = next.name.toLowerCase().split('.').pop() ?? '';
    if (!extensions.includes(extension)) {
      setFault(
        extensions === IMPORT_EXTENSIONS
          ? text('common.import.format')
          : text('common.import.format-of', { formats }),
      );
    } else if (next.size > IMPORT_MAX_BYTES) {
      setFault(text('common.import.too-large', { size: IMPORT_MAX_BYTES / MEGABYTE }));
    } else {
      void run(next, true);
    }
  }
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files[0]);
  }

  const finished = report?.written ?? false;
  const ready = report && !finished && report.success > 0 && file;
  return (
    <>
      <FocusReturn />
      <Modal
        open
        width={640}
        title={title}
        rootClassName="confirm"
        closable={{ disabled: busy }}
        onCancel={busy ? () => undefined : onClose}
        footer={
          <div className="confirm-foot">
            <Button onClick={running ? () => cancel(running) : onClose} disabled={busy && isCancelling}>
              {text(finished ? 'common.action.close' : 'common.action.cancel')}
            </Button>
            {ready ? (
              <Button variant="primary" disabled={busy} onClick={() => void run(file, false)}>
                {text('common.import.write', { count: report.success })}
              </Button>
            ) : null}
          </div>
        }
      >
        <p className="confirm-body">{help}</p>
        {onTemplate ? (
          <Button
            variant="link"
            className="import-template"
            onClick={() => void onTemplate().catch(() => undefined)}
          >
            <Icon name="download" />
            {text('common.import.template')}
          </Button>
        ) : null}
        {finished ? null : (
          <button
            type="button"
            className={over ? 'import-drop import-over' : 'import-drop'}
            disabled={busy}
            onClick={() => input.current?.click()}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <Icon name="upload" />
            <span className="strong">{file?.name ?? text('common.import.choose')}</span>
            <span className="small tertiary">
              {extensions === IMPORT_EXTENSIONS
                ? text('common.import.limits', { size: IMPORT_MAX_BYTES / MEGABYTE })
                : text('common.import.limits-of', { formats, size: IMPORT_MAX_BYTES / MEGABYTE })}
            </span>
          </button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label={text('common.import.choose')}
          accept={extensions.map((extension) => `.${extension}`).join()}
          onChange={(event) => {
            choose(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
        {running ? <ImportProgressBar key={running} id={running} isCancelling={isCancelling} /> : null}
        <div aria-live="polite">
          {cancelled ? <p className="import-state strong">{cancelled}</p> : null}
          {fault ? (
            <div className="form-banner" role="alert">
              <Icon name="info" />
              <span>{fault}</span>
            </div>
          ) : null}
          {report && !busy ? <Report report={report} /> : null}
        </div>
      </Modal>
    </>
  );
}

function Report({ report }: { report: ImportReport }) {
  const { text } = useText();
  const heads = ['row', 'column', 'value', 'message'] as const;
  const words = {
    row: text('common.import.row'),
    column: text('common.import.column'),
    value: text('common.import.value'),
    message: text('common.import.fault'),
  };
  const download = () =>
    saveFile(
      'import-failures.csv',
      csvFile([
        heads.map((head) => words[head]),
        ...report.failures.map((failure) => heads.map((head) => failure[head])),
      ]),
      'text',
    );
  return (
    <>
      <p className="import-state strong">
        {report.written
          ? text('common.batch.result', { success: report.success, fail: report.fail })
          : text('common.import.checked', { rows: report.rows, success: report.success, fail: report.fail })}
      </p>
      {report.ignored.length > 0 ? (
        <p className="import-state secondary">
          {text('common.import.ignored', { columns: report.ignored.join(', ') })}
        </p>
      ) : null}
      {report.failures.length > 0 ? (
        <>
          <TableFrame label={text('common.import.failures')}>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {words[head]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {report.failures.slice(0, SHOWN).map((failure) => (
                <tr key={`${failure.row}-${failure.column}`}>
                  {heads.map((head) => (
                    <td key={head}>{failure[head]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </TableFrame>
          <Button variant="link" className="import-template" onClick={download}>
            <Icon name="download" />
            {text('common.import.download-failures')}
          </Button>
        </>
      ) : null}
    </>
  );
}
