/** The parts of the service worker's scope that are used; the DOM's types, which the console needs, exclude them. */
export interface WorkerScope {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<WindowClient | null>;
    claim(): Promise<void>;
  };
  location: Location;
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LongEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushReceived) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: NotificationClicked) => void): void;
  addEventListener(type: 'fetch', listener: (event: PageRequested) => void): void;
}

interface WindowClient {
  url: string;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<WindowClient | null>;
}

interface LongEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface PushReceived extends LongEvent {
  data: { json(): unknown } | null;
}

interface NotificationClicked extends LongEvent {
  notification: Notification;
  action: string;
}

interface PageRequested extends LongEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
