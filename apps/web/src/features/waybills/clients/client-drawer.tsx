import './clients.css';
import type { WaybillClient } from '@isotherm/contracts/waybill-clients';
import { LANGUAGE_NAMES } from '@isotherm/i18n/languages';
import Drawer from 'antd/es/drawer';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';

/** The sites of a client, one a line. */
export const siteWords = ({ sites }: Pick<WaybillClient, 'sites'>): string[] =>
  sites.map(({ name, address }) => [name, address].filter(Boolean).join(', '));

/** The contacts of a client, one a line. */
export const contactWords = ({ contacts }: Pick<WaybillClient, 'contacts'>): string[] =>
  contacts.map(({ name, phone, email, language }) =>
    [name, phone, email, email && LANGUAGE_NAMES[language]].filter(Boolean).join(' · '),
  );

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return EN_RULE;
  return (
    <ul className="client-lines">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Drawer of a consignor or consignee. */
export function ClientDrawer({
  client,
  onEdit,
  onClose,
}: {
  client: WaybillClient;
  onEdit: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={client.name}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          client.editable ? (
            <PermissionButton permission="waybill-clients:edit" onClick={onEdit}>
              {text('clients.edit')}
            </PermissionButton>
          ) : null
        }
      >
        {client.editable ? null : <p className="small secondary">{text('clients.above')}</p>}
        <Definitions
          facts={[
            { label: text('clients.kind'), value: text(`clients.kind.${client.kind}`) },
            { label: text('clients.organization'), value: client.organizationName },
            { label: text('clients.sites'), value: <Lines lines={siteWords(client)} /> },
            { label: text('clients.contacts'), value: <Lines lines={contactWords(client)} /> },
            {
              label: text('clients.notices'),
              value: text(client.notices ? 'logs.value.yes' : 'logs.value.no'),
            },
            { label: text('clients.waybills'), value: String(client.waybills) },
            { label: text('clients.note'), value: client.note || EN_RULE },
            {
              label: text('clients.shared'),
              value: text(client.shared ? 'logs.value.yes' : 'logs.value.no'),
            },
            {
              label: text('clients.changed'),
              value: `${time(client.changedAt, 'date-time')} · ${client.changedBy}`,
            },
          ]}
        />
      </Drawer>
    </>
  );
}
