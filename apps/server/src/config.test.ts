import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

const NEEDED = { DATABASE_URL: 'postgres://127.0.0.1/isotherm', ISOTHERM_SECRET: 'x'.repeat(32) };
const read = (more: Record<string, string>) => readConfig({ ...NEEDED, ...more }, []);

test.each<[string, false | number | string[]]>([
  ['0', false],
  ['2', 2],
  ['loopback', ['loopback']],
  ['10.0.0.4, 192.168.0.0/16,fd00::/8', ['10.0.0.4', '192.168.0.0/16', 'fd00::/8']],
])('ISOTHERM_TRUST_PROXY=%s is parsed correctly', (text, wanted) => {
  expect(read({ ISOTHERM_TRUST_PROXY: text }).trustProxy).toEqual(wanted);
});

test.each(['yes', '-1', '10.0.0', '10.0.0.4;10.0.0.5', ''])(
  'the invalid setting ISOTHERM_TRUST_PROXY=%s is refused',
  (text) => {
    expect(() => read({ ISOTHERM_TRUST_PROXY: text })).toThrow(
      'ISOTHERM_TRUST_PROXY: a number of proxies, or their addresses with commas between',
    );
  },
);

test('the base map needs a style, and browsers may load it from the origins of the style and the named ones', () => {
  expect(read({})).toMatchObject({ baseMap: null, mapOrigins: [] });
  const map = read({
    ISOTHERM_MAP_STYLE_URL: 'https://maps.example/{language}/style.json?key=1',
    ISOTHERM_MAP_DARK_STYLE_URL: 'https://dark.example/style.json',
    ISOTHERM_MAP_ORIGINS: 'https://tiles.example, http://10.0.0.7:8081,https://maps.example',
    ISOTHERM_MAP_DATUM: 'gcj02',
  });
  expect(map.baseMap).toEqual({
    styleUrl: 'https://maps.example/{language}/style.json?key=1',
    darkStyleUrl: 'https://dark.example/style.json',
    datum: 'gcj02',
  });
  expect(map.mapOrigins).toEqual([
    'https://maps.example',
    'https://dark.example',
    'https://tiles.example',
    'http://10.0.0.7:8081',
  ]);
  const plain = read({ ISOTHERM_MAP_STYLE_URL: 'https://maps.example/style.json' });
  expect(plain.baseMap).toMatchObject({ darkStyleUrl: null, datum: 'wgs84' });
  for (const [name, value] of [
    ['ISOTHERM_MAP_DATUM', 'gcj02'],
    ['ISOTHERM_MAP_ORIGINS', 'https://tiles.example'],
    ['ISOTHERM_MAP_DARK_STYLE_URL', 'https://dark.example/style.json'],
  ] as const)
    expect(() => read({ [name]: value })).toThrow('ISOTHERM_MAP_STYLE_URL: must be set, too');
});

test.each([
  ['ISOTHERM_MAP_STYLE_URL', 'maps.example/style.json'],
  ['ISOTHERM_MAP_STYLE_URL', 'ftp://maps.example/style.json'],
  ['ISOTHERM_MAP_ORIGINS', 'https://tiles.example/path'],
  ['ISOTHERM_MAP_ORIGINS', 'https://*.example'],
  ['ISOTHERM_MAP_ORIGINS', "https://tiles.example; script-src 'unsafe-inline'"],
  ['ISOTHERM_MAP_ORIGINS', 'tiles.example'],
  ['ISOTHERM_MAP_DATUM', 'bd09'],
])('the invalid setting %s=%s is refused', (name, value) => {
  expect(() => read({ ISOTHERM_MAP_STYLE_URL: 'https://maps.example/style.json', [name]: value })).toThrow(
    name,
  );
});

test('a metrics key that could be guessed is refused', () => {
  expect(() => read({ ISOTHERM_METRICS_KEY: 'short' })).toThrow('ISOTHERM_METRICS_KEY');
});

test('the broker setting must be an MQTT address, and each process of a machine gets its own client id', () => {
  const broker = (url: string, more = {}) => read({ ISOTHERM_MQTT_BROKER_URL: url, ...more }).broker;
  expect(broker('mqtts://a:b@broker.example', { ISOTHERM_MQTT_CLIENT_ID: 'one' })).toEqual({
    url: 'mqtts://a:b@broker.example',
    clientId: 'one',
    chirpstackTopic: null,
  });
  expect(broker('mqtt://broker.example', { PORT: '9301' })?.clientId).toMatch(/^isotherm-.+-9301$/);
  expect(read({}).broker).toBeNull();
  for (const url of ['http://broker.example', 'broker.example:1883', 'mqtt://'])
    expect(() => broker(url)).toThrow('ISOTHERM_MQTT_BROKER_URL: an address as mqtts://');
});

