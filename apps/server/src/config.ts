import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ASSET_FILE_MAX_BYTES } from '@isotherm/contracts/fields';
import { ENVIRONMENTS } from '@isotherm/contracts/settings';
import { DATUMS, type Datum } from '@isotherm/domain/geo/geo';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const ROLES = ['web', 'ingest', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const flag = z.enum(['0', '1']).transform((text) => text === '1');
const port = z.coerce.number().int().min(0).max(65_535);

/** STUN and TURN URIs by RFC 7064 and RFC 7065; they cannot contain a login. */
const ICE_SERVER = /^(stuns?:[^\s,@/?#]+|turns?:[^\s,@/?#]+(\?transport=(udp|tcp))?)$/;
const PROXY_NETWORK = /^(loopback|linklocal|uniquelocal|[0-9a-f:.]+(\/\d{1,3})?)$/i;

function isBrokerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['mqtt:', 'mqtts:'].includes(url.protocol) && url.hostname !== '';
}

/** Topic filter for the events of ChirpStack 4, of all applications or one, with or without a prefix. */
const CHIRPSTACK_FILTER = /^([^+#$]+\/)?application\/([^/+#]+|\+)\/device\/\+\/event\/\+$/;

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** A style of a map: an HTTP address, in which `{language}` may stand. */
function isStyleUrl(text: string): boolean {
  const url = originOf(text);
  return url !== null && /^https?:/.test(url);
}

/** The origin of an address; null if it is none, or stands for several. */
function originOf(text: string): string | null {
  const url = text.replaceAll('{language}', 'en');
  const origin = URL.canParse(url) ? new URL(url).origin : '*';
  return origin.includes('*') ? null : origin;
}

function origins(text: string, context: z.RefinementCtx): string[] {
  const listed = listOf(text);
  if (listed.every((each) => /^https?:/.test(each) && originOf(each) === each)) return listed;
  context.addIssue({
    code: 'custom',
    message: 'origins with commas between, as https://tiles.example,https://fonts.example:8443',
  });
  return z.NEVER;
}

function networks(text: string, context: z.RefinementCtx): string[] {
  const listed = listOf(text);
  if (listed.every((each) => isIP(each) !== 0 || ipaddr.isValidCIDR(each))) return listed;
  context.addIssue({
    code: 'custom',
    message: 'addresses or networks with commas between, as 192.168.1.0/24',
  });
  return z.NEVER;
}

function iceServers(text: string, context: z.RefinementCtx): string[] {
  const listed = listOf(text);
  if (listed.every((each) => ICE_SERVER.test(each))) return listed;
  context.addIssue({
    code: 'custom',
    message: 'addresses with commas between, as stun:turn.example,turn:turn.example:3478?transport=udp',
  });
  return z.NEVER;
}

/**
 * Refuses the setting for demo cameras on this machine outside the demo. In the demo it is acceptable,
 * because the demo accounts are public anyway.
 */
function checkDemo(
  { ISOTHERM_DEMO: demo, ISOTHERM_DEMO_CAMERAS: cameras }: DemoSettings,
  context: z.RefinementCtx,
): void {
  if (cameras === undefined || demo) return;
  const message = 'is for the demo only; allow cameras with ISOTHERM_OUTGOING_ALLOW';
  context.addIssue({ code: 'custom', path: ['ISOTHERM_DEMO_CAMERAS'], message });
}

/**
 * TURN requires a login: exactly one of the two ways to configure it (a shared secret, or user name and
 * password) must be used.
 */
function checkTurn(
  { ISOTHERM_ICE_SERVERS: urls, ISOTHERM_TURN_SECRET: secret, ...login }: TurnSettings,
  context: z.RefinementCtx,
): void {
  const { ISOTHERM_TURN_USERNAME: username, ISOTHERM_TURN_PASSWORD: password } = login;
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if ((username === undefined) !== (password === undefined))
    refuse('ISOTHERM_TURN_USERNAME', 'must be set together with ISOTHERM_TURN_PASSWORD');
  else if (secret !== undefined && username !== undefined)
    refuse('ISOTHERM_TURN_SECRET', 'stands instead of ISOTHERM_TURN_USERNAME, not beside it');
  else if (secret === undefined && username === undefined && urls.some((url) => url.startsWith('turn')))
    refuse(
      'ISOTHERM_ICE_SERVERS',
      'TURN needs ISOTHERM_TURN_SECRET, or ISOTHERM_TURN_USERNAME and its password',
    );
}

function checkTls(
  { ISOTHERM_TLS_CERT: cert, ISOTHERM_TLS_KEY: key }: TlsSettings,
  context: z.RefinementCtx,
): void {
  if ((cert === undefined) === (key === undefined)) return;
  context.addIssue({
    code: 'custom',
    path: [cert === undefined ? 'ISOTHERM_TLS_KEY' : 'ISOTHERM_TLS_CERT'],
    message: 'ISOTHERM_TLS_CERT and ISOTHERM_TLS_KEY must be set together',
  });
}

function checkBroker(
  {
    ISOTHERM_MQTT_BROKER_URL: url,
    ISOTHERM_MQTT_CHIRPSTACK_TOPIC: topic,
  }: { ISOTHERM_MQTT_BROKER_URL?: string | undefined; ISOTHERM_MQTT_CHIRPSTACK_TOPIC?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (topic === undefined || url !== undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['ISOTHERM_MQTT_CHIRPSTACK_TOPIC'],
    message: 'ISOTHERM_MQTT_BROKER_URL, the broker that ChirpStack publishes to, must be set too',
  });
}

function checkMail(
  {
    ISOTHERM_SMTP_URL: url,
    ISOTHERM_MAIL_FROM: from,
    ISOTHERM_DKIM_SELECTOR: selector,
    ISOTHERM_DKIM_KEY: key,
    ISOTHERM_BOUNCE_DOMAIN: bounceDomain,
    ISOTHERM_BOUNCE_PORT: bouncePort,
  }: MailSettings,
  context: z.RefinementCtx,
): void {
  const refuse = (setting: string, message: string) =>
    context.addIssue({ code: 'custom', path: [setting], message });
  if ((url === undefined) !== (from === undefined))
    refuse(
      'ISOTHERM_MAIL_FROM',
      'ISOTHERM_SMTP_URL, the mail server, and ISOTHERM_MAIL_FROM, the sender, must be set together',
    );
  if ((selector === undefined) !== (key === undefined))
    refuse('ISOTHERM_DKIM_KEY', 'ISOTHERM_DKIM_SELECTOR and ISOTHERM_DKIM_KEY must be set together');
  if (selector !== undefined && url === undefined)
    refuse('ISOTHERM_DKIM_SELECTOR', 'DKIM signs e-mails: ISOTHERM_SMTP_URL must be set, too');
  if (bounceDomain !== undefined && url === undefined)
    refuse('ISOTHERM_BOUNCE_DOMAIN', 'Bounces are reports about e-mails: ISOTHERM_SMTP_URL must be set, too');
  if (bouncePort !== undefined && bounceDomain === undefined)
    refuse(
      'ISOTHERM_BOUNCE_PORT',
      'ISOTHERM_BOUNCE_DOMAIN, the domain of bounce addresses, must be set, too',
    );
}

interface MapSettings {
  ISOTHERM_MAP_STYLE_URL?: string | undefined;
  ISOTHERM_MAP_DARK_STYLE_URL?: string | undefined;
  ISOTHERM_MAP_ORIGINS: string[];
  ISOTHERM_MAP_DATUM: Datum;
}

function checkMap(
  {
    ISOTHERM_MAP_STYLE_URL: style,
    ISOTHERM_MAP_DARK_STYLE_URL: dark,
    ISOTHERM_MAP_ORIGINS: others,
    ISOTHERM_MAP_DATUM: datum,
  }: MapSettings,
  context: z.RefinementCtx,
): void {
  if (style !== undefined || (dark === undefined && others.length === 0 && datum === 'wgs84')) return;
  const message = 'must be set, too: the dark style, the origins and the datum are those of a configured map';
  context.addIssue({ code: 'custom', path: ['ISOTHERM_MAP_STYLE_URL'], message });
}

function baseMapOf({
  ISOTHERM_MAP_STYLE_URL: styleUrl,
  ISOTHERM_MAP_DARK_STYLE_URL: dark,
  ISOTHERM_MAP_ORIGINS: others,
  ISOTHERM_MAP_DATUM: datum,
}: MapSettings): Pick<Config, 'baseMap' | 'mapOrigins'> {
  if (styleUrl === undefined) return { baseMap: null, mapOrigins: [] };
  const named = [styleUrl, dark ?? styleUrl].map(originOf).filter((each) => each !== null);
  return {
    baseMap: { styleUrl, darkStyleUrl: dark ?? null, datum },
    mapOrigins: [...new Set([...named, ...others])],
  };
}

interface MailSettings {
  ISOTHERM_SMTP_URL?: string | undefined;
  ISOTHERM_MAIL_FROM?: string | undefined;
  ISOTHERM_DKIM_SELECTOR?: string | undefined;
  ISOTHERM_DKIM_KEY?: string | undefined;
  ISOTHERM_BOUNCE_DOMAIN?: string | undefined;
  ISOTHERM_BOUNCE_PORT?: number | undefined;
}

function mailOf({
  ISOTHERM_SMTP_URL: url,
  ISOTHERM_MAIL_FROM: from,
  ISOTHERM_DKIM_SELECTOR: selector,
  ISOTHERM_DKIM_KEY: keyFile,
  ISOTHERM_BOUNCE_DOMAIN: bounceDomain,
  ISOTHERM_BOUNCE_PORT: bouncePort,
}: MailSettings): Config['mail'] {
  if (url === undefined || from === undefined) return null;
  const dkim = selector !== undefined && keyFile !== undefined ? { selector, keyFile } : null;
  const bounces = bounceDomain === undefined ? null : { domain: bounceDomain, port: bouncePort ?? null };
  return { url, from, dkim, bounces };
}

function tlsOf({ ISOTHERM_TLS_CERT: cert, ISOTHERM_TLS_KEY: key, ...ports }: TlsSettings): Config['tls'] {
  if (cert === undefined || key === undefined) return null;
  return { cert, key, httpsPort: ports.ISOTHERM_HTTPS_PORT, mqttsPort: ports.ISOTHERM_MQTTS_PORT };
}

interface TlsSettings {
  ISOTHERM_TLS_CERT?: string | undefined;
  ISOTHERM_TLS_KEY?: string | undefined;
  ISOTHERM_HTTPS_PORT: number;
  ISOTHERM_MQTTS_PORT: number;
}

interface DemoSettings {
  ISOTHERM_DEMO: boolean;
  ISOTHERM_DEMO_CAMERAS?: string | undefined;
}

interface TurnSettings {
  ISOTHERM_ICE_SERVERS: string[];
  ISOTHERM_TURN_SECRET?: string | undefined;
  ISOTHERM_TURN_USERNAME?: string | undefined;
  ISOTHERM_TURN_PASSWORD?: string | undefined;
}

/** The path of a program that may be run; null if there is no such program. */
function programAt(name: string, searched = ''): string | null {
  const candidates = name.includes('/')
    ? [name]
    : searched.split(delimiter).map((folder) => join(folder, name));
  return candidates.find((path) => existsSync(path)) ?? null;
}

/** Parses a number of proxies, or a list of their addresses and networks. */
function proxies(text: string, context: z.RefinementCtx): false | number | string[] {
  if (/^\d{1,2}$/.test(text)) return Number(text) === 0 ? false : Number(text);
  const networks = text.split(',').map((each) => each.trim());
  const isNetwork = (each: string) =>
    PROXY_NETWORK.test(each) && (!/[.:]/.test(each) || isIP(each.split('/')[0] as string) !== 0);
  if (!networks.every(isNetwork)) {
    context.addIssue({
      code: 'custom',
      message: 'a number of proxies, or their addresses with commas between',
    });
    return z.NEVER;
  }
  return networks;
}

const settings = z.object({
  DATABASE_URL: z.string().min(1),
  /**
   * Connection string of the login that owns the tables; if set, `DATABASE_URL` is the application's own
   * login (docs/operating.md).
   */
  DATABASE_OWNER_URL: z.string().min(1).optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  MQTT_PORT: port.default(1883),
  /** Port for gateway packets. */
  ISOTHERM_TCP_PORT: port.default(6018),
  /**
   * Host name that devices connect to, if it differs from the console's; shown to users who connect a
   * device.
   */
  ISOTHERM_DEVICE_HOST: z.string().min(1).max(253).optional(),
  /**
   * URL of an external MQTT 5 broker of the operator, in addition to the built-in one (docs/operating.md).
   */
  ISOTHERM_MQTT_BROKER_URL: z
    .string()
    .refine(isBrokerUrl, { error: 'an address as mqtts://user:password@broker.example:8883' })
    .optional(),
  /** Client id of this process at the external broker: unique, and the same after a restart. */
  ISOTHERM_MQTT_CLIENT_ID: z.string().min(1).max(64).optional(),
  /** Topic filter of ChirpStack's events at the external broker (docs/lorawan.md). */
  ISOTHERM_MQTT_CHIRPSTACK_TOPIC: z
    .string()
    .regex(CHIRPSTACK_FILTER, { error: 'a topic filter as application/+/device/+/event/+' })
    .optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_PRETTY: flag.default(false),
  /**
   * Secret of the installation, at least 32 characters. Session tokens and encryption keys derive from it:
   * losing it signs all users out.
   */
  ISOTHERM_SECRET: z.string().min(32),
  /** Salt of request signatures (decision 14). */
  ISOTHERM_SALT: z.string().min(1).default('isotherm'),
  ISOTHERM_ENVIRONMENT: z.enum(ENVIRONMENTS).default('production'),
  /**
   * Language picker (requirements §1): shown in development and sandbox, and where the operator of an
   * international installation enables it.
   */
  ISOTHERM_LANGUAGE_PICKER: flag.optional(),
  ISOTHERM_DEMO: flag.default(false),
  ISOTHERM_ROLE: z.string().default('web,ingest,worker'),
  /** Number of readings that may be queued for the database before senders are slowed down. */
  ISOTHERM_QUEUE_READINGS: z.coerce.number().int().min(1_000).default(200_000),
  /** A day of readings is sealed this many hours after its end (docs/telemetry.md). */
  ISOTHERM_SEAL_AFTER_HOURS: z.coerce.number().min(1).default(24),
  /**
   * Number of years after which readings are deleted, with an entry in the audit log (decision 10); 0 keeps
   * them for ever.
   */
  ISOTHERM_RETENTION_YEARS: z.coerce.number().int().min(0).max(100).default(5),
  /**
   * Data folder of the installation, set by the launcher; used only for the default of
   * `ISOTHERM_BACKUP_FOLDER`.
   */
  ISOTHERM_DATA: z.string().min(1).optional(),
  /**
   * Folder of nightly backups. The default is `backups` in the data folder; if no data folder is set either,
   * there are no backups.
   */
  ISOTHERM_BACKUP_FOLDER: z.string().min(1).optional(),
  /** Number of nightly backups that are kept; with 0 none are made (docs/backup.md). */
  ISOTHERM_BACKUP_KEEP: z.coerce.number().int().min(0).max(366).default(7),
  /**
   * Folder of reports and exports; with S3, of files that are being written. The default is `files` in the data folder,
   * or a folder for temporary files.
   */
  ISOTHERM_FILES_FOLDER: z.string().min(1).optional(),
  /** Address of an S3-compatible service that stores reports and exports: `https://s3.example.com` (docs/reports.md). */
  ISOTHERM_S3_URL: z.url({ protocol: /^https?$/ }).optional(),
  ISOTHERM_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'the name of a bucket as isotherm-files' })
    .optional(),
  ISOTHERM_S3_REGION: z.string().min(1).default('us-east-1'),
  ISOTHERM_S3_ACCESS_KEY: z.string().min(1).optional(),
  ISOTHERM_S3_SECRET_KEY: z.string().min(1).optional(),
  /**
   * Maximum number of connections of this process. The default is its limit of open files less a reserve for
   * the database and files.
   */
  ISOTHERM_MAX_CONNECTIONS: z.coerce.number().int().min(64).optional(),
  /** Trusted proxies for X-Forwarded-For: their number, or their addresses and networks. */
  ISOTHERM_TRUST_PROXY: z.string().default('0').transform(proxies),
  /**
   * Private networks in which users may enter servers, although other private addresses are refused:
   * `192.168.1.0/24,10.0.0.7` (decision 19).
   */
  ISOTHERM_OUTGOING_ALLOW: z.string().default('').transform(networks),
  /**
   * Origin of the cameras of the demo's simulated devices on this machine, set by the launcher; refused
   * without the demo.
   */
  ISOTHERM_DEMO_CAMERAS: z
    .string()
    .regex(/^http:\/\/127\.0\.0\.1:[1-9]\d{0,4}$/, { error: 'an origin as http://127.0.0.1:8090' })
    .optional(),
  /** The mail server for e-mails: `smtp://user:password@mail.example:587` or `smtps://…:465` (docs/operating.md). */
  ISOTHERM_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Sender of e-mails: `alarms@example.com` or `Isotherm <alarms@example.com>`. */
  ISOTHERM_MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]*<)?[^\s<>@]+@[^\s<>@]+>?$/, { error: 'an address as alarms@example.com' })
    .optional(),
  /** Selector of the DKIM key: its public part stands in the DNS at `<selector>._domainkey.<domain of the sender>`. */
  ISOTHERM_DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/i, { error: 'a selector as isotherm1' })
    .optional(),
  /** PEM file with the private key that signs e-mails (RSA). */
  ISOTHERM_DKIM_KEY: z.string().min(1).optional(),
  /** Domain of the addresses to which mail servers send reports about e-mails. Its MX record names this server. */
  ISOTHERM_BOUNCE_DOMAIN: z
    .string()
    .regex(/^(?=.{1,190}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i, { error: 'a domain as bounces.example.com' })
    .optional(),
  /** Port on which these reports are taken over SMTP; without it, this process takes none. */
  ISOTHERM_BOUNCE_PORT: port.optional(),
  /** Address of the console for links in e-mails. */
  ISOTHERM_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** URL of a routing service with the interface of OSRM, for the arrival of shipments (docs/waybills.md). */
  ISOTHERM_ROUTING_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** URL of a MapLibre style for the base map; `{language}` in it becomes the language of the reader (docs/maps.md). */
  ISOTHERM_MAP_STYLE_URL: z
    .string()
    .refine(isStyleUrl, { error: 'an address as https://maps.example/style.json' })
    .optional(),
  /** URL of the style in the dark theme; without it, the same. */
  ISOTHERM_MAP_DARK_STYLE_URL: z
    .string()
    .refine(isStyleUrl, { error: 'an address as https://maps.example/dark.json' })
    .optional(),
  /** Further origins that the style needs for tiles, fonts and images: `https://tiles.example`. */
  ISOTHERM_MAP_ORIGINS: z.string().default('').transform(origins),
  /** Datum of the base map (decision 29). */
  ISOTHERM_MAP_DATUM: z.enum(DATUMS).default('wgs84'),
  /** URL of the media gateway that serves RTSP cameras as HLS, compatible with MediaMTX (docs/webcams.md). */
  ISOTHERM_MEDIA_GATEWAY_URL: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * URL of the control API of the media gateway; without it, the paths of the gateway must be configured
   * manually.
   */
  ISOTHERM_MEDIA_GATEWAY_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** STUN and TURN servers by which browsers reach WHEP cameras: `stun:turn.example,turn:turn.example:3478`. */
  ISOTHERM_ICE_SERVERS: z.string().default('').transform(iceServers),
  /**
   * Secret shared with the TURN servers; time-limited passwords are derived from it (coturn:
   * `static-auth-secret`).
   */
  ISOTHERM_TURN_SECRET: z.string().min(1).optional(),
  /** User name of the TURN login that all users share, as an alternative to the shared secret. */
  ISOTHERM_TURN_USERNAME: z.string().min(1).optional(),
  ISOTHERM_TURN_PASSWORD: z.string().min(1).optional(),
  /** The program that takes snapshots of HLS and RTSP streams: a name on the PATH, or a file path. */
  ISOTHERM_FFMPEG: z.string().min(1).default('ffmpeg'),
  /** Largest size of an attachment of an announcement (requirements §5). */
  ISOTHERM_ANNOUNCEMENT_FILE_SIZE: z.enum(['200KB', '5MB']).default('5MB'),
  /** Number of days for which snapshots without an alarm are kept. */
  ISOTHERM_WEBCAM_SNAPSHOT_DAYS: z.coerce.number().int().min(1).max(3_650).default(30),
  /** Bearer token that is required to read `/metrics`. */
  ISOTHERM_METRICS_KEY: z.string().min(16).optional(),
  /**
   * PEM files: a certificate with its chain, and its key. If they are set, HTTPS and MQTTS are served
   * (docs/operating.md).
   */
  ISOTHERM_TLS_CERT: z.string().min(1).optional(),
  ISOTHERM_TLS_KEY: z.string().min(1).optional(),
  ISOTHERM_HTTPS_PORT: port.default(8443),
  ISOTHERM_MQTTS_PORT: port.default(8883),
  /** Listening address of HTTP and MQTT without TLS; used only if there is a certificate. */
  ISOTHERM_PLAIN_HOST: z.string().min(1).default('127.0.0.1'),
});

