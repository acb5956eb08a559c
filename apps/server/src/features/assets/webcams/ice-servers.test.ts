import { describe, expect, it } from 'vitest';
import { iceServersFor } from './ice-servers.ts';

const NOW = Date.UTC(2026, 10, 20, 8);
const URLS = ['stun:turn.example', 'turn:turn.example:3478?transport=udp', 'turns:turn.example:5349'];
const [STUN, ...TURN] = URLS as [string, ...string[]];

describe('ICE servers for a browser', () => {
  it('a browser gets no ICE servers if none are configured', () => {
    expect(iceServersFor({ urls: [], login: null }, 7, NOW)).toEqual([]);
  });

  it('a browser gets STUN servers without a login', () => {
    expect(iceServersFor({ urls: [STUN], login: null }, 7, NOW)).toEqual([{ urls: [STUN] }]);
  });

  it('a browser gets TURN servers with the shared login, and STUN servers without it', () => {
    const login = { username: 'isotherm', password: 'correct horse' };
    expect(iceServersFor({ urls: URLS, login }, 7, NOW)).toEqual([
      { urls: [STUN] },
      { urls: TURN, username: 'isotherm', credential: 'correct horse' },
    ]);
  });

  it('a browser gets TURN servers with an expiring password that is derived from the shared secret', () => {
    const [server] = iceServersFor({ urls: TURN, login: { secret: 'north' } }, 7, NOW);
    // The expected password was computed with: `printf 1795176000:webcam-7 | openssl dgst -sha1 -hmac north
    // -binary | base64`
    expect(server).toEqual({
      urls: TURN,
      username: '1795176000:webcam-7',
      credential: '+tjtfv6GVGRtM8xdyg90QWkC1Jg=',
    });
  });
});
