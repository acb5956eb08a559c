import { createSocketTicket } from '@isotherm/contracts/identity';
import {
  type ClientMessage,
  RECONNECT_ATTEMPTS,
  RECONNECT_EVERY_MS,
  type ServerMessage,
  SOCKET_PATH,
  serverMessage,
  TOO_MANY_SOCKETS,
} from '@isotherm/contracts/realtime';
import { useEffect, useState } from 'react';
import { create } from 'zustand';
import { call } from '../api/client.ts';
import { learnServerTime, serverNow } from '../api/clock.ts';
import { readSession } from '../api/session.ts';
import { currentLanguage } from '../i18n/language.ts';

/**
 * The server sends a heartbeat every 5 s. After three missed ones, the data on the screen may be out of
 * date.
 */
const PULSE_LOST_AFTER_MS = 15_000;
/** Interval at which waiting messages are resent (requirements §7). */
const RESEND_EVERY_MS = 1000;

export interface Connection {
  /** `given-up`: all attempts were used, and the user must start new ones (decision 16). */
  status: 'connecting' | 'open' | 'closed' | 'given-up';
  attempts: number;
  /** Since when the data on the screen is out of date, and why; null if it is current. */
  stale: { since: number; reason: 'socket' | 'database' | 'tabs' } | null;
  /** Server time up to which every message has certainly been received. */
  heardUntil: number;
}

export const useConnection = create<Connection>(() => ({
  status: 'connecting',
  attempts: 0,
  stale: null,
  heardUntil: serverNow(),
}));

/** Time for the first connection attempt, before a new page shows that the connection is lost. */
const FIRST_ATTEMPT_MS = 5000;

/** Returns the state of the connection. It is `lost` only after an attempt failed or takes too long. */
export function useLink(): 'live' | 'connecting' | 'lost' {
  const link = useConnection(({ status, stale }) => {
    if (stale !== null) return 'lost';
    if (status === 'open') return 'live';
    return status === 'connecting' ? 'connecting' : 'lost';
  });
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (link !== 'connecting') return;
    const timer = setTimeout(() => setLate(true), FIRST_ATTEMPT_MS);
    return () => clearTimeout(timer);
  }, [link]);
  return link === 'connecting' && late ? 'lost' : link;
}

type Listener = (message: ServerMessage) => void;
/** Called at each connection, with the server time up to which messages had been received before. */
type ConnectListener = (missedSince: number) => void;

const listeners = new Set<Listener>();
const connectListeners = new Set<ConnectListener>();
/**
 * One waiting message per type. A later message replaces an earlier one of the same type (contract
 * `clientMessage`).
 */
const waiting = new Map<ClientMessage['type'], ClientMessage>();
const lastSaid = new Map<ClientMessage['type'], ClientMessage>();

let socket: WebSocket | null = null;
let running = false;
let timers: ReturnType<typeof setTimeout>[] = [];
let resendTimer: ReturnType<typeof setInterval> | undefined;
let pulseTimer: ReturnType<typeof setInterval> | undefined;
let lastHeard = 0;

export function onServerMessage(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function onConnect(listener: ConnectListener): () => void {
  connectListeners.add(listener);
  return () => connectListeners.delete(listener);
}

/** Sends a message now, or as soon as the connection is established. */
export function say(message: ClientMessage): void {
  lastSaid.set(message.type, message);
  waiting.set(message.type, message);
  flush();
}

export function startSocket(): () => void {
  if (running) return stopSocket;
  running = true;
  resendTimer = setInterval(flush, RESEND_EVERY_MS);
  pulseTimer = setInterval(watchPulse, 1000);
  void connect();
  return stopSocket;
}

/** Reconnects immediately, even after all attempts were used. */
export function reconnectNow(): void {
  clearTimers();
  useConnection.setState({ attempts: 0 });
  void connect();
}

function stopSocket(): void {
  running = false;
  clearTimers();
  clearInterval(resendTimer);
  clearInterval(pulseTimer);
  const old = socket;
  socket = null;
  old?.close();
}

function clearTimers(): void {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
}

async function connect(): Promise<void> {
  if (!running || socket) return;
  useConnection.setState((state) => ({ status: 'connecting', attempts: state.attempts + 1 }));
  try {
    const session = readSession();
    if (!session) return;
    const { ticket } = await call(createSocketTicket, { quiet: true });
    if (!running || socket) return;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const query = new URLSearchParams({ username: session.username, ticket, language: currentLanguage() });
    const opened = new WebSocket(`${scheme}://${location.host}${SOCKET_PATH}?${query}`);
    socket = opened;
    let isGreeted = false;
    opened.onopen = () => {
      lastHeard = Date.now();
    };
    opened.onmessage = (event) => {
      if (opened !== socket) return;
      // A WebSocket that the server refuses is opened first, so only the greeting message confirms the
      // connection.
      if (!isGreeted) opens();
      isGreeted = true;
      hears(event.data);
    };
    opened.onclose = ({ code }) => opened === socket && closes(code === TOO_MANY_SOCKETS ? 'tabs' : 'socket');
  } catch {
    closes();
  }
}

function opens(): void {
  lastHeard = Date.now();
  const missedSince = useConnection.getState().heardUntil;
  useConnection.setState({ status: 'open', attempts: 0, stale: null });
  for (const [type, message] of lastSaid) waiting.set(type, message);
  flush();
  for (const listener of connectListeners) listener(missedSince);
}

function hears(data: unknown): void {
  lastHeard = Date.now();
  const message = understand(data);
  if (!message) return;
  if (message.event === 'pulse') {
    learnServerTime(Date.parse(message.at));
    const { stale } = useConnection.getState();
    if (message.database === 'down') {
      const since = message.since ? Date.parse(message.since) : (stale?.since ?? Date.parse(message.at));
      useConnection.setState({ stale: { since, reason: 'database' } });
    } else {
      useConnection.setState({ stale: null, heardUntil: Date.parse(message.at) });
      if (stale) for (const listener of connectListeners) listener(stale.since);
    }
  }
  for (const listener of listeners) listener(message);
}

function understand(data: unknown): ServerMessage | null {
  try {
    const parsed = serverMessage.safeParse(JSON.parse(String(data)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Called when the connection is closed. With the reason `tabs`, the account already has the maximum number of
 * consoles connected.
 */
function closes(reason: 'socket' | 'tabs' = 'socket'): void {
  socket = null;
  if (!running) return;
  const { attempts, stale } = useConnection.getState();
  const since = {
    since: stale?.since ?? serverNow(),
    reason: stale?.reason === 'database' ? stale.reason : reason,
  };
  if (attempts >= RECONNECT_ATTEMPTS) {
    useConnection.setState({ status: 'given-up', stale: since });
    return;
  }
  useConnection.setState({ status: 'closed', stale: since });
  timers.push(setTimeout(() => void connect(), RECONNECT_EVERY_MS));
}

function flush(): void {
  if (socket?.readyState !== WebSocket.OPEN) return;
  for (const [type, message] of waiting) {
    socket.send(JSON.stringify(message));
    waiting.delete(type);
  }
}

function watchPulse(): void {
  const { stale } = useConnection.getState();
  if (socket?.readyState !== WebSocket.OPEN || Date.now() - lastHeard < PULSE_LOST_AFTER_MS) return;
  if (!stale) {
    useConnection.setState({ stale: { since: serverNow() - PULSE_LOST_AFTER_MS, reason: 'socket' } });
  }
  // A connection that died without notice never closes by itself, so it is closed here.
  const silent = socket;
  socket = null;
  silent?.close();
  closes();
}
