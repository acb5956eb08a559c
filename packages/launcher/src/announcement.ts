import type { Account } from './messages.ts';

export interface Announcement {
  consoleUrl: string;
  /** Of the server. */
  url: string;
  setupUrl: string | undefined;
  accounts: Account[];
  mqttUrl: string;
  tcpUrl: string;
  dataFolder: string;
}

/** The one block that is printed when the console can be used. */
export function announce(facts: Announcement): string {
  const width = Math.max(0, ...facts.accounts.map(signIn).map((text) => text.length));
  const rows: [string, string][] = [
    ['Console', facts.consoleUrl],
    ...facts.accounts.map((account, i): [string, string] => [
      i === 0 ? 'Sign in' : '',
      `${signIn(account).padEnd(width)}   ${account.role.replaceAll('-', ' ')}`,
    ]),
    ...(facts.setupUrl ? [['First administrator', facts.setupUrl] as [string, string]] : []),
    ['Devices', `${facts.mqttUrl}   ${facts.tcpUrl}   ${facts.url}/ingest/v1/readings`],
    ['Data', facts.dataFolder],
    ['Stop', 'Ctrl-C'],
  ];
  const labels = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(labels)}   ${text}`);
  return ['', '  Isotherm is running.', '', ...lines, ''].join('\n');
}

function signIn({ username, password }: Account): string {
  return `${username} / ${password}`;
}