test('ISOTHERM_MQTT_CHIRPSTACK_TOPIC accepts topic filters of ChirpStack events and needs an external broker', () => {
  const topic = (filter: string, more: object = { ISOTHERM_MQTT_BROKER_URL: 'mqtt://broker.example' }) =>
    read({ ISOTHERM_MQTT_CHIRPSTACK_TOPIC: filter, ...more }).broker?.chirpstackTopic;
  for (const filter of ['application/+/device/+/event/+', 'lora/application/7/device/+/event/+'])
    expect(topic(filter)).toBe(filter);
  for (const filter of ['#', 'application/#', 'application/+/device/+/event/up/+', '+/device/+/event/+'])
    expect(() => topic(filter)).toThrow('ISOTHERM_MQTT_CHIRPSTACK_TOPIC: a topic filter as application/');
  expect(() => topic('application/+/device/+/event/+', {})).toThrow('ISOTHERM_MQTT_BROKER_URL');
});

test('the setting for networks whose servers users may enter accepts single addresses and networks', () => {
  const allowed = (text: string) => read({ ISOTHERM_OUTGOING_ALLOW: text }).outgoingAllow;
  expect(allowed('192.168.1.0/24, 10.0.0.7,fd00::/8')).toEqual(['192.168.1.0/24', '10.0.0.7', 'fd00::/8']);
  expect(allowed('')).toEqual([]);
  for (const text of ['cameras', '10.0.0', '10.0.0.0/99'])
    expect(() => allowed(text)).toThrow('ISOTHERM_OUTGOING_ALLOW: addresses or networks');
});

test('only the demo accepts cameras on the server’s own machine, and only as an origin with a loopback address', () => {
  const cameras = (text: string, ISOTHERM_DEMO: string) =>
    read({ ISOTHERM_DEMO_CAMERAS: text, ISOTHERM_DEMO }).demoCameras;
  expect(cameras('http://127.0.0.1:8090', '1')).toBe('http://127.0.0.1:8090');
  expect(read({ ISOTHERM_DEMO: '1' }).demoCameras).toBeNull();
  expect(() => cameras('http://127.0.0.1:8090', '0')).toThrow('ISOTHERM_DEMO_CAMERAS: is for the demo only');
  for (const text of [
    'http://10.0.0.7:8090',
    'http://127.0.0.1',
    'https://127.0.0.1:8090',
    'http://127.0.0.1:8090/x',
  ])
    expect(() => cameras(text, '1')).toThrow('ISOTHERM_DEMO_CAMERAS: an origin');
});

test('a DKIM key needs a selector and a mail server', () => {
  const mail = { ISOTHERM_SMTP_URL: 'smtps://mail.example:465', ISOTHERM_MAIL_FROM: 'alarms@example.com' };
  const key = { ISOTHERM_DKIM_SELECTOR: 'cold1', ISOTHERM_DKIM_KEY: '/etc/dkim.pem' };
  expect(read({ ...mail, ...key }).mail?.dkim).toEqual({ selector: 'cold1', keyFile: '/etc/dkim.pem' });
  expect(() => read({ ...mail, ISOTHERM_DKIM_SELECTOR: 'cold1' })).toThrow('ISOTHERM_DKIM_KEY');
  expect(() => read({ ...mail, ...key, ISOTHERM_DKIM_SELECTOR: 'a b' })).toThrow('a selector as');
  expect(() => read(key)).toThrow('ISOTHERM_SMTP_URL must be set');
});

test('bounces need a mail server and a domain, and a process listens for them only with a port', () => {
  const mail = { ISOTHERM_SMTP_URL: 'smtps://mail.example:465', ISOTHERM_MAIL_FROM: 'alarms@example.com' };
  const domain = { ISOTHERM_BOUNCE_DOMAIN: 'bounces.example.com' };
  const boundTo = (port: number | null) => ({ domain: 'bounces.example.com', port });
  expect(read({ ...mail, ...domain }).mail?.bounces).toEqual(boundTo(null));
  expect(read({ ...mail, ...domain, ISOTHERM_BOUNCE_PORT: '2525' }).mail?.bounces).toEqual(boundTo(2525));
  expect(() => read({ ...mail, ISOTHERM_BOUNCE_PORT: '2525' })).toThrow('ISOTHERM_BOUNCE_DOMAIN');
  expect(() => read(domain)).toThrow('ISOTHERM_SMTP_URL must be set');
  expect(() => read({ ...mail, ISOTHERM_BOUNCE_DOMAIN: 'a@b' })).toThrow('a domain as');
});

