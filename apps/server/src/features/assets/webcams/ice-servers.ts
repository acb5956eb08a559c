import { createHmac } from 'node:crypto';
import type { IceServer } from '@isotherm/contracts/webcams';
import { gatewayPath } from '@isotherm/domain/assets/webcam';

/** Longer than somebody looks; who may look no longer relays nothing after it. */
const CREDENTIAL_FOR_S = 4 * 3_600;

/** Servers by which browsers reach WHEP cameras, in the operator's configuration. */
export interface IceSettings {
  /** `stun:`, `stuns:`, `turn:` and `turns:` (RFC 7064, RFC 7065). */
  urls: readonly string[];
  /** What TURN asks for: a secret shared with it, of which passwords are made that end, or a login for all. */
  login: { secret: string } | { username: string; password: string } | null;
}

/** What a browser is told of them for a look at one camera. A TURN server that shares a secret names the camera only. */
export function iceServersFor({ urls, login }: IceSettings, webcamId: number, now: number): IceServer[] {
  const relays = urls.filter((url) => /^turns?:/.test(url));
  const others = urls.filter((url) => !relays.includes(url));
  return [
    ...(others.length > 0 ? [{ urls: others }] : []),
    ...(relays.length > 0 && login !== null ? [{ urls: relays, ...credentialOf(login, webcamId, now) }] : []),
  ];
}

function credentialOf(
  login: NonNullable<IceSettings['login']>,
  webcamId: number,
  now: number,
): { username: string; credential: string } {
  if ('password' in login) return { username: login.username, credential: login.password };
  // The REST API of TURN servers (draft-uberti-behave-turn-rest), as coturn has it with `use-auth-secret`.
  const username = `${Math.floor(now / 1_000) + CREDENTIAL_FOR_S}:${gatewayPath(webcamId)}`;
  return { username, credential: createHmac('sha1', login.secret).update(username).digest('base64') };
}
