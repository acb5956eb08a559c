import type { Organization } from '@isotherm/contracts/organizations';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { signatureLevelWords } from '../../../shared/signature/signature-level.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';

const DEGREES = new Intl.NumberFormat('en', { minimumFractionDigits: 5, maximumFractionDigits: 5 });

export type OrganizationAction = 'create' | 'edit' | 'move' | 'delete';

/** One organisation: its properties, what it and its descendants contain, and its actions. */
export function OrganizationDetail({
  organization,
  onSelect,
  onAct,
}: {
  organization: Organization;
  onSelect: (id: number) => void;
  onAct: (action: OrganizationAction) => void;
}) {
  const { text, time } = useViewer();
  const { counts, latitude, longitude, ancestors } = organization;
  const top = organization.parentId === null;
  const held: { key: keyof Organization['counts']; value: ReactNode }[] = [
    { key: 'organizations', value: counts.organizations },
    {
      key: 'users',
      value: <Link to={`/management/users?organizationId=${organization.id}`}>{counts.users}</Link>,
    },
    { key: 'assets', value: counts.assets },
    { key: 'devices', value: counts.devices },
  ];
  return (
    <article className="org-detail" aria-label={organization.name}>
      {ancestors.length > 0 ? (
        <nav className="org-way small" aria-label={text('organizations.way')}>
          {ancestors.map(({ id, name }) => (
            <span key={id}>
              <Button variant="link" onClick={() => onSelect(id)}>
                {name}
              </Button>
              {' / '}
            </span>
          ))}
        </nav>
      ) : null}
      <div className="detail-identity">
        <div className="detail-names">
          <h2>{organization.name}</h2>
          <span className="tag">{text(`organizations.level.${organization.level}`)}</span>
        </div>
        <div className="detail-actions">
          <PermissionButton
            permission="management-organizations:create"
            variant="primary"
            onClick={() => onAct('create')}
          >
            <Icon name="plus" />
            {text('organizations.create')}
          </PermissionButton>
          <PermissionButton permission="management-organizations:edit" onClick={() => onAct('edit')}>
            <Icon name="edit" />
            {text('organizations.edit')}
          </PermissionButton>
          {top ? null : (
            <>
              <PermissionButton permission="management-organizations:move" onClick={() => onAct('move')}>
                <Icon name="move" />
                {text('organizations.move')}
              </PermissionButton>
              <PermissionButton permission="management-organizations:delete" onClick={() => onAct('delete')}>
                <Icon name="bin" />
                {text('organizations.delete')}
              </PermissionButton>
            </>
          )}
        </div>
      </div>
      <dl className="org-counts">
        {held.map(({ key, value }) => (
          <div key={key}>
            <dd>{value}</dd>
            <dt>{text(`organizations.counts.${key}`)}</dt>
          </div>
        ))}
      </dl>
      <Definitions
        facts={[
          { label: text('organizations.code'), value: organization.code },
          { label: text('organizations.time-zone'), value: organization.timeZone },
          {
            label: text('signatures.from-level'),
            value: signatureLevelWords(
              organization.signatureFromLevel,
              text('signatures.from-level.inherit-organization'),
              text,
            ),
          },
          { label: text('organizations.location'), value: organization.location || EN_RULE },
          {
            label: text('organizations.coordinates'),
            value:
              latitude === null || longitude === null ? (
                EN_RULE
              ) : (
                <bdi dir="ltr">
                  {DEGREES.format(latitude)}, {DEGREES.format(longitude)}
                </bdi>
              ),
          },
          { label: text('organizations.created'), value: time(organization.createdAt, 'date-time') },
        ]}
      />
      {organization.description ? <p className="org-description">{organization.description}</p> : null}
    </article>
  );
}
