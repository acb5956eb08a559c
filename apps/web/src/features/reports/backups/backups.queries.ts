import {
  createBackup,
  deleteBackup,
  downloadBackupArchive,
  editBackup,
  getBackup,
  getBackupService,
  listBackupArchives,
  runBackup,
} from '@isotherm/contracts/backups';
import { startPremiumTrial } from '@isotherm/contracts/premium';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { saveDownload } from '../../../shared/api/save-download.ts';

export const BACKUPS_KEY = ['reports', 'backups'] as const;
export const ARCHIVES_KEY = [...BACKUPS_KEY, 'archives'] as const;
const SHOWN_ARCHIVES = 20;
/** Interval at which archives that are being made are loaded again. */
export const ARCHIVES_EVERY_MS = 2_000;

export const loadBackup = (id: number, signal: AbortSignal) => call(getBackup, { params: { id }, signal });

/** Mutations of configurations. The caller shows failures. */
export const useBackupChanges = crudChanges(BACKUPS_KEY, {
  create: createBackup,
  edit: editBackup,
  remove: deleteBackup,
  run: runBackup,
  startTrial: startPremiumTrial,
});

export const backupServiceQuery = queryOptions({
  queryKey: [...BACKUPS_KEY, 'service'],
  queryFn: ({ signal }) => call(getBackupService, { signal, quiet: true }),
});

export const isUnfinished = ({ state }: { state: string }) => state === 'waiting' || state === 'running';

/** The newest archives of a configuration. */
export function archivesQuery(configurationId: number) {
  return queryOptions({
    queryKey: [...ARCHIVES_KEY, 'of', configurationId],
    queryFn: ({ signal }) =>
      call(listBackupArchives, {
        query: { configurationId, pageSize: SHOWN_ARCHIVES },
        signal,
        quiet: true,
      }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isUnfinished) ? ARCHIVES_EVERY_MS : false),
  });
}

export const saveArchive = (id: number) => saveDownload(downloadBackupArchive, { params: { id } });
