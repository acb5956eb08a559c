import account from '../locales/zh-CN/account.json' with { type: 'json' };
import alarms from '../locales/zh-CN/alarms.json' with { type: 'json' };
import apitool from '../locales/zh-CN/apitool.json' with { type: 'json' };
import asset from '../locales/zh-CN/asset.json' with { type: 'json' };
import assets from '../locales/zh-CN/assets.json' with { type: 'json' };
import authorizations from '../locales/zh-CN/authorizations.json' with { type: 'json' };
import calibration from '../locales/zh-CN/calibration.json' with { type: 'json' };
import commands from '../locales/zh-CN/commands.json' with { type: 'json' };
import common from '../locales/zh-CN/common.json' with { type: 'json' };
import curve from '../locales/zh-CN/curve.json' with { type: 'json' };
import devices from '../locales/zh-CN/devices.json' with { type: 'json' };
import dictionary from '../locales/zh-CN/dictionary.json' with { type: 'json' };
import errors from '../locales/zh-CN/errors.json' with { type: 'json' };
import login from '../locales/zh-CN/login.json' with { type: 'json' };
import logs from '../locales/zh-CN/logs.json' with { type: 'json' };
import mailbox from '../locales/zh-CN/mailbox.json' with { type: 'json' };
import maintenance from '../locales/zh-CN/maintenance.json' with { type: 'json' };
import mappings from '../locales/zh-CN/mappings.json' with { type: 'json' };
import menu from '../locales/zh-CN/menu.json' with { type: 'json' };
import messages from '../locales/zh-CN/messages.json' with { type: 'json' };
import monitor from '../locales/zh-CN/monitor.json' with { type: 'json' };
import operations from '../locales/zh-CN/operations.json' with { type: 'json' };
import organizations from '../locales/zh-CN/organizations.json' with { type: 'json' };
import packets from '../locales/zh-CN/packets.json' with { type: 'json' };
import realtime from '../locales/zh-CN/realtime.json' with { type: 'json' };
import records from '../locales/zh-CN/records.json' with { type: 'json' };
import register from '../locales/zh-CN/register.json' with { type: 'json' };
import reminders from '../locales/zh-CN/reminders.json' with { type: 'json' };
import roles from '../locales/zh-CN/roles.json' with { type: 'json' };
import settings from '../locales/zh-CN/settings.json' with { type: 'json' };
import shell from '../locales/zh-CN/shell.json' with { type: 'json' };
import stats from '../locales/zh-CN/stats.json' with { type: 'json' };
import upgrade from '../locales/zh-CN/upgrade.json' with { type: 'json' };
import users from '../locales/zh-CN/users.json' with { type: 'json' };
import validation from '../locales/zh-CN/validation.json' with { type: 'json' };
import validations from '../locales/zh-CN/validations.json' with { type: 'json' };
import webcams from '../locales/zh-CN/webcams.json' with { type: 'json' };
import type { Catalogue } from './languages.ts';

export const catalogue: Catalogue = {
  ...account,
  ...alarms,
  ...apitool,
  ...asset,
  ...assets,
  ...authorizations,
  ...calibration,
  ...commands,
  ...common,
  ...curve,
  ...devices,
  ...dictionary,
  ...errors,
  ...login,
  ...logs,
  ...mailbox,
  ...maintenance,
  ...mappings,
  ...menu,
  ...messages,
  ...monitor,
  ...operations,
  ...organizations,
  ...packets,
  ...realtime,
  ...records,
  ...register,
  ...reminders,
  ...roles,
  ...settings,
  ...shell,
  ...stats,
  ...upgrade,
  ...users,
  ...validation,
  ...validations,
  ...webcams,
};
