import { ASSET_FIELD_WORDS } from '@isotherm/i18n/asset-field-words';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { FilePicture } from '../files/file-picture.tsx';
import { photoQuery } from '../files/files.queries.ts';
import { LabelDialog } from '../labels/label-dialog.tsx';
import { fieldText, sectionsOf } from './asset-fields.ts';
import { AssetEditForm } from './asset-form.tsx';
import { recordQuery } from './registry.queries.ts';
import './registry.css';

/** Tab with the record of an asset: the user can view it, edit it and print a label. */
export function RecordTab({ assetId }: { assetId: number }) {
  const { text, time, language } = useViewer();
  const [params, change] = useUrlState();
  const [labelling, setLabelling] = useState(false);
  const mayEdit = usePermission('asset:edit');
  const seesFiles = usePermission('asset-files:view');
  const { data: photos } = useQuery({ ...photoQuery(assetId), enabled: seesFiles });
  const [photo] = photos?.items ?? [];
  const { data: record, error, refetch } = useQuery(recordQuery(assetId));
  if (error && !record) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!record) return <div className="skeleton skeleton-body" />;
  const close = () => change({ edit: null });
  const all = sectionsOf(record.kind).map(({ title, fields }) => ({
    title,
    facts: fields.map(({ name }) => ({
      label: text(ASSET_FIELD_WORDS[name]),
      value: fieldText(record, name, text),
    })),
  }));
  /** Empty fields are listed together to save space. */
  const missing = all.flatMap(({ facts }) =>
    facts.filter(({ value }) => value === EN_RULE).map(({ label }) => label),
  );
  const sections = all
    .map(({ title, facts }) => ({ title, facts: facts.filter(({ value }) => value !== EN_RULE) }))
    .filter(({ facts }) => facts.length > 0);
  return (
    <section className="panel record">
      <div className="record-tools">
        <Button onClick={() => setLabelling(true)}>
          <Icon name="page" />
          {text('assets.label')}
        </Button>
        {mayEdit ? (
          <Button onClick={() => change({ edit: 1 }, 'push')}>
            <Icon name="edit" />
            {text('assets.edit')}
          </Button>
        ) : null}
      </div>
      {/* A photo may be a PDF, which cannot be shown as an image. */}
      {photo && photo.mediaType !== 'application/pdf' ? <FilePicture file={photo} /> : null}
      {sections.map(({ title, facts }) => (
        <section key={title}>
          <h2>{text(title)}</h2>
          <Definitions facts={facts} />
        </section>
      ))}
      <section>
        <h2>{text('assets.section.register')}</h2>
        <Definitions
          facts={[
            { label: text('assets.devices'), value: record.devices.join(', ') || EN_RULE },
            { label: text('assets.created'), value: time(record.createdAt, 'date-time') },
          ]}
        />
      </section>
      {missing.length > 0 ? (
        <p className="small secondary record-missing">
          {text('assets.record.missing', {
            fields: new Intl.ListFormat(language, { type: 'conjunction' }).format(missing),
          })}
        </p>
      ) : null}
      {params.get('edit') && mayEdit ? <AssetEditForm record={record} onClose={close} /> : null}
      {labelling ? <LabelDialog assets={[record]} onClose={() => setLabelling(false)} /> : null}
    </section>
  );
}
