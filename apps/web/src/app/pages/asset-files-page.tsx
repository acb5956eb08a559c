import { FileList } from '../../features/assets/files/file-list.tsx';

export default function AssetFilesPage() {
  return <FileList />;
}
