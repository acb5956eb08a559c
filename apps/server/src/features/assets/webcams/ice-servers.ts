import { createHmac } from 'node:crypto';
import type { IceServer } from '@isotherm/contracts/webcams';
import { gatewayPath } from '@isotherm/domain/assets/webcam';

/**
 * Longer than a live view lasts. After this time, a user who lost access can no longer use the TURN relay.
 */
const CREDENTIAL_FOR_S = 4 * 3_600;

/** Settings of the ICE servers for WHEP cameras, as the operator configured them. */
export interface IceSettings {
  /** URLs with `stun:`, `stuns:`, `turn:` or `turns:` (RFC 7064, RFC 7065). */
  urls: readonly string[];
  /** TURN login: a secret from which expiring passwords are derived, or one login for all users. */
  login: { secret: string } | { username: string; password: string } | null;
}

/**
 * Returns the ICE servers that a browser gets for a live view of one camera. The user name of a derived TURN
 * password contains only the camera's number.
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
  // Implements the REST API of TURN servers (draft-uberti-behave-turn-rest), as coturn does with
  // `use-auth-secret`.
  const username = `${Math.floor(now / 1_000) + CREDENTIAL_FOR_S}:${gatewayPath(webcamId)}`;
  return { username, credential: createHmac('sha1', login.secret).update(username).digest('base64') };
}
