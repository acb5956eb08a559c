import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A template message that WeChat has accepted. */
export interface WechatSent {
  touser: string;
  template_id: string;
  url?: string;
  client_msg_id: string;
  data: Record<string, { value: string }>;
}

/**
 * The API of an official account: stable access tokens, template messages that are sent once for each `client_msg_id`, and QR
 * codes. Only followers can get messages, and only templates that exist.
 */
export async function startWechatService({ appId, secret }: { appId: string; secret: string }) {
  const followers = new Set<string>();
  const templates = new Set<string>(['tpl-zh', 'tpl-en']);
  const sent: WechatSent[] = [];
  const scenes: string[] = [];
  const state = {
    token: 'none',
    /** Number of tokens that were given out. */
    tokens: 0,
    /** Response to further messages instead of the real one; `hang` never answers. */
    answer: null as null | { errcode: number; errmsg?: string } | string | 'hang',
    expiresIn: 7200,
  };
  const ids = new Set<string>();

  function respond(path: string, query: URLSearchParams, body: Record<string, unknown>): unknown {
    if (path === '/cgi-bin/stable_token') {
      if (body.appid !== appId) return { errcode: 40013, errmsg: 'invalid appid' };
      if (body.secret !== secret) return { errcode: 40125, errmsg: 'invalid appsecret' };
      if (state.token === 'none' || body.force_refresh === true) {
        state.token = randomBytes(12).toString('hex');
        state.tokens += 1;
      }
      return { access_token: state.token, expires_in: state.expiresIn };
    }
    if (query.get('access_token') !== state.token)
      return { errcode: 40001, errmsg: 'invalid credential, access_token is invalid or not latest' };
    if (path === '/cgi-bin/qrcode/create') {
      const scene = (body as { action_info: { scene: { scene_str: string } } }).action_info.scene.scene_str;
      if (scene.length > 64) return { errcode: 40053 };
      scenes.push(scene);
      return {
        ticket: 'ticket',
        expire_seconds: body.expire_seconds,
        url: `http://weixin.qq.com/q/${scene}`,
      };
    }
    if (path !== '/cgi-bin/message/template/send') return { errcode: 404 };
    const message = body as unknown as WechatSent;
    if (state.answer !== null && typeof state.answer === 'object') return state.answer;
    if (!templates.has(message.template_id)) return { errcode: 40037, errmsg: 'invalid template_id' };
    if (!followers.has(message.touser)) return { errcode: 43004, errmsg: 'require subscribe' };
    if (!ids.has(message.client_msg_id)) sent.push(message);
    ids.add(message.client_msg_id);
    return { errcode: 0, errmsg: 'ok', msgid: sent.length };
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local');
      const answer = respond(pathname, searchParams, JSON.parse(Buffer.concat(pieces).toString('utf8')));
      const isMessage = pathname.endsWith('/template/send');
      if (isMessage && state.answer === 'hang') return void response.destroy();
      if (isMessage && typeof state.answer === 'string') return void response.end(state.answer);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    followers,
    sent,
    scenes,
    state,
    stop: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}
