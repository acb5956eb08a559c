import { createHmac } from 'node:crypto';
import type { IceServer } from '@isotherm/contracts/webcams';
import { gatewayPath } from '@isotherm/domain/assets/webcam';

/** Longer than a live view lasts; after that, a user who lost access can relay nothing. */
const CREDENTIAL_FOR_S = 4 * 3_600;

/** ICE servers for WHEP cameras, as the operator configured them. */
export interface IceSettings {
  /** `stun:`, `stuns:`, `turn:` and `turns:` (RFC 7064, RFC 7065). */
  urls: readonly string[];
  /** TURN login: a secret that expiring passwords are derived from, or one login for all. */
  login: { secret: string } | { username: string; password: string } | null;
}

/**
 * The ICE servers that a browser gets for a live view of one camera. The user name of a derived TURN password
 * contains only the camera's number.
 */
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
