import alarms from '../locales/zh-TW/alarms.json' with { type: 'json' };
import asset from '../locales/zh-TW/asset.json' with { type: 'json' };
import common from '../locales/zh-TW/common.json' with { type: 'json' };
import curve from '../locales/zh-TW/curve.json' with { type: 'json' };
import errors from '../locales/zh-TW/errors.json' with { type: 'json' };
import login from '../locales/zh-TW/login.json' with { type: 'json' };
import menu from '../locales/zh-TW/menu.json' with { type: 'json' };
import monitor from '../locales/zh-TW/monitor.json' with { type: 'json' };
import realtime from '../locales/zh-TW/realtime.json' with { type: 'json' };
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
