import type { AlertSetting } from '@isotherm/contracts/alert-settings';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import { Link } from 'react-router';
import { currentLanguage } from '../../../shared/i18n/language.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { LevelGlyph, UnsetGlyph } from '../../../shared/ui/level-glyph.tsx';
import { delayWords } from '../policies/policy-words.ts';

type Rule = AlertSetting['rules'][number];

/** Rules of one kind in the order of their levels, each with limit and delay. */
export function RulesCell({ setting }: { setting: AlertSetting }) {
  const { text } = useText();
  if (setting.rules.length === 0) return <span className="secondary">{text('alert-settings.no-rules')}</span>;
  const kinds = [...new Set(setting.rules.map(({ kind }) => kind))];
  return (
    <div className="alerting-rules">
      {kinds.map((kind) => (
        <div key={kind} className="alerting-kind">
          <span className="small secondary">{faultWords(setting.indicator, kind, text)}</span>
          {setting.rules
            .filter((rule) => rule.kind === kind)
            .map((rule) => (
              <span key={rule.id} className="alerting-rule">
                <LevelGlyph level={rule.level} />
                <bdi dir="ltr" className="number">
                  {limitWords(setting, rule, text)}
                </bdi>
                <span className="small tertiary">{delayWords(rule.triggerAfterMs, text)}</span>
              </span>
            ))}
        </div>
      ))}
    </div>
  );
}

function limitWords(
  { indicator }: AlertSetting,
  rule: Rule,
  text: ReturnType<typeof useText>['text'],
): string {
  const isSwitch = INDICATORS[indicator].kind === 'switch';
  if (rule.limitValue === null || isSilence(rule.kind) || isSwitch) return '';
  return comparedWords(indicator, rule.kind, rule.limitValue, currentLanguage(), text);
}

/** Where the limits come from: the policies and the assignments that win, the registration, or nowhere. */
export function SourceCell({ setting: { source, policies } }: { setting: AlertSetting }) {
  const { text } = useText();
  return (
    <div className="alerting-sources">
      {source === 'none' ? (
        <span className="row strong">
          <UnsetGlyph /> {text('alert-settings.no-limits')}
        </span>
      ) : null}
      {source === 'own' ? <span>{text('alert-settings.source.own')}</span> : null}
      {policies.map(({ id, name, target }) => (
        <div key={id} className="setting-policy">
          <Link to={`/alarm/policies/${id}`} onClick={(event) => event.stopPropagation()}>
            {name}
          </Link>
          <div className="small tertiary">
            {text('alert-settings.source.assigned', { name: target.name })}{' '}
            <span className="tag">{text(`policies.target.${target.kind}`)}</span>
          </div>
        </div>
      ))}
    </div>
  );
}
