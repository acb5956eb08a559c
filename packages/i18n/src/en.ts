import alarms from '../locales/en/alarms.json' with { type: 'json' };
import asset from '../locales/en/asset.json' with { type: 'json' };
import common from '../locales/en/common.json' with { type: 'json' };
import curve from '../locales/en/curve.json' with { type: 'json' };
import errors from '../locales/en/errors.json' with { type: 'json' };
import login from '../locales/en/login.json' with { type: 'json' };
import menu from '../locales/en/menu.json' with { type: 'json' };
import monitor from '../locales/en/monitor.json' with { type: 'json' };
import realtime from '../locales/en/realtime.json' with { type: 'json' };
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