test("the mail server and the sender must be set together, and a slash at the end of the console's address is removed", () => {
  const mail = (url: string, from: string) => read({ ISOTHERM_SMTP_URL: url, ISOTHERM_MAIL_FROM: from }).mail;
  const url = 'smtps://user:pass@mail.example:465';
  for (const from of ['alarms@example.com', 'Isotherm <alarms@example.com>'])
    expect(mail(url, from)).toEqual({ url, from, dkim: null, bounces: null });
  expect(read({}).mail).toBeNull();
  expect(() => read({ ISOTHERM_SMTP_URL: url })).toThrow('ISOTHERM_MAIL_FROM');
  expect(() => mail('https://mail.example', 'alarms@example.com')).toThrow('ISOTHERM_SMTP_URL');
  for (const from of ['alarms', 'a@b@c', 'a@example.com\r\nBcc: b@example.com'])
    expect(() => mail(url, from)).toThrow('ISOTHERM_MAIL_FROM: an address as');
  expect(read({ ISOTHERM_PUBLIC_URL: 'https://console.example/' }).publicUrl).toBe('https://console.example');
});

describe('ICE servers for browsers that reach WHEP cameras', () => {
  const SERVERS = 'stun:turn.example, turn:turn.example:3478?transport=udp,turns:[2001:db8::1]:5349';
  const ice = (ISOTHERM_ICE_SERVERS: string, more = {}) => read({ ISOTHERM_ICE_SERVERS, ...more }).ice;
  const fixed = { ISOTHERM_TURN_USERNAME: 'isotherm', ISOTHERM_TURN_PASSWORD: 'correct horse' };

  test('there are no ICE servers by default, and STUN needs no login', () => {
    expect(read({}).ice).toEqual({ urls: [], login: null });
    expect(ice('stun:turn.example').login).toBeNull();
  });

  test('TURN is configured with either a shared secret or one login for all users', () => {
    const urls = ['stun:turn.example', 'turn:turn.example:3478?transport=udp', 'turns:[2001:db8::1]:5349'];
    expect(ice(SERVERS, { ISOTHERM_TURN_SECRET: 'north' })).toEqual({ urls, login: { secret: 'north' } });
    const login = { username: 'isotherm', password: 'correct horse' };
    expect(ice(SERVERS, fixed)).toEqual({ urls, login });
  });

  test.each<[string, string, Record<string, string>]>([
    ['ISOTHERM_ICE_SERVERS: TURN needs', SERVERS, {}],
    ['ISOTHERM_ICE_SERVERS: addresses', 'https://turn.example', {}],
    ['ISOTHERM_ICE_SERVERS: addresses', 'turn:isotherm:horse@turn.example', fixed],
    ['ISOTHERM_ICE_SERVERS: addresses', 'stun:turn.example?transport=udp', {}],
    ['ISOTHERM_TURN_SECRET: stands instead', SERVERS, { ...fixed, ISOTHERM_TURN_SECRET: 'north' }],
    [
      'ISOTHERM_TURN_USERNAME: must be set together with',
      SERVERS,
      { ISOTHERM_TURN_PASSWORD: 'correct horse' },
    ],
  ])(
    'settings that begin with "%s …" are refused, and the message contains no password',
    (sentence, servers, more) => {
      let said = '';
      try {
        ice(servers, more);
      } catch (error) {
        said = (error as Error).message;
      }
      expect(said).toContain(sentence);
      expect(said).not.toMatch(/horse|north/);
    },
  );
});

test('a program is found on the PATH or at its configured path, or is reported as absent', () => {
  const [folder, name] = [process.execPath.replace(/\/[^/]+$/, ''), process.execPath.replace(/.*\//, '')];
  const found = (more: Record<string, string>) => read(more).ffmpeg;
  expect(found({ ISOTHERM_FFMPEG: name, PATH: `/nowhere:${folder}` })).toBe(process.execPath);
  expect(found({ ISOTHERM_FFMPEG: process.execPath })).toBe(process.execPath);
  expect(found({ PATH: '/nowhere' })).toBeNull();
});

test('nightly backups go to the data folder unless another folder is named, and may be switched off', () => {
  const data = { ISOTHERM_DATA: '/var/lib/isotherm' };
  expect(read(data).backup).toEqual({ folder: '/var/lib/isotherm/backups', keep: 7 });
  expect(read({ ...data, ISOTHERM_BACKUP_FOLDER: '/mnt/copies', ISOTHERM_BACKUP_KEEP: '30' }).backup).toEqual(
    {
      folder: '/mnt/copies',
      keep: 30,
    },
  );
  expect(read({ ...data, ISOTHERM_BACKUP_KEEP: '0' }).backup).toBeNull();
  expect(read({}).backup).toBeNull();
});
