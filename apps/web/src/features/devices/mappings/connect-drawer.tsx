import './mappings.css';
import {
  CHIRPSTACK_PATH,
  CHIRPSTACK_TOPIC,
  EFENTO_PATH,
  THINGS_STACK_PATH,
  THINGSBOARD_GATEWAY_TOPIC,
  THINGSBOARD_PATH,
  THINGSBOARD_TOPIC,
} from '@isotherm/contracts/ingest';
import { permissionWords } from '@isotherm/i18n/permission-words';
import Drawer from 'antd/es/drawer';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { CopyButton } from '../../../shared/ui/one-time-secret.tsx';
import { formatName } from './payload-formats.ts';

/** Placeholder for the access token of a device. */
const TOKEN = 'NUMBER.KEY';
const HEADER = 'Authorization: Bearer API_KEY';

/** Drawer with the addresses and credentials to configure in third-party hardware, by payload format. */
export function ConnectDrawer({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const mayMakeKeys = usePermission('management-authorizations:create');
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={text('mappings.connect')}
        rootClassName="form-drawer"
        onClose={onClose}
      >
        <p className="secondary">{text('mappings.connect.means')}</p>
        <Way
          title={formatName('thingsboard', text)}
          means={text('mappings.connect.thingsboard', { token: TOKEN })}
        >
          <Line label="HTTP" value={`${location.origin}${THINGSBOARD_PATH}/${TOKEN}/telemetry`} />
          <Line label="MQTT" value={`mqtt://${location.hostname}:1883`} />
          <Line label={text('mappings.connect.user')} value={TOKEN} />
          <Line label={text('mappings.connect.topic')} value={THINGSBOARD_TOPIC} />
          <p className="form-help">{text('mappings.connect.port')}</p>
        </Way>
        <Way
          title={formatName('thingsboard-gateway', text)}
          means={text('mappings.connect.thingsboard-gateway')}
        >
          <Line label={text('mappings.connect.topic')} value={THINGSBOARD_GATEWAY_TOPIC} />
        </Way>
        <Way title={formatName('chirpstack', text)} means={text('mappings.connect.chirpstack')}>
          <Line label={text('mappings.connect.webhook')} value={`${location.origin}${CHIRPSTACK_PATH}`} />
          <Line label={text('mappings.connect.header')} value={HEADER} />
          <p className="form-help">{text('mappings.connect.chirpstack-mqtt')}</p>
          <Line label={text('mappings.connect.topic')} value={CHIRPSTACK_TOPIC} />
        </Way>
        <Way title={formatName('things-stack', text)} means={text('mappings.connect.things-stack')}>
          <Line label={text('mappings.connect.webhook')} value={`${location.origin}${THINGS_STACK_PATH}`} />
          <Line label={text('mappings.connect.header')} value={HEADER} />
        </Way>
        <Way title={formatName('efento', text)} means={text('mappings.connect.efento')}>
          <Line label={text('mappings.connect.webhook')} value={`${location.origin}${EFENTO_PATH}`} />
        </Way>
        <section className="mapping-part">
          <h3>{text('mappings.connect.key')}</h3>
          <p className="secondary">
            {text('mappings.connect.key-means', {
              permission: permissionWords('device-mappings:receive', text),
            })}
          </p>
          {mayMakeKeys ? (
            <Link className={buttonClass({}, 'mapping-make-key')} to="/management/authorizations?new=1">
              {text('mappings.connect.make-key')}
            </Link>
          ) : null}
        </section>
      </Drawer>
    </>
  );
}

function Way({ title, means, children }: { title: string; means: string; children: ReactNode }) {
  return (
    <section className="mapping-part">
      <h3>{title}</h3>
      <p className="secondary">{means}</p>
      {children}
    </section>
  );
}

function Line({ label, value }: { label: string; value: string }) {
  return (
    <div className="mapping-line">
      <span className="small tertiary">{label}</span>
      <code>{value}</code>
      <CopyButton value={value} of={label} />
    </div>
  );
}
