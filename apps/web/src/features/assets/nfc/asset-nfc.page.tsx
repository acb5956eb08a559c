import './nfc.css';
import { bindNfcTag, listNfcTags, type NfcTag } from '@isotherm/contracts/asset-nfc';
import { nfcUid } from '@isotherm/domain/assets/nfc-uid';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { findTag, NFC_KEY, useNfcChanges } from './nfc.queries.ts';
import { readsTags } from './read-tag.ts';
import { ScanButton } from './scan-button.tsx';

const source = pagesOf(listNfcTags);
const FAULT_FIELDS = { 'nfc.bound': 'uid', 'asset.not_found': 'assetId' };

/** Formats a UID as it is printed on tags: `04:A2:2B`. */
function uidWords(uid: string): string {
  return uid.match(/../g)?.join(':') ?? uid;
}

function columnsFor({ text, time }: Viewer): ListColumn<NfcTag>[] {
  return [
    {
      key: 'asset',
      title: text('assets.nfc.asset'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ assetName }) => assetName,
    },
    { key: 'uid', title: text('assets.nfc.uid'), render: ({ uid }) => <code>{uidWords(uid)}</code> },
    { key: 'code', title: text('assets.code'), render: ({ assetCode }) => assetCode },
    {
      key: 'organization',
      title: text('users.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'boundAt',
      title: text('assets.nfc.bound-at'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ boundAt, boundBy }) => (
        <span className="secondary">{`${time(boundAt, 'date-time')} · ${boundBy}`}</span>
      ),
    },
  ];
}

/** Page of the NFC tags: the user scans or types a UID to open its asset, and binds or unbinds tags. */
export default function NfcList() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const changes = useNfcChanges();
  const mayEdit = usePermission('asset-nfc:edit');
  const seesAssets = usePermission('asset:view');
  const [doomed, setDoomed] = useState<NfcTag | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const bind = (
    <PermissionButton
      permission="asset-nfc:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('assets.nfc.bind')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="asset-nfc"
        title={text('menu.asset-nfc')}
        purpose={text('assets.nfc.purpose')}
        source={source}
        queryKey={NFC_KEY}
        columns={columns}
        rowKey={(tag) => tag.uid}
        rowName={(tag) => tag.uid}
        searchLabel={text('assets.nfc.search')}
        defaultSort={{ sort: 'boundAt', order: 'desc' }}
        above={<OpenByTag />}
        actions={bind}
        {...(seesAssets ? { onOpen: (tag: NfcTag) => go(`/asset/${tag.assetId}`) } : {})}
        rowActions={(tag) =>
          mayEdit
            ? [
                {
                  key: 'unbind',
                  danger: true,
                  label: text('assets.nfc.unbind'),
                  onClick: () => setDoomed(tag),
                },
              ]
            : []
        }
        empty={{
          title: text('assets.nfc.empty.title'),
          reason: text('assets.nfc.empty.reason'),
          action: bind,
        }}
      />
      {params.get('new') && mayEdit ? (
        <FormDrawer
          title={text('assets.nfc.bind')}
          submitLabel={text('assets.nfc.bind')}
          schema={bindNfcTag.body}
          initial={{}}
          submit={async (values) => {
            const { uid, assetName } = await changes.bind(values);
            toast('success', text('assets.nfc.bound', { uid, name: assetName }));
          }}
          faultFields={FAULT_FIELDS}
          onClose={() => change({ new: null })}
        >
          <FormSection>
            <UidField />
            <AssetField name="assetId" wide label={text('assets.nfc.asset')} />
          </FormSection>
        </FormDrawer>
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('assets.nfc.unbind.title', { uid: doomed.uid, name: doomed.assetName })}
          confirmLabel={text('assets.nfc.unbind')}
          onConfirm={(reason) => changes.unbind(doomed.uid, reason)}
          onClose={() => setDoomed(null)}
        >
          {text('assets.nfc.unbind.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function UidField() {
  const { text } = useText();
  const { set } = useField<string>('uid');
  return (
    <TextField
      name="uid"
      wide
      label={text('assets.nfc.uid')}
      help={text('assets.nfc.uid.help')}
      after={<ScanButton onRead={set} />}
    />
  );
}

/** Field that opens the asset of a tag. The UID is scanned, or typed if the phone cannot scan. */
function OpenByTag() {
  const { text } = useText();
  const go = useGo();
  const id = useId();
  const [typed, setTyped] = useState('');
  async function open(uid: string) {
    const { assetId } = await findTag(uid);
    go(`/asset/${assetId}`);
  }
  // If no asset has the tag, the API client shows the error.
  const tryOpen = (uid: string) => void open(uid).catch(() => undefined);
  return (
    <form
      className="panel nfc-open"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        tryOpen(typed);
      }}
    >
      <div className="nfc-open-words">
        <h2>{text('assets.nfc.open.title')}</h2>
        <p className="small secondary">
          {text(readsTags() ? 'assets.nfc.open.scan' : 'assets.nfc.open.type')}
        </p>
      </div>
      <ScanButton onRead={tryOpen} />
      <label htmlFor={id} className="visually-hidden">
        {text('assets.nfc.uid')}
      </label>
      <div className="field">
        <input
          id={id}
          type="text"
          value={typed}
          autoComplete="off"
          placeholder="04:A2:2B:1C:9D:5E:80"
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={nfcUid(typed) === null}>
        {text('assets.nfc.open')}
      </Button>
    </form>
  );
}
