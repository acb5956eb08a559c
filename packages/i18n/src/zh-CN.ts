import alarms from '../locales/zh-CN/alarms.json' with { type: 'json' };
import asset from '../locales/zh-CN/asset.json' with { type: 'json' };
import common from '../locales/zh-CN/common.json' with { type: 'json' };
import curve from '../locales/zh-CN/curve.json' with { type: 'json' };
import errors from '../locales/zh-CN/errors.json' with { type: 'json' };
import login from '../locales/zh-CN/login.json' with { type: 'json' };
import menu from '../locales/zh-CN/menu.json' with { type: 'json' };
import monitor from '../locales/zh-CN/monitor.json' with { type: 'json' };
import realtime from '../locales/zh-CN/realtime.json' with { type: 'json' };
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
