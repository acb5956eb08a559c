import { describe, expect, test } from 'vitest';
import { type Announcement, announce } from './announcement.ts';

const facts: Announcement = {
  consoleUrl: 'http://127.0.0.1:8080',
  url: 'http://127.0.0.1:8080',
  setupUrl: undefined,
  accounts: [{ username: 'ada', password: 'one', role: 'quality-manager' }],
  mqttUrl: 'mqtt://127.0.0.1:1883',
  tcpUrl: 'tcp://127.0.0.1:6018',
  dataFolder: '/srv/isotherm',
  host: '127.0.0.1',
  demo: true,
  roles: new Set(['web', 'ingest', 'worker']),
};
const ADDRESSES = ['192.0.2.7', '2001:db8::7'];

test('no warning is printed on a loopback address', () => {
  const block = announce(facts, ADDRESSES);
  expect(block).toContain('ada / one   quality manager');
  expect(block).not.toMatch(/Warning|192\.0\.2\.7|Roles/);
});

describe('a server that is reachable from other machines', () => {
  test('the demo prints a warning about its passwords, and the addresses', () => {
    const block = announce({ ...facts, host: '0.0.0.0' }, ADDRESSES);
    expect(block).toContain('http://192.0.2.7:8080');
    expect(block).toContain('http://[2001:db8::7]:8080');
    expect(block).toMatch(/Warning: .+published.+ISOTHERM_DEMO=0/s);
  });

  test('a server that listens on a specific address also prints the warning', () => {
    expect(announce({ ...facts, host: '192.0.2.7' }, ADDRESSES)).toContain('Warning');
  });

  test('a server without the demo prints no warning', () => {
    expect(announce({ ...facts, host: '0.0.0.0', demo: false, accounts: [] }, ADDRESSES)).not.toContain(
      'Warning',
    );
  });
});

test('a process prints its own roles, and nothing about others', () => {
  const ingest = announce({ ...facts, roles: new Set(['ingest']) }, ADDRESSES);
  expect(ingest).toMatch(/Devices.+Roles +ingest/s);
  expect(ingest).not.toMatch(/Console|ada/);
  const worker = announce({ ...facts, roles: new Set(['worker']) }, ADDRESSES);
  expect(worker).toMatch(/Roles +worker/);
  expect(worker).not.toMatch(/Devices|Console/);
});
