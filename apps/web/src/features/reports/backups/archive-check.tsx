import '../report-check.css';
import { verifyBackupManifest } from '@isotherm/contracts/backups';
import { ARCHIVE_MANIFEST, type ArchiveFault } from '@isotherm/domain/reports/backup-archive';
import Drawer from 'antd/es/drawer';
import { type DragEvent, useRef, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { type ReadArchive, readArchive } from './read-archive.ts';

type Fault = ArchiveFault | { file: string; fault: 'seal' };

interface Outcome {
  name: string;
  archive: ReadArchive;
  faults: readonly Fault[];
}

/** Drawer that says whether an archive is genuine, or which of its files was changed. The archive stays in the browser. */
export function ArchiveCheck({ onClose }: { onClose: () => void }) {
  const { text } = useViewer();
  const [reading, setReading] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState('');
  const input = useRef<HTMLInputElement>(null);

  async function judge(file: File): Promise<void> {
    const archive = await readArchive(file, setReading);
    if (!archive) return setProblem(text('backups.verify.no-archive'));
    const { isGenuine } = await call(verifyBackupManifest, {
      body: { manifest: archive.manifestHash || '0'.repeat(64), seal: archive.seal },
      quiet: true,
    });
    // What a changed manifest lists says nothing about the other files.
    const faults: readonly Fault[] = isGenuine ? archive.faults : [{ file: ARCHIVE_MANIFEST, fault: 'seal' }];
    setOutcome({ name: file.name, archive, faults });
  }

  async function check(file: File | undefined): Promise<void> {
    if (!file) return;
    setOutcome(null);
    setProblem('');
    setReading(file.name);
    await judge(file).catch((error: Error) => setProblem(error.message));
    setReading(null);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    void check(event.dataTransfer.files[0]);
  }

  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={560}
        closable={{ placement: 'end' }}
        title={text('backups.verify')}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <div className="report-parts">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a short cut for the button inside. */}
          <div className="report-drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
            <p>{text('backups.verify.drop')}</p>
            <Button variant="primary" disabled={reading !== null} onClick={() => input.current?.click()}>
              <Icon name="upload" />
              {text('backups.verify.choose')}
            </Button>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={text('backups.verify.choose')}
              accept="application/zip,.zip"
              onChange={(event) => {
                const [file] = event.target.files ?? [];
                event.target.value = '';
                void check(file);
              }}
            />
            <p className="small tertiary">{text('backups.verify.private')}</p>
          </div>
          <div role="status">
            {reading === null ? null : (
              <p className="secondary">{text('backups.verify.reading', { file: reading })}</p>
            )}
            {problem ? <p className="report-result">{problem}</p> : null}
            {outcome ? <Result outcome={outcome} /> : null}
          </div>
        </div>
      </Drawer>
    </>
  );
}

function Result({ outcome: { name, archive, faults } }: { outcome: Outcome }) {
  const { text, time } = useViewer();
  const { title, organization, from, to, createdAt, files } = archive.manifest;
  const isGenuine = faults.length === 0;
  return (
    <div className="report-parts">
      <div className={isGenuine ? 'report-result report-genuine' : 'report-result report-wrong'}>
        <p className="row strong">
          <Icon name={isGenuine ? 'check' : 'close'} />
          {text(isGenuine ? 'backups.verify.genuine' : 'backups.verify.wrong')}
        </p>
        {isGenuine ? <p>{text('backups.verify.genuine.means', { count: files.length })}</p> : null}
        {faults.map(({ file, fault }) => (
          <p key={`${fault} ${file}`}>{text(`backups.verify.fault.${fault}`, { file })}</p>
        ))}
        <p className="small secondary">{name}</p>
      </div>
      <Definitions
        facts={[
          { label: text('backups.title'), value: title },
          { label: text('backups.organization'), value: organization },
          { label: text('backups.period'), value: `${time(from, 'date-time')} – ${time(to, 'date-time')}` },
          { label: text('reports.created'), value: time(createdAt, 'date-time') },
        ]}
      />
    </div>
  );
}
