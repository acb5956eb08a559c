import './files.css';
import type { AssetFileDetail } from '@isotherm/contracts/asset-files';
import { useQueryClient } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { AssetLink } from '../../../shared/assets/asset-link.tsx';
import { EN_RULE } from '../../../shared/format/number.ts';
import { sizeText } from '../../../shared/format/size.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { openBlob, saveBlob } from '../../../shared/ui/save-file.ts';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { FilePicture } from './file-picture.tsx';
import { fileBytesQuery } from './files.queries.ts';

/** Drawer of one document: properties, preview and versions. */
export function FileDrawer({
  file,
  onAddVersion,
  onDelete,
  onClose,
}: {
  file: AssetFileDetail;
  onAddVersion: () => void;
  onDelete: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const queries = useQueryClient();
  const bytesOf = (number: number) => queries.fetchQuery(fileBytesQuery(file.id, number));
  async function save(number: number, mediaType: string) {
    const ending = mediaType.slice(mediaType.indexOf('/') + 1).replace('jpeg', 'jpg');
    saveBlob(`${file.name}-${number}.${ending}`, await bytesOf(number));
  }
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={560}
        closable={{ placement: 'end' }}
        title={file.name}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <div className="file-tools">
          {file.mediaType === 'application/pdf' ? (
            <Button
              variant="primary"
              onClick={() => void bytesOf(file.number).then(openBlob, () => undefined)}
            >
              <Icon name="external" />
              {text('assets.file.open')}
            </Button>
          ) : null}
          <PermissionButton permission="asset-files:edit" onClick={onAddVersion}>
            <Icon name="upload" />
            {text('assets.file.add-version')}
          </PermissionButton>
          <PermissionButton permission="asset-files:edit" onClick={onDelete}>
            <Icon name="bin" />
            {text('assets.file.delete')}
          </PermissionButton>
        </div>
        {file.mediaType === 'application/pdf' ? null : <FilePicture file={file} />}
        <Definitions
          facts={[
            {
              label: text('assets.file.asset'),
              value: <AssetLink assetId={file.assetId}>{file.assetName}</AssetLink>,
            },
            { label: text('assets.file.kind'), value: text(`assets.file.kind.${file.kind}`) },
            {
              label: text('assets.file.valid-until'),
              value: file.validUntil ? dayText(file.validUntil) : EN_RULE,
            },
          ]}
        />
        <h3 className="file-versions">{text('assets.file.versions')}</h3>
        <TableFrame label={text('assets.file.versions')}>
          <tbody>
            {file.versions.map((version) => (
              <tr key={version.number}>
                <th scope="row">{text('assets.file.version-of', { number: version.number })}</th>
                <td>
                  {time(version.uploadedAt, 'date-time')}
                  <div className="small secondary">{version.uploadedBy}</div>
                </td>
                <td>{version.note}</td>
                <td className="figure">{sizeText(version.sizeBytes)}</td>
                <td>
                  <Button
                    variant="quiet"
                    icon
                    aria-label={`${text('assets.file.download')} ${version.number}`}
                    title={text('assets.file.download')}
                    onClick={() => void save(version.number, version.mediaType).catch(() => undefined)}
                  >
                    <Icon name="download" />
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      </Drawer>
    </>
  );
}