function firstExisting(...candidates: string[]): string {
  const paths = candidates.map((candidate) => fileURLToPath(new URL(candidate, import.meta.url)));
  return paths.find(existsSync) ?? (paths[0] as string);
}

/** An S3-compatible service that stores files. */
interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

export interface Config {
  databaseUrl: string;
  ownerUrl: string | null;
  host: string;
  port: number;
  mqttPort: number;
  tcpPort: number;
  deviceHost: string | null;
  broker: { url: string; clientId: string; chirpstackTopic: string | null } | null;
  logLevel: string;
  logPretty: boolean;
  secret: string;
  salt: string;
  environment: (typeof ENVIRONMENTS)[number];
  languagePicker: boolean;
  demo: boolean;
  roles: ReadonlySet<Role>;
  queueReadings: number;
  sealAfterMs: number;
  retentionYears: number;
  /** Settings of nightly backups; null if none are made. */
  backup: { folder: string; keep: number } | null;
  /** Storage of reports and exports: a folder, or an S3-compatible service. */
  files: { folder: string; s3: S3Settings | null };
  /** Null means the process's limit of open files, less a reserve. */
  maxConnections: number | null;
  trustProxy: false | number | string[];
  metricsKey: string | null;
  outgoingAllow: string[];
  demoCameras: string | null;
  /** Settings of the mail server; null if no e-mail is sent. */
  mail: {
    url: string;
    from: string;
    dkim: { selector: string; keyFile: string } | null;
    /** Addresses for reports about e-mails; the port is null if this process takes none. */
    bounces: { domain: string; port: number | null } | null;
  } | null;
  publicUrl: string | null;
  routingUrl: string | null;
  /** The configured base map; null: the built-in one. */
  baseMap: { styleUrl: string; darkStyleUrl: string | null; datum: Datum } | null;
  /** Origins from which browsers may load the base map. */
  mapOrigins: string[];
  mediaGateway: { url: string | null; apiUrl: string | null };
  ice: { urls: string[]; login: { secret: string } | { username: string; password: string } | null };
  ffmpeg: string | null;
  announcementFileBytes: number;
  webcamSnapshotDays: number;
  tls: { cert: string; key: string; httpsPort: number; mqttsPort: number } | null;
  /** Listening address of HTTP and MQTT without TLS. */
  plainHost: string;
  migrationsDir: string;
  webRoot: string;
}

