import './profiles.css';
import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import Drawer from 'antd/es/drawer';
import { celsius, EN_RULE, fixed } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { bandWords, humidityWords, rangeWords } from './profile-words.ts';

/** Drawer of a product profile: its limits, and what follows from them. */
export function ProfileDrawer({
  profile,
  onEdit,
  onClose,
}: {
  profile: ProductProfile;
  onEdit: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const go = useGo();
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={profile.name}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          profile.editable ? (
            <PermissionButton permission="waybill-profiles:edit" onClick={onEdit}>
              {text('profiles.edit')}
            </PermissionButton>
          ) : null
        }
      >
        {profile.editable ? null : <p className="small secondary">{text('profiles.above')}</p>}
        <Definitions
          facts={[
            { label: text('profiles.code'), value: profile.code },
            { label: text('profiles.organization'), value: profile.organizationName },
            { label: text('profiles.temperature'), value: rangeWords(profile) },
            { label: text('profiles.humidity'), value: humidityWords(profile) },
            {
              label: text('profiles.budget'),
              value:
                profile.budget.length === 0 ? (
                  text('profiles.budget.none')
                ) : (
                  <ul className="profile-budget">
                    {profile.budget.map((band) => (
                      <li key={`${band.low} ${band.high}`}>{bandWords(band, text)}</li>
                    ))}
                  </ul>
                ),
            },
            {
              label: text('profiles.mkt-limit'),
              value: profile.mktLimit === null ? EN_RULE : celsius(profile.mktLimit),
            },
            { label: text('profiles.activation'), value: `${fixed(profile.activationKj, 3)} kJ/mol` },
            {
              label: text('profiles.pre-cool'),
              value: profile.preCoolMinutes === null ? EN_RULE : `${profile.preCoolMinutes} min`,
            },
            {
              label: text('profiles.shared'),
              value: text(profile.shared ? 'logs.value.yes' : 'logs.value.no'),
            },
            {
              label: text('profiles.enabled'),
              value: text(profile.enabled ? 'logs.value.yes' : 'logs.value.no'),
            },
            { label: text('profiles.note'), value: profile.note || EN_RULE },
            { label: text('profiles.version'), value: String(profile.version) },
            {
              label: text('profiles.changed'),
              value: `${time(profile.changedAt, 'date-time')} · ${profile.changedBy}`,
            },
          ]}
        />
        <p className="profile-policy">
          <PermissionButton
            permission="alarm-policies:edit"
            variant="primary"
            onClick={() => go(`/alarm/policies/new?profile=${profile.id}`)}
          >
            {text('profiles.create-policy')}
          </PermissionButton>
        </p>
        <p className="form-help">{text('profiles.create-policy.help')}</p>
      </Drawer>
    </>
  );
}
