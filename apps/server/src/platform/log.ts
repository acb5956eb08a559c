import { type Logger, pino } from 'pino';

export type { Logger };

/** Creates the structured log on standard output. Secrets in requests and settings are redacted. */
export function createLog(level: string, pretty: boolean): Logger {
  return pino({
    level,
    base: null,
    redact: {
      paths: ['req.headers.authorization', 'req.headers["x-session"]', '*.password', '*.token', '*.key'],
      censor: '[redacted]',
    },
    ...(pretty ? { transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss' } } } : {}),
  });
}
