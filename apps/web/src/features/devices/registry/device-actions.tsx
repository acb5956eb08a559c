import './registry.css';
import type { BatchResult } from '@isotherm/contracts/batches';
import { moveDevices } from '@isotherm/contracts/device-batches';
import { type DeviceRecord, replaceDevice, setDeviceToken } from '@isotherm/contracts/device-registry';
import { id } from '@isotherm/contracts/route';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { z } from 'zod';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { BatchReport, wentWell } from '../../../shared/ui/batch-report.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { AsyncSelectField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { CommandForm } from '../commands/command-form.tsx';
import { assetSource, outlookQuery, spareSource, useDeviceChanges } from './registry.queries.ts';

export type DeviceAction =
  | 'bind'
  | 'unbind'
  | 'move'
  | 'delete'
  | 'restore'
  | 'new-key'
  | 'set-token'
  | 'command'
  | 'replace';
type Subject = Pick<DeviceRecord, 'number' | 'name' | 'organizationId' | 'organizationName'>;

const REPLACE_FAULTS = {
  'device.bound': 'by',
  'device.other_organization': 'by',
  'device.model_mismatch': 'by',
};

interface Asked {
  action: DeviceAction;
  devices: readonly Subject[];
  done: (() => void) | undefined;
}

const bindForm = z.object({ assetId: id });
const replaceForm = replaceDevice.body;
const tokenForm = setDeviceToken.body;
const TOKEN_FAULTS = { 'device.token_taken': 'token' };
const moveForm = moveDevices.body.pick({ organizationId: true });

/**
 * Hook with the actions on devices for the list and the device page, including dialogs and result messages.
 */