/**
 * Reads the environment and `--role=`; no other module does. Throws an error with one sentence per invalid
 * setting.
 */
export function readConfig(environment: NodeJS.ProcessEnv, argv: readonly string[]): Config {
  const parsed = settings
    .superRefine(checkDemo)
    .superRefine(checkTurn)
    .superRefine(checkTls)
    .superRefine(checkBroker)
    .superRefine(checkMail)
    .superRefine(checkMap)
    .superRefine(checkS3)
    .safeParse(environment);
  if (!parsed.success)
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
    );
  const { values } = parseArgs({ args: [...argv], options: { role: { type: 'string' } } });
  const roles = (values.role ?? parsed.data.ISOTHERM_ROLE).split(',').map((text) => text.trim());
  for (const role of roles)
    if (!ROLES.includes(role as Role)) throw new Error(`--role: ${role} is not one of ${ROLES.join(', ')}`);
  const s = parsed.data;
  return {
    databaseUrl: s.DATABASE_URL,
    ownerUrl: s.DATABASE_OWNER_URL ?? null,
    host: s.HOST,
    port: s.PORT,
    mqttPort: s.MQTT_PORT,
    tcpPort: s.ISOTHERM_TCP_PORT,
    deviceHost: s.ISOTHERM_DEVICE_HOST ?? null,
    broker: s.ISOTHERM_MQTT_BROKER_URL
      ? {
          url: s.ISOTHERM_MQTT_BROKER_URL,
          // The port makes the client id unique: no two processes of a machine listen on the same one.
          clientId: s.ISOTHERM_MQTT_CLIENT_ID ?? `isotherm-${hostname()}-${s.PORT}`,
          chirpstackTopic: s.ISOTHERM_MQTT_CHIRPSTACK_TOPIC ?? null,
        }
      : null,
    logLevel: s.LOG_LEVEL,
    logPretty: s.LOG_PRETTY,
    secret: s.ISOTHERM_SECRET,
    salt: s.ISOTHERM_SALT,
    environment: s.ISOTHERM_ENVIRONMENT,
    languagePicker:
      s.ISOTHERM_LANGUAGE_PICKER ??
      (s.ISOTHERM_ENVIRONMENT === 'development' || s.ISOTHERM_ENVIRONMENT === 'sandbox'),
    demo: s.ISOTHERM_DEMO,
    roles: new Set(roles as Role[]),
    queueReadings: s.ISOTHERM_QUEUE_READINGS,
    sealAfterMs: s.ISOTHERM_SEAL_AFTER_HOURS * 3_600_000,
    retentionYears: s.ISOTHERM_RETENTION_YEARS,
    backup: backupOf(s),
    files: {
      folder: s.ISOTHERM_FILES_FOLDER ?? join(s.ISOTHERM_DATA ?? join(tmpdir(), 'isotherm'), 'files'),
      s3: s3Of(s),
    },
    maxConnections: s.ISOTHERM_MAX_CONNECTIONS ?? null,
    trustProxy: s.ISOTHERM_TRUST_PROXY,
    metricsKey: s.ISOTHERM_METRICS_KEY ?? null,
    outgoingAllow: s.ISOTHERM_OUTGOING_ALLOW,
    demoCameras: s.ISOTHERM_DEMO_CAMERAS ?? null,
    mail: mailOf(s),
    publicUrl: s.ISOTHERM_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    routingUrl: s.ISOTHERM_ROUTING_URL ?? null,
    ...baseMapOf(s),
    mediaGateway: {
      url: s.ISOTHERM_MEDIA_GATEWAY_URL ?? null,
      apiUrl: s.ISOTHERM_MEDIA_GATEWAY_API_URL ?? null,
    },
    ice: { urls: s.ISOTHERM_ICE_SERVERS, login: turnLogin(s) },
    ffmpeg: programAt(s.ISOTHERM_FFMPEG, environment.PATH),
    announcementFileBytes: s.ISOTHERM_ANNOUNCEMENT_FILE_SIZE === '5MB' ? ASSET_FILE_MAX_BYTES : 200 * 1024,
    webcamSnapshotDays: s.ISOTHERM_WEBCAM_SNAPSHOT_DAYS,
    tls: tlsOf(s),
    plainHost: tlsOf(s) ? s.ISOTHERM_PLAIN_HOST : s.HOST,
    // The folder is next to this file in the built program, and one level up in the sources.
    migrationsDir: firstExisting('./migrations', '../migrations'),
    webRoot: firstExisting('./web', '../../../dist/web'),
  };
}

