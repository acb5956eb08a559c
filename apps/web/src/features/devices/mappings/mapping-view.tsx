import './mappings.css';
import type { PayloadMapping } from '@isotherm/contracts/payload-mappings';
import Drawer from 'antd/es/drawer';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { TryPayload } from './try-payload.tsx';

/** Drawer with a payload mapping for users with read access. */
export function MappingView({ mapping, onClose }: { mapping: PayloadMapping; onClose: () => void }) {
  const { text, time } = useViewer();
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={mapping.deviceModel || text('mappings.model.every')}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <Definitions
          facts={[
            { label: text('mappings.organization'), value: mapping.organizationName },
            { label: text('mappings.devices'), value: mapping.devices },
            ...(mapping.list
              ? [{ label: text('mappings.list'), value: <ListWords list={mapping.list} /> }]
              : []),
            {
              label: text('mappings.changed'),
              value: `${time(mapping.changedAt, 'date-time')} · ${mapping.changedBy}`,
            },
          ]}
        />
        <div className="mapping-part">
          <TableFrame label={text('mappings.entries')}>
            <thead>
              <tr>
                <th scope="col">{text('mappings.path')}</th>
                <th scope="col">{text('mappings.channel')}</th>
                <th scope="col" className="figure">
                  {text('mappings.factor')}
                </th>
                <th scope="col" className="figure">
                  {text('mappings.offset')}
                </th>
              </tr>
            </thead>
            <tbody>
              {mapping.entries.map(({ path, channel, factor, offset }) => (
                <tr key={channel}>
                  <td>
                    <code>{path}</code>
                  </td>
                  <td>{channel}</td>
                  <td className="figure">{factor}</td>
                  <td className="figure">{offset}</td>
                </tr>
              ))}
            </tbody>
          </TableFrame>
        </div>
        <div className="mapping-part">
          <FormSection title={text('mappings.try')}>
            <TryPayload entries={mapping.entries} list={mapping.list} />
          </FormSection>
        </div>
      </Drawer>
    </>
  );
}

function ListWords({ list }: { list: NonNullable<PayloadMapping['list']> }) {
  const { text } = useViewer();
  return (
    <>
      <code>{list.path}</code> · <code>{list.timePath}</code>{' '}
      <span className="secondary">{text(`mappings.list.time-format.${list.timeFormat}`)}</span>
    </>
  );
}
