import { listAssetFiles, uploadAssetFile } from '@isotherm/contracts/asset-files';
import { bindNfcTag, listNfcTags } from '@isotherm/contracts/asset-nfc';
import { seedFrom } from '../random.ts';
import { pdfOf } from './pdf.ts';
import type { Recording } from './recording.ts';

const DOCUMENTS = [
  { code: 'CS-A1', kind: 'manual', name: 'Operating manual, walk-in store', validForDays: null },
  { code: 'CS-A1', kind: 'certificate', name: 'GSP acceptance certificate', validForDays: 410 },
  { code: 'FR-03', kind: 'certificate', name: 'WHO PQS certificate', validForDays: 24 },
  { code: 'UL-02', kind: 'manual', name: 'Emergency procedure, ultra-low freezer', validForDays: null },
  { code: 'TR-71K03', kind: 'certificate', name: 'ATP certificate', validForDays: -6 },
  { code: 'TR-D8F21', kind: 'certificate', name: 'ATP certificate', validForDays: 530 },
] as const;

const TAGGED = ['BX-112', 'BX-114', 'BX-117', 'BX-121', 'FR-01', 'FR-03'];

/** Creates documents of assets, and binds NFC tags to them. */
export async function recordDocuments({ client, asset, day }: Recording): Promise<void> {
  const [files, tags] = await Promise.all([
    client.call(listAssetFiles, { query: { pageSize: '1' } }),
    client.call(listNfcTags, { query: { pageSize: '1' } }),
  ]);
  const uploads = DOCUMENTS.map(({ code, kind, name, validForDays }) => () => {
    const file = new File([Uint8Array.from(pdfOf(name, code))], `${code}.pdf`);
    return client.call(uploadAssetFile, {
      path: `/asset/${asset(code)}/file`,
      body: { file, kind, name, validUntil: validForDays === null ? '' : day(validForDays) },
    });
  });
  const bindings = TAGGED.map((code) => () => {
    // A UID of seven bytes that starts with the chip manufacturer's number, as in NTAG chips.
    const uid = `04${seedFrom(code).toString(16).padStart(8, '0')}6180`;
    return client.call(bindNfcTag, { body: { uid, assetId: asset(code) } });
  });
  await Promise.all([
    ...(files.total > 0 ? [] : uploads.map((upload) => upload())),
    ...(tags.total > 0 ? [] : bindings.map((bind) => bind())),
  ]);
}
