import './upgrade.css';
import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { FirmwareForm, FirmwareKeyForm } from './firmware-forms.tsx';
import { RolloutForm } from './rollout-form.tsx';
import { firmwareQuery } from './upgrade.queries.ts';
import { FirmwareList, KeyList, RolloutList } from './upgrade-lists.tsx';

/** Page of the firmware, the firmware roll-outs, and the signing keys. */
export default function UpgradePage() {
  const { text } = useText();
  const go = useGo();
  const [params, change] = useUrlState();
  const may = {
    edit: usePermission('device-upgrade:edit'),
    send: usePermission('device-upgrade:send'),
    keys: usePermission('device-upgrade:keys'),
  };
  const begin = Number(params.get('begin')) || null;
  const { data: all } = useQuery({ ...firmwareQuery, enabled: begin !== null && may.send });
  const firmware = all?.find(({ id }) => id === begin && begin !== null);
  return (
    <div className="page">
      <PageHead title={text('menu.device-upgrade')} purpose={text('upgrade.purpose')}>
        <PermissionButton permission="device-upgrade:keys" onClick={() => change({ key: 1 }, 'push')}>
          <Icon name="key" />
          {text('upgrade.key.add')}
        </PermissionButton>
        <PermissionButton
          permission="device-upgrade:edit"
          variant="primary"
          onClick={() => change({ new: 1 }, 'push')}
        >
          <Icon name="upload" />
          {text('upgrade.upload')}
        </PermissionButton>
      </PageHead>
      <PageTabs
        tabs={[
          { key: 'firmware', label: text('upgrade.tab.firmware'), content: () => <FirmwareList /> },
          { key: 'rollouts', label: text('upgrade.tab.rollouts'), content: () => <RolloutList /> },
          { key: 'keys', label: text('upgrade.tab.keys'), content: () => <KeyList /> },
        ]}
      />
      {params.get('new') && may.edit ? <FirmwareForm onClose={() => change({ new: null })} /> : null}
      {params.get('key') && may.keys ? <FirmwareKeyForm onClose={() => change({ key: null })} /> : null}
      {firmware && may.send ? (
        <RolloutForm
          firmware={firmware}
          onBegun={({ id }) => go(`/device/upgrade/${id}`)}
          onClose={() => change({ begin: null })}
        />
      ) : null}
    </div>
  );
}
