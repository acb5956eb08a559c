/** The paths of our own line icons on a 16 px grid by name, including those of the menu. */
const PATHS = {
  search: 'M7 12.500a5.500 5.500 0 100-11 5.500 5.500 0 000 11zM11 11l3.500 3.500',
  monitoring: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  alarms: 'M8 2a4 4 0 014 4v3l1.500 3h-11L4 9V6a4 4 0 014-4zM6.500 14.200h3',
  page: 'M3 1.500h7l3 3v10H3zM5.500 8h5M5.500 11h5',
  menu: 'M2 4h12M2 8h12M2 12h8',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.500l3.200 3L13 4.500',
  clock: 'M8 14.500a6.500 6.500 0 100-13 6.500 6.500 0 000 13zM8 4.500V8l2.500 1.500',
  globe:
    'M8 14.500a6.500 6.500 0 100-13 6.500 6.500 0 000 13zM1.500 8h13M8 1.500c-4 4-4 9 0 13 4-4 4-9 0-13z',
  sound:
    'M2 6v4h2.500L8 13V3L4.500 6zM10.500 5.500c1.300 1.500 1.300 3.500 0 5M12.500 3.500c2.300 2.600 2.300 6.400 0 9',
  muted: 'M2 6v4h2.500L8 13V3L4.500 6zM11 6l3.500 4M14.500 6L11 10',
  curve: 'M1.500 12.500c3 0 3-8 6.500-8s3 5 6.500 5M1.500 14.500h13',
  battery: 'M1.500 5h11v6h-11zM14.500 7v2',
  'battery-low': 'M1.500 5h11v6h-11zM14.500 7v2M3.500 7v2',
  user: 'M8 7.500a3 3 0 100-6 3 3 0 000 6zM2.500 14.500c0-3.500 2.500-5 5.500-5s5.500 1.500 5.500 5',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 10a2 2 0 100-4 2 2 0 000 4z',
  'eye-off': 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM3 13L13 3',
  lock: 'M3.500 7h9v7h-9zM5.500 7V5a2.500 2.500 0 015 0v2',
  repeat: 'M3 7V5.500h9M10 3.500l2 2-2 2M13 9v1.500H4M6 12.500l-2-2 2-2',
  info: 'M8 14.500a6.500 6.500 0 100-13 6.500 6.500 0 000 13zM8 7.500V11M8 5v.01',
  sun: 'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1.100 1.100M11.900 11.900L13 13M3 13l1.100-1.100M11.900 4.100L13 3',
  moon: 'M13.500 9.500A6 6 0 016.500 2.500a6 6 0 107 7z',
  screen: 'M1.500 2.500h13v8.500h-13zM5.500 14h5M8 11v3',
  leave: 'M9.500 2.500h-7v11h7M6.500 8h8M11.500 5l3 3-3 3',
  unlinked:
    'M6.500 9.500l3-3M5 7.500L3 9.500a2.500 2.500 0 003.500 3.500l1-1M11 8.500l2-2A2.500 2.500 0 009.500 3l-1 1M3 3l10 10',
  'zoom-out': 'M7 12.500a5.500 5.500 0 100-11 5.500 5.500 0 000 11zM11 11l3.500 3.500M4.800 7h4.400',
  channels:
    'M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 6.500a2 2 0 100-4 2 2 0 000 4zM6 13.500a2 2 0 100-4 2 2 0 000 4z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2 5.500v-3.500h3.500M10.500 2H14v3.500M14 10.500V14h-3.500M5.500 14H2v-3.500',
  print: 'M4.500 5.500v-4h7v4M4.500 11.500H2v-6h12v6h-2.500M4.500 9.500h7v5h-7z',
  'paper-clip':
    'M13 7.500L7.800 12.700a3 3 0 01-4.300-4.300L9 3a2 2 0 012.900 2.900L6.600 11.200a1 1 0 01-1.400-1.400L10 5',
  download: 'M8 2v8M5 7l3 3 3-3M2.500 13.500h11',
  upload: 'M8 10V2M5 5l3-3 3 3M2.500 13.500h11',
  filter: 'M2 3.500h12M4.500 8h7M6.500 12.500h3',
  columns: 'M2 2.500h12v11H2zM6 2.500v11M10 2.500v11',
  pin: 'M6 2h4l-.5 4.500L12 9H4l2.500-2.500zM8 9v5',
  grip: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  bookmark: 'M4 2h8v12l-4-3-4 3z',
  'arrow-up': 'M8 13V3M4.500 6.500L8 3l3.500 3.500',
  'arrow-down': 'M8 3v10M4.500 9.500L8 13l3.500-3.500',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  edit: 'M11 2.500l2.500 2.500L5.500 13l-3.200.700.700-3.200zM9.500 4l2.500 2.500',
  bin: 'M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.700 9h6.600l.700-9M6.700 7v4M9.300 7v4',
  move: 'M2.500 8h9M8.500 5l3 3-3 3M13.500 3v10',
  key: 'M10 9a3.500 3.500 0 10-3.300-2.300L2 11.500V14h2.500v-1.500H6V11h1.500l.900-.900M11 5v.01',
  building: 'M3 14.500v-13h7v13M10 6h3v8.500M5.500 4.500h2M5.500 7.500h2M5.500 10.500h2M1.500 14.500h13',
  shield:
    'M8 1.500l5.500 2v4.500c0 3.500-2.500 5.500-5.500 6.500-3-1-5.500-3-5.500-6.500V3.500zM5.500 8l2 2 3.500-3.500',
  home: 'M2 7l6-5 6 5v7h-4v-4H6v4H2z',
  management: 'M6 2h4v3H6zM1.500 11h4v3h-4zM10.500 11h4v3h-4zM8 5v3M3.500 11V8h9v3',
  settings:
    'M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6M10 6.500a2 2 0 100-4 2 2 0 000 4zM6 13.500a2 2 0 100-4 2 2 0 000 4z',
  assets: 'M3.500 1.500h9v12h-9zM3.500 6.500h9M5.500 3.500v1M5.500 8.500v2M5 13.500v1M11 13.500v1',
  devices:
    'M4.500 4.500h7v7h-7zM6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14',
  'cold-store': 'M1.500 14V6L8 2l6.500 4v8zM4.500 14V8.500h7V14M8 8.500V14',
  refrigerator: 'M3.500 1.500h9v12h-9zM3.500 6.500h9M5.500 3.500v1M5.500 8.500v2M5 13.500v1M11 13.500v1',
  'cold-box': 'M2.500 6.500h11v7h-11zM1.500 3.500h13v3h-13zM6.500 9.500h3',
  vehicle:
    'M3 11.500H1V3.500h8.500v8H6M9.500 6h2.800L15 8.700v2.800h-1.500M10.500 11.500h-1M4.500 13a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM12 13a1.500 1.500 0 100-3 1.500 1.500 0 000 3z',
  container: 'M1.500 3.500h13v9h-13zM4.500 6v4M8 6v4M11.500 6v4',
  recharge: 'M1.500 3.500h13v9h-13zM1.500 6.500h13M4 10h3',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7 9',
  database:
    'M2.500 4c0-1.200 2.500-2 5.500-2s5.500.800 5.500 2-2.500 2-5.500 2-5.500-.800-5.500-2zM2.500 4v8c0 1.200 2.500 2 5.500 2s5.500-.800 5.500-2V4M2.500 8c0 1.200 2.500 2 5.500 2s5.500-.800 5.500-2',
} as const;
export type IconName = keyof typeof PATHS;

/**
 * Returns the icon for a name. The server sends the names of menu icons; an unknown name gets a default
 * icon.
 */
export function iconNamed(name: string | undefined): IconName {
  return name !== undefined && name in PATHS ? (name as IconName) : 'page';
}

export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg className={small ? 'icon icon-small' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function BrandMark({ size = 20 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M1.500 13.500c4 0 4.500-9 9-9s4 4 8 4" />
      <path d="M1.500 17.500c6 0 6-8 9.500-8s3.500 4 7.500 4" opacity=".55" />
    </svg>
  );
}
