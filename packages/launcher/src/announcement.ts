import { networkInterfaces } from 'node:os';
import type { Account } from './messages.ts';

export interface Announcement {
  consoleUrl: string;
  /** Address of the server. */
  url: string;
  setupUrl: string | undefined;
  accounts: Account[];
  mqttUrl: string;
  tcpUrl: string;
  dataFolder: string;
  /** Address that the server listens on. */
  host: string;
  demo: boolean;
  roles: ReadonlySet<string>;
}

/** Returns the summary that is printed when the server is ready. */
export function announce(facts: Announcement, addresses = ownAddresses()): string {
  const { roles } = facts;
  const isWeb = roles.has('web');
  const accounts = isWeb ? facts.accounts : [];
  const width = Math.max(0, ...accounts.map(signIn).map((text) => text.length));
  const reached = isEverywhere(facts.host) ? addresses : [];
  const port = new URL(facts.url).port;
  const rows: [string, string][] = [
    ...(isWeb ? [['Console', facts.consoleUrl] as [string, string]] : []),
    ...(isWeb ? reached.map((address): [string, string] => ['', `http://${inUrl(address)}:${port}`]) : []),
    ...accounts.map((account, i): [string, string] => [
      i === 0 ? 'Sign in' : '',
      `${signIn(account).padEnd(width)}   ${account.role.replaceAll('-', ' ')}`,
    ]),
    ...(facts.setupUrl ? [['First administrator', facts.setupUrl] as [string, string]] : []),
    ...(roles.has('ingest')
      ? [
          ['Devices', `${facts.mqttUrl}   ${facts.tcpUrl}   ${facts.url}/ingest/v1/readings`] as [
            string,
            string,
          ],
        ]
      : []),
    ...(isWeb && roles.has('ingest') && roles.has('worker')
      ? []
      : [['Roles', [...roles].join(', ')] as [string, string]]),
    ['Data', facts.dataFolder],
    ['Stop', 'Ctrl-C'],
  ];
  const labels = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(labels)}   ${text}`);
  return ['', '  Isotherm is running.', '', ...lines, ...warningOf(facts), ''].join('\n');
}

/** Returns the warning that the passwords of the demo are public. */
function warningOf({ demo, host, accounts }: Announcement): string[] {
  if (!demo || accounts.length === 0 || isLoopback(host)) return [];
  return [
    '',
    '  Warning: other machines reach this server, and the passwords of its demo accounts are published.',
    '  Set HOST=127.0.0.1 to keep it to this machine, or ISOTHERM_DEMO=0 to run without the demo.',
  ];
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');
const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address);

/**
 * Returns the addresses of this machine. Link-local addresses are left out, because they need an interface.
 */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((own) => own ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
}

function signIn({ username, password }: Account): string {
  return `${username} / ${password}`;
}
