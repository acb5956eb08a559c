import {
  type ApnsView,
  apnsInput,
  type FcmView,
  fcmInput,
  getPushServices,
  saveApns,
  saveFcm,
  testPushService,
} from '@isotherm/contracts/push-services';
import type { PushService } from '@isotherm/domain/notifications/mobile-push';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const KEY = ['notifications', 'push-services'] as const;
const FCM_URL = 'https://fcm.googleapis.com';
const APNS_URL = 'https://api.push.apple.com';
const APNS_SANDBOX_URL = 'https://api.sandbox.push.apple.com';

/** Form of a push service of mobile apps. */
export function PushServiceForm({ service, onClose }: { service: PushService; onClose: () => void }) {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call(getPushServices, { signal }),
    // A form must start with what is stored, not with a cached copy.
    gcTime: 0,
  });
  if (!data) return null;
  return service === 'fcm' ? (
    <FcmForm stored={data.fcm} onClose={onClose} />
  ) : (
    <ApnsForm stored={data.apns} onClose={onClose} />
  );
}

function FcmForm({ stored, onClose }: { stored: FcmView | null; onClose: () => void }) {
  const { text } = useText();
  const queries = useQueryClient();
  return (
    <FormDrawer
      title={text('push-services.fcm')}
      submitLabel={text('common.action.save')}
      schema={fcmInput}
      initial={{ enabled: stored?.enabled ?? true, url: stored?.url ?? FCM_URL, credentials: '' }}
      submit={async (body) => {
        await call(saveFcm, { body });
        await queries.invalidateQueries({ queryKey: KEY });
      }}
      success={text('push-services.saved')}
      faultFields={{
        'push_service.url': 'url',
        'push_service.credentials': 'credentials',
        'push_service.secret_needed': 'credentials',
      }}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="url" label={text('channels.url')} inputMode="url" />
        <SwitchField name="enabled" label={text('channels.enabled')} />
        {stored ? (
          <p className="form-wide secondary">
            {text('push-services.fcm.account', { project: stored.projectId, account: stored.clientEmail })}
          </p>
        ) : null}
        <TextAreaField
          name="credentials"
          rows={6}
          label={text('push-services.fcm.credentials')}
          help={text(stored ? 'channels.secret.keep' : 'push-services.fcm.credentials.help')}
        />
      </FormSection>
      {stored ? <TestSection service="fcm" apps={stored.apps} /> : null}
    </FormDrawer>
  );
}

function ApnsForm({ stored, onClose }: { stored: ApnsView | null; onClose: () => void }) {
  const { text } = useText();
  const queries = useQueryClient();
  return (
    <FormDrawer
      title={text('push-services.apns')}
      submitLabel={text('common.action.save')}
      schema={apnsInput}
      initial={{
        enabled: stored?.enabled ?? true,
        url: stored?.url ?? APNS_URL,
        keyId: stored?.keyId ?? '',
        teamId: stored?.teamId ?? '',
        topic: stored?.topic ?? '',
        key: '',
      }}
      submit={async (body) => {
        await call(saveApns, { body });
        await queries.invalidateQueries({ queryKey: KEY });
      }}
      success={text('push-services.saved')}
      faultFields={{
        'push_service.url': 'url',
        'push_service.key': 'key',
        'push_service.secret_needed': 'key',
      }}
      onClose={onClose}
    >
      <FormSection>
        <TextField
          name="url"
          wide
          label={text('channels.url')}
          inputMode="url"
          help={text('push-services.apns.sandbox', { url: APNS_SANDBOX_URL })}
        />
        <TextField name="keyId" label={text('push-services.apns.key-id')} placeholder="ABC123DEFG" />
        <TextField name="teamId" label={text('push-services.apns.team-id')} placeholder="DEF123GHIJ" />
        <TextField name="topic" label={text('push-services.apns.topic')} placeholder="com.example.app" />
        <SwitchField name="enabled" label={text('channels.enabled')} />
        <TextAreaField
          name="key"
          rows={6}
          label={text('push-services.apns.key')}
          help={text(stored ? 'channels.secret.keep' : 'push-services.apns.key.help')}
        />
      </FormSection>
      {stored ? <TestSection service="apns" apps={stored.apps} /> : null}
    </FormDrawer>
  );
}

function TestSection({ service, apps }: { service: PushService; apps: number }) {
  const { text } = useText();
  async function test() {
    const { outcome, error } = await call(testPushService, { params: { service } });
    const isGood = outcome === 'sent' || outcome === 'accepted';
    toast(isGood ? 'success' : 'failure', text('push-services.test.outcome', { outcome, error }));
  }
  return (
    <FormSection title={text('push-services.apps', { count: apps })}>
      <Button onClick={() => void test()}>{text('push-services.test')}</Button>
    </FormSection>
  );
}
