import './help.css';
import { subjectOf } from '@isotherm/domain/help/subjects';
import { titleOf } from '@isotherm/i18n/help/help';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { Link } from 'react-router';
import { useText } from '../../shared/i18n/use-text.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { helpQuery } from './help.queries.ts';

const PARTS = ['help.shows', 'help.first', 'help.watch'] as const;

/** Drawer with the three sentences of a page and a link to its subject. */
export default function HelpDrawer({
  page,
  title,
  onClose,
}: {
  page: string;
  title: string;
  onClose: () => void;
}) {
  const { text, language } = useText();
  const { data, error, refetch } = useQuery(helpQuery(language));
  const subject = subjectOf(page);
  return (
    <>
      <FocusReturn />
      <Drawer open size={400} closable={{ placement: 'end' }} title={title} onClose={onClose}>
        {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {!data && !error ? <div className="skeleton skeleton-body" /> : null}
        {data ? (
          <div className="help-page">
            <dl>
              {PARTS.map((part, index) => (
                <div key={part}>
                  <dt>{text(part)}</dt>
                  <dd>{data.pages[page]?.[index]}</dd>
                </div>
              ))}
            </dl>
            {subject ? (
              <Link className={buttonClass()} to={`/help/${subject}`} onClick={onClose}>
                <Icon name="page" />
                {text('help.more', { subject: titleOf(data.subjects[subject]) })}
              </Link>
            ) : null}
            <Link to="/help" onClick={onClose}>
              {text('help.all')}
            </Link>
          </div>
        ) : null}
      </Drawer>
    </>
  );
}