export function useDeviceActions(): {
  act: (action: DeviceAction, devices: readonly Subject[], done?: () => void) => void;
  dialogs: ReactNode;
} {
  const { text } = useText();
  const go = useGo();
  const changes = useDeviceChanges();
  const organizations = useOrganizations();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [report, setReport] = useState<BatchResult | null>(null);
  const [key, setKey] = useState<{ number: string; key: string } | null>(null);

  const numbers = asked?.devices.map(({ number }) => number) ?? [];
  const subject = asked?.devices[0];
  const close = () => setAsked(null);
  function settle(
    action: Exclude<DeviceAction, 'command' | 'new-key' | 'set-token'>,
    result: BatchResult,
  ): void {
    if (!wentWell(result, text(`devices.${action}.done`, { count: result.success }))) setReport(result);
    asked?.done?.();
  }

  async function confirm(reason: string): Promise<void> {
    if (!asked || !subject) return;
    switch (asked.action) {
      case 'unbind':
        return settle('unbind', await changes.unbind({ numbers, reason }));
      case 'delete':
        return settle('delete', await changes.remove({ numbers, reason }));
      case 'restore':
        return settle('restore', await changes.restore({ numbers }));
      case 'new-key':
        setKey({ number: subject.number, ...(await changes.rotateKey(subject.number, reason)) });
    }
  }

  function question(): ReactNode {
    if (!asked || !subject) return null;
    const { action } = asked;
    const values = { count: numbers.length, number: subject.number };
    switch (action) {
      case 'command':
        return (
          <CommandForm
            devices={numbers}
            onSent={(batch) => {
              // The dialog is closed first; otherwise it would stay open behind the new tab, and could send
              // the command again.
              close();
              go(`/device/commands?batchId=${batch.id}`);
            }}
            onClose={close}
          />
        );
      case 'bind':
        return (
          <FormDrawer
            title={text('devices.bind.title', values)}
            submitLabel={text('devices.bind')}
            schema={bindForm}
            initial={{}}
            submit={async ({ assetId }) =>
              settle(
                'bind',
                await changes.bind({ bonds: [{ number: subject.number, assetId: Number(assetId) }] }),
              )
            }
            onClose={close}
          >
            <FormSection>
              <BondField subject={subject} />
            </FormSection>
          </FormDrawer>
        );
      case 'replace':
        return (
          <FormDrawer
            title={text('devices.replace.title', values)}
            submitLabel={text('devices.replace')}
            schema={replaceForm}
            initial={{}}
            submit={async ({ by, reason }) => {
              await changes.replace(subject.number, { by, reason });
              toast('success', text('devices.replace.done', values));
              asked.done?.();
            }}
            faultFields={REPLACE_FAULTS}
            onClose={close}
          >
            <FormSection>
              <AsyncSelectField
                wide
                name="by"
                label={text('devices.replace.by')}
                help={text('devices.replace.help')}
                source={spareSource(subject.organizationId)}
              />
              <TextAreaField name="reason" label={text('common.confirm.reason')} rows={2} />
            </FormSection>
          </FormDrawer>
        );
      case 'set-token':
        return (
          <FormDrawer
            title={text('devices.token.title', values)}
            submitLabel={text('common.action.save')}
            schema={tokenForm}
            initial={{ token: '' }}
            submit={async ({ token, reason }) => {
              await changes.setToken(subject.number, { token, reason });
              toast('success', text('devices.token.done', values));
              asked.done?.();
            }}
            faultFields={TOKEN_FAULTS}
            onClose={close}
          >
            <FormSection>
              <TextField name="token" label={text('devices.token')} help={text('devices.token.means')} wide />
              <TextAreaField name="reason" label={text('common.confirm.reason')} rows={2} />
            </FormSection>
          </FormDrawer>
        );
      case 'move':
        return (
          <FormDrawer
            title={text('devices.move.title', values)}
            submitLabel={text('devices.move')}
            schema={moveForm}
            initial={{}}
            submit={async ({ organizationId }) =>
              settle('move', await changes.move({ numbers, organizationId: Number(organizationId) }))
            }
            onClose={close}
          >
            <FormSection>
              <TreeField
                wide
                name="organizationId"
                label={text('devices.organization')}
                help={text('devices.move.help')}
                {...organizations}
              />
            </FormSection>
          </FormDrawer>
        );
      default:
        return (
          <ConfirmWithReason
            weight={action === 'restore' ? 'plain' : 'reason'}
            grave={action === 'delete'}
            title={text(`devices.${action}.title`, values)}
            confirmLabel={text(`devices.${action}`)}
            onConfirm={confirm}
            onClose={close}
          >
            {text(`devices.${action}.means`, values)}
            {action === 'delete' ? <Outlook numbers={numbers} /> : null}
          </ConfirmWithReason>
        );
    }
  }

  const dialogs = (
    <>
      {question()}
      {report ? <BatchReport result={report} onClose={() => setReport(null)} /> : null}
      {key ? (
        <OneTimeSecret
          title={text('devices.key.title', { number: key.number })}
          secret={key.key}
          fileName={`${key.number}.key`}
          onClose={() => setKey(null)}
        >
          {text('devices.key.pass-on')}
        </OneTimeSecret>
      ) : null}
    </>
  );
  return { act: (action, devices, done) => setAsked({ action, devices, done }), dialogs };
}

/**
 * Field for an asset of the device's organisation. It is a tree, or a search for users without access to
 * assets.
 */
function BondField({ subject: { organizationId, organizationName } }: { subject: Subject }) {
  const { text } = useText();
  const { state: access } = usePagePermission('asset:view');
  const field = {
    name: 'assetId',
    wide: true,
    label: text('devices.asset'),
    help: text('devices.bind.help', { organization: organizationName }),
  };
  if (access === 'unknown') return null;
  return access === 'held' ? (
    <AssetField {...field} within={organizationId} />
  ) : (
    <AsyncSelectField {...field} source={assetSource(organizationId)} />
  );
}

const TAKEN_ALONG = ['channels', 'rules', 'openAlarms', 'openCommands', 'behind'] as const;

/** Lists what is deleted together with the devices. */
function Outlook({ numbers }: { numbers: readonly string[] }) {
  const { text } = useText();
  const { data } = useQuery(outlookQuery(numbers));
  if (!data) return null;
  const along = TAKEN_ALONG.filter((each) => data[each] > 0);
  if (along.length === 0) return null;
  return (
    <ul className="device-outlook">
      {along.map((each) => (
        <li key={each}>{text(`devices.outlook.${each}`, { count: data[each] })}</li>
      ))}
    </ul>
  );
}
