import { createSocketTicket } from '@isotherm/contracts/identity';
import { type ServerMessage, SOCKET_PATH, serverMessage } from '@isotherm/contracts/realtime';
import { WebSocket } from 'ws';
import type { Stage } from './stage.ts';

/** Opens the WebSocket of a console. Resolves with a function that closes it. */
export async function openConsole(
  { client, url }: Stage,
  onMessage: (message: ServerMessage) => void,
): Promise<() => void> {
  const { ticket } = await client.call(createSocketTicket, { body: {} });
  const query = new URLSearchParams({ username: client.username, ticket });
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${SOCKET_PATH}?${query}`);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('message', (data) => onMessage(serverMessage.parse(JSON.parse(String(data)))));
  return () => socket.terminate();
}
