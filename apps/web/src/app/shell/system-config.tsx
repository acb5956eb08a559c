import { getSystemConfig } from '@isotherm/contracts/settings';
import { useQuery } from '@tanstack/react-query';
import Popover from 'antd/es/popover';
import { useEffect, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useSite } from '../site-context.ts';

/**
 * Panel with the databases of this installation, in development and sandbox environments only (requirements
 * §6).
 */
export function SystemConfig() {
  const { text } = useText();
  const { environment } = useSite();
  const mayLook = usePermission('system:view');
  const [open, setOpen] = useState(false);
  if ((environment !== 'development' && environment !== 'sandbox') || !mayLook) return null;
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      placement="bottomRight"
      title={text('shell.system-config')}
      content={open ? <Databases /> : null}
    >
      <Button
        variant="quiet"
        icon
        aria-label={text('shell.system-config')}
        title={text('shell.system-config')}
        aria-expanded={open}
      >
        <Icon name="database" />
      </Button>
    </Popover>
  );
}

function Databases() {
  const { text } = useText();
  const { data, error } = useQuery({
    queryKey: ['settings', 'system-config'],
    queryFn: ({ signal }) => call(getSystemConfig, { signal, quiet: true }),
    retry: false,
  });
  useEffect(() => {
    if (!error) return;
    // Requirements §8: a failure is shown as a toast and logged.
    console.error('system configuration', error);
    toast('failure', text('shell.system-config.failed'));
  }, [error, text]);
  if (error) return <p className="secondary">{text('shell.system-config.failed')}</p>;
  if (!data) return <p className="secondary">{text('common.loading')}</p>;
  return (
    <table className="system-config">
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{text('shell.system-config.database')}</th>
          <th scope="col">{text('shell.system-config.address')}</th>
          <th scope="col">{text('shell.system-config')}</th>
        </tr>
      </thead>
      <tbody>
        {data.map((row) => (
          <tr key={`${row.address}/${row.database}`}>
            <td className="strong">{row.database}</td>
            <td className="secondary">{row.address}</td>
            <td>
              <span className="tag">
                {text(
                  row.tag === 'production' ? 'shell.system-config.production' : 'shell.system-config.test',
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