interface BackupSettings {
  ISOTHERM_DATA?: string | undefined;
  ISOTHERM_BACKUP_FOLDER?: string | undefined;
  ISOTHERM_BACKUP_KEEP: number;
}

function backupOf({
  ISOTHERM_DATA: data,
  ISOTHERM_BACKUP_FOLDER: named,
  ISOTHERM_BACKUP_KEEP: keep,
}: BackupSettings): Config['backup'] {
  const folder = named ?? (data && join(data, 'backups'));
  return folder && keep > 0 ? { folder, keep } : null;
}

interface S3Parts {
  ISOTHERM_S3_URL?: string | undefined;
  ISOTHERM_S3_BUCKET?: string | undefined;
  ISOTHERM_S3_REGION: string;
  ISOTHERM_S3_ACCESS_KEY?: string | undefined;
  ISOTHERM_S3_SECRET_KEY?: string | undefined;
}

function checkS3(
  {
    ISOTHERM_S3_URL: url,
    ISOTHERM_S3_BUCKET: bucket,
    ISOTHERM_S3_ACCESS_KEY: key,
    ISOTHERM_S3_SECRET_KEY: secret,
  }: S3Parts,
  context: z.RefinementCtx,
): void {
  const given = [url, bucket, key, secret].filter((each) => each !== undefined).length;
  if (given === 0 || given === 4) return;
  context.addIssue({
    code: 'custom',
    path: ['ISOTHERM_S3_URL'],
    message:
      'ISOTHERM_S3_URL, ISOTHERM_S3_BUCKET, ISOTHERM_S3_ACCESS_KEY and ISOTHERM_S3_SECRET_KEY must be set together',
  });
}

function s3Of({
  ISOTHERM_S3_URL: url,
  ISOTHERM_S3_BUCKET: bucket,
  ISOTHERM_S3_REGION: region,
  ISOTHERM_S3_ACCESS_KEY: accessKey,
  ISOTHERM_S3_SECRET_KEY: secretKey,
}: S3Parts): S3Settings | null {
  if (!url || !bucket || !accessKey || !secretKey) return null;
  return { endpoint: url.replace(/\/+$/, ''), bucket, region, accessKey, secretKey };
}

function turnLogin({
  ISOTHERM_TURN_SECRET: secret,
  ISOTHERM_TURN_USERNAME: username,
  ISOTHERM_TURN_PASSWORD: password,
}: TurnSettings): Config['ice']['login'] {
  if (secret !== undefined) return { secret };
  return username !== undefined && password !== undefined ? { username, password } : null;
}
