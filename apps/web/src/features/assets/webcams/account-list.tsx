import {
  createWebcamAccount,
  editWebcamAccount,
  listWebcamAccounts,
  type WebcamAccount,
} from '@isotherm/contracts/webcams';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { PasswordField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { ACCOUNTS_KEY, useWebcamChanges } from './webcams.queries.ts';

const source = pagesOf(listWebcamAccounts);
const FAULT_FIELDS = {
  'webcam.account_taken': 'name',
  'webcam.account_in_use': 'url',
  'webcam.password_needed': 'password',
};

function columnsFor({ text, time }: Viewer): ListColumn<WebcamAccount>[] {
  const plain = (value: string) => <span className="secondary">{value || EN_RULE}</span>;
  return [
    {
      key: 'name',
      title: text('webcams.name'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ name }) => name,
    },
    {
      key: 'url',
      title: text('webcams.account.url'),
      maxWidth: 280,
      render: ({ url }) => <code>{url}</code>,
    },
    { key: 'username', title: text('webcams.account.username'), render: ({ username }) => plain(username) },
    {
      key: 'password',
      title: text('webcams.account.has-password'),
      render: ({ hasPassword }) => plain(hasPassword ? text('webcams.account.has-password.yes') : ''),
    },
    {
      key: 'webcams',
      title: text('webcams.account.cameras'),
      align: 'end',
      render: ({ webcams }) => webcams,
    },
    {
      key: 'organizationName',
      title: text('users.organization'),
      sortable: true,
      render: ({ organizationName }) => plain(organizationName),
    },
    {
      key: 'changedAt',
      title: text('webcams.account.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => plain(`${time(changedAt, 'date-time')} · ${changedBy}`),
    },
  ];
}

/** List of the accounts that are used to sign in to cameras. Their passwords are write-only. */
export function AccountList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useWebcamChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      embedded
      name="webcam-accounts"
      title={text('webcams.accounts')}
      purpose={text('webcams.accounts.purpose')}
      permission="asset-webcams:edit"
      param="account"
      source={source}
      queryKey={ACCOUNTS_KEY}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('webcams.account.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('webcams.account.create'),
        edit: text('webcams.edit'),
        remove: text('webcams.delete'),
      }}
      empty={{ title: text('webcams.accounts.empty'), reason: text('webcams.accounts.purpose') }}
      form={(account, close) => <AccountForm account={account} onClose={close} />}
      removal={{
        title: (name) => text('webcams.account.delete.title', { name }),
        means: () => text('webcams.account.delete.means'),
        done: (name) => text('webcams.deleted', { name }),
        run: ({ id }, reason) => changes.removeAccount(id, reason),
      }}
    />
  );
}

function AccountForm({ account, onClose }: { account: WebcamAccount | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useWebcamChanges();
  const shared = { faultFields: FAULT_FIELDS, success: text('webcams.saved'), onClose };
  const fields = (
    <FormSection>
      <TextField name="name" wide label={text('webcams.name')} />
      {account ? null : <OrganizationField wide label={text('users.organization')} />}
      <TextField
        name="url"
        wide
        label={text('webcams.account.url')}
        help={text('webcams.account.url.help')}
      />
      <TextField name="username" label={text('webcams.account.username')} />
      <PasswordField
        name="password"
        label={text('webcams.account.has-password')}
        autoComplete="new-password"
        {...(account?.hasPassword ? { help: text('webcams.account.keep') } : {})}
      />
    </FormSection>
  );
  if (account) {
    const { name, url, username } = account;
    return (
      <FormDrawer
        title={text('webcams.account.edit.title')}
        submitLabel={text('common.action.save')}
        schema={editWebcamAccount.body}
        initial={{ name, url, username, password: '' }}
        submit={(values) => changes.editAccount(account.id, values)}
        {...shared}
      >
        {fields}
      </FormDrawer>
    );
  }
  return (
    <FormDrawer
      title={text('webcams.account.create')}
      submitLabel={text('webcams.account.create')}
      schema={createWebcamAccount.body}
      initial={{ username: '', password: '' }}
      submit={changes.createAccount}
      {...shared}
    >
      {fields}
    </FormDrawer>
  );
}
