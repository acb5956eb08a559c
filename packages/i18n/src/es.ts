import alarms from '../locales/es/alarms.json' with { type: 'json' };
import asset from '../locales/es/asset.json' with { type: 'json' };
import common from '../locales/es/common.json' with { type: 'json' };
import curve from '../locales/es/curve.json' with { type: 'json' };
import errors from '../locales/es/errors.json' with { type: 'json' };
import login from '../locales/es/login.json' with { type: 'json' };
import menu from '../locales/es/menu.json' with { type: 'json' };
import monitor from '../locales/es/monitor.json' with { type: 'json' };
import realtime from '../locales/es/realtime.json' with { type: 'json' };
import type { Catalogue } from './languages.ts';

export const catalogue: Catalogue = {
  ...alarms,
  ...asset,
  ...common,
  ...curve,
  ...errors,
  ...login,
  ...menu,
  ...monitor,
  ...realtime,
};
