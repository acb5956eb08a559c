import { csvFile } from '@isotherm/domain/csv';
import { Button } from './button.tsx';
import './import.css';
import Modal from 'antd/es/modal';
import { useText } from '../i18n/use-text.ts';
import { Icon } from './icon.tsx';
import { saveFile } from './save-file.ts';
import { TableFrame } from './table-frame.tsx';
import { toast } from './toast.tsx';

export interface BatchResult {
  success: number;
  fail: number;
  failures: readonly { id: number; name: string; message: string }[];
}

/**
 * Reports the result of a batch (ui.md 7). If everything succeeded, it shows a toast and returns true;
 * otherwise the caller shows the report.
 */
export function wentWell(result: BatchResult, sentence: string): boolean {
  if (result.fail > 0) return false;
  toast('success', sentence);
  return true;
}

/** Dialog with the failures of a batch, listed and available as a download. */
export function BatchReport({ result, onClose }: { result: BatchResult; onClose: () => void }) {
  const { text } = useText();
  const name = text('common.batch.name');
  const reason = text('common.batch.reason');
  const download = () =>
    saveFile(
      'failures.csv',
      csvFile([[name, reason], ...result.failures.map((failure) => [failure.name, failure.message])]),
      'text',
    );
  return (
    <Modal
      open
      width={560}
      rootClassName="confirm"
      title={text('common.batch.result', { success: result.success, fail: result.fail })}
      onCancel={onClose}
      footer={
        <div className="confirm-foot">
          <Button onClick={download}>
            <Icon name="download" />
            {text('common.import.download-failures')}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {text('common.action.close')}
          </Button>
        </div>
      }
    >
      <TableFrame label={text('common.import.failures')}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col">{reason}</th>
          </tr>
        </thead>
        <tbody>
          {result.failures.map((failure) => (
            <tr key={failure.id}>
              <td>{failure.name}</td>
              <td>{failure.message}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </Modal>
  );
}
