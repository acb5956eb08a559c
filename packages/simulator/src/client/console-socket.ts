import { createSocketTicket } from '@isotherm/contracts/identity';
import { type ServerMessage, SOCKET_PATH } from '@isotherm/contracts/realtime';
import { WebSocket } from 'undici';
import type { ApiClient } from './api-client.ts';

/** A console's WebSocket connection, with the messages from the server. */
export interface ConsoleSocket {
  /** All messages received so far, in order. */
  readonly messages: readonly ServerMessage[];
  /** Returns whether the connection is open. */
  isOpen(): boolean;
  close(): void;
}

/** Connects like the console. Resolves with the first heartbeat; after it, no message is missed. */
export async function openConsoleSocket(client: ApiClient, language = 'en'): Promise<ConsoleSocket> {
  const { ticket } = await client.call(createSocketTicket);
  const query = new URLSearchParams({ username: client.username, ticket, language });
  const socket = new WebSocket(`${client.server.replace(/^http/, 'ws')}${SOCKET_PATH}?${query}`);
  const messages: ServerMessage[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => {
      messages.push(JSON.parse(String(data)) as ServerMessage);
      resolve();
    });
    socket.addEventListener('error', ({ message }) => reject(new Error(message)));
    socket.addEventListener('close', ({ reason }) => reject(new Error(`socket closed: ${reason}`)));
  });
  return {
    messages,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.close(),
  };
}
