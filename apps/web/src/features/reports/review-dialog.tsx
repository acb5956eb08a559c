import '../../shared/ui/form/form.css';
import { reviewFields } from '@isotherm/contracts/daily-reviews';
import { wordIssues } from '@isotherm/contracts/validation';
import { initialsOf, MAX_INITIALS } from '@isotherm/domain/reports/daily-review';
import { momentWords } from '@isotherm/i18n/moments';
import { useId, useState } from 'react';
import { withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { ConfirmDialog } from '../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { type ReviewedDay, useReviewDays } from './reviews.queries.ts';

/** Asks for the initials under one day or several; what needs a second look is said first. */
export function ReviewDialog({
  days,
  name,
  onClose,
}: {
  days: readonly ReviewedDay[];
  name: string;
  onClose: () => void;
}) {
  const { text, language } = useViewer();
  const id = useId();
  const { mutateAsync } = useReviewDays();
  const [initials, setInitials] = useState(initialsOf(name));
  const [comment, setComment] = useState('');
  const [fault, setFault] = useState('');
  const outside = days.filter(({ day }) => (day.outsideMs ?? 0) > 0).length;
  const empty = days.filter(({ day }) => day.count === 0).length;
  const changed = days.filter(({ state }) => state === 'changed').length;
  const label = text('reports.review.confirm', { count: days.length });
  const [only, ...others] = days;

  async function confirm() {
    const checked = reviewFields.shape.initials.safeParse(initials);
    const [wrong] = checked.success ? [] : wordIssues(checked.error, initials);
    setFault(wrong ? text(`validation.${wrong.rule}`, wrong.params) : '');
    if (wrong) throw new Error(text('reports.review.initials.missing'));
    const { reviewed } = await mutateAsync({ days, initials, comment });
    toast('success', text('reports.review.done', { count: reviewed }));
    onClose();
  }

  return (
    <ConfirmDialog title={label} confirmLabel={label} onConfirm={confirm} onClose={onClose}>
      {only && others.length === 0 ? <OneDay day={only} /> : null}
      {[
        outside > 0 ? text('reports.review.outside-count', { count: outside }) : '',
        empty > 0 ? text('reports.review.empty-count', { count: empty }) : '',
        changed > 0 ? text('reports.review.changed-count', { count: changed }) : '',
      ]
        .filter(Boolean)
        .map((sentence) => (
          <p key={sentence} className="report-changed">
            <Icon name="info" small />
            {sentence}
          </p>
        ))}
      <p className="secondary">{text('reports.review.means')}</p>
      <div className="confirm-field">
        <label className="field-label" htmlFor={`${id}-initials`}>
          {text('reports.review.initials')}
        </label>
        <div className={fault ? 'field field-wrong' : 'field'}>
          <input
            id={`${id}-initials`}
            type="text"
            autoComplete="off"
            lang={language}
            maxLength={MAX_INITIALS}
            value={initials}
            aria-invalid={fault !== ''}
            aria-describedby={fault ? `${id}-fault` : undefined}
            onChange={({ target }) => setInitials(target.value)}
          />
        </div>
        {fault ? (
          <div className="field-fault" id={`${id}-fault`}>
            <Icon name="info" small />
            {fault}
          </div>
        ) : null}
      </div>
      <div className="confirm-field">
        <label className="field-label" htmlFor={`${id}-comment`}>
          {text('reports.review.comment')}
        </label>
        <textarea
          id={`${id}-comment`}
          className="text-area"
          rows={2}
          maxLength={500}
          value={comment}
          onChange={({ target }) => setComment(target.value)}
        />
      </div>
    </ConfirmDialog>
  );
}

function OneDay({ day: { row, day } }: { day: ReviewedDay }) {
  const { language } = useViewer();
  const date = momentWords(day.from, 'date', language, row.zone);
  const extremes = [day.min, day.max].flatMap((value) =>
    value === null ? [] : [withUnit(row.indicator, value)],
  );
  return (
    <p className="strong">
      {[date, row.asset, row.channel, extremes.join(' … ')].filter(Boolean).join(' · ')}
    </p>
  );
}
