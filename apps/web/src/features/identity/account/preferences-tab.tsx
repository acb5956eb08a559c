import {
  type AccountInfo,
  PAGE_REFRESHES,
  setLanguage,
  setPageSettings,
  setQuietHours,
  setTimeZone,
} from '@isotherm/contracts/account';
import { currentZone } from '@isotherm/contracts/time-zones';
import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { formatDuration } from '@isotherm/i18n/figures';
import { LANGUAGE_NAMES } from '@isotherm/i18n/languages';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { QuietHoursField } from '../../../shared/ui/form/quiet-hours-field.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useAccountChanges } from './account.queries.ts';

/** Tab for the time zone, the language of messages, the quiet hours and the behaviour of pages. */
export function PreferencesTab({ account }: { account: AccountInfo }) {
  const { text } = useText();
  const changes = useAccountChanges();
  const language = LANGUAGE_CODES.find((each) => each === account.language) ?? '';
  return (
    <>
      <section className="panel account-panel">
        <h2>{text('users.time-zone')}</h2>
        <p className="secondary">{text('account.zone.means')}</p>
        <FormPanel
          key={account.timeZoneCode}
          schema={setTimeZone.body}
          initial={{ code: currentZone(account.timeZoneCode) }}
          submitLabel={text('common.action.save')}
          submit={({ code }) => changes.setZone(code)}
          onDone={() => toast('success', text('account.zone.done'))}
        >
          <ZoneField name="code" label={text('users.time-zone')} />
        </FormPanel>
      </section>
      <section className="panel account-panel">
        <h2>{text('account.language')}</h2>
        <p className="secondary">{text('account.language.means')}</p>
        <FormPanel
          key={language}
          schema={setLanguage.body}
          initial={{ language }}
          submitLabel={text('common.action.save')}
          submit={(values) => changes.setLanguage(values.language)}
          onDone={() => toast('success', text('account.saved'))}
        >
          <SelectField
            name="language"
            label={text('account.language')}
            options={[
              { value: '', label: text('account.language.browser') },
              ...LANGUAGE_CODES.map((code) => ({ value: code, label: LANGUAGE_NAMES[code] })),
            ]}
          />
        </FormPanel>
      </section>
      <section className="panel account-panel">
        <h2>{text('quiet-hours.title')}</h2>
        <p className="secondary">{text('quiet-hours.means')}</p>
        <FormPanel
          key={JSON.stringify(account.quietHours)}
          schema={setQuietHours.body}
          initial={{ quietHours: account.quietHours }}
          submitLabel={text('common.action.save')}
          submit={({ quietHours = null }) => changes.setQuietHours({ quietHours })}
          onDone={() => toast('success', text('account.saved'))}
        >
          <QuietHoursField />
        </FormPanel>
      </section>
      <section className="panel account-panel">
        <h2>{text('account.pages')}</h2>
        <p className="secondary">{text('account.pages.means')}</p>
        <FormPanel
          key={`${account.pageRefreshInterval} ${account.ShowReportWarningInfo}`}
          schema={setPageSettings.body}
          initial={{
            pageRefreshInterval: account.pageRefreshInterval,
            ShowReportWarningInfo: account.ShowReportWarningInfo,
          }}
          submitLabel={text('common.action.save')}
          submit={(settings) => changes.setPageSettings(settings)}
          onDone={() => toast('success', text('account.saved'))}
        >
          <SelectField
            name="pageRefreshInterval"
            label={text('account.pages.refresh')}
            options={PAGE_REFRESHES.map((seconds) => ({
              value: seconds,
              label:
                seconds === 0
                  ? text('account.pages.never')
                  : text('account.pages.every', { duration: formatDuration(seconds * 1_000, text) }),
            }))}
          />
          <SwitchField name="ShowReportWarningInfo" label={text('account.pages.report-alarms')} />
        </FormPanel>
      </section>
    </>
  );
}
