import './files.css';
import type { AssetFile } from '@isotherm/contracts/asset-files';
import { useQuery } from '@tanstack/react-query';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { fileBytesQuery } from './files.queries.ts';

/** The newest version of an image. It is loaded by a signed request. */
export function FilePicture({ file }: { file: AssetFile }) {
  const { data } = useQuery(fileBytesQuery(file.id, file.number));
  const url = useObjectUrl(data);
  return url ? (
    <img className="file-picture" src={url} alt={file.name} />
  ) : (
    <div className="skeleton file-picture" />
  );
}
