import { useText } from '../../i18n/use-text.ts';
import { Icon } from '../icon.tsx';
import type { ListState, ListStateChange } from './list-state.ts';
import type { ListView } from './list-types.ts';
import { SaveView, useSavedViews } from './saved-views.tsx';

/** Tabs for the views of a list: built-in ones with their counts, then saved ones. */
export function ListViews({
  name,
  views,
  counts,
  state,
  changes,
  address,
}: {
  name: string;
  views: readonly ListView[];
  counts: Readonly<Record<string, number>>;
  state: ListState;
  changes: ListStateChange;
  /** The part of the address that belongs to the list, as stored in a saved view. */
  address: string;
}) {
  const { text } = useText();
  const saved = useSavedViews(name);
  const current = saved.views.find((each) => each.search === address);
  return (
    <div className="list-views">
      <fieldset aria-label={text('common.list.views')}>
        {views.map((view) => (
          <button
            key={view.key}
            type="button"
            aria-pressed={!current && state.view === view.key}
            onClick={() => changes.show(view)}
          >
            {view.label} <Count value={counts[view.key]} />
          </button>
        ))}
        {saved.views.map((view) => (
          <span key={view.name} className="list-saved">
            <button
              type="button"
              aria-pressed={current === view}
              onClick={() => changes.restore(view.search)}
            >
              {view.name}
            </button>
            {current === view ? (
              <button
                type="button"
                className="list-forget"
                aria-label={text('common.list.forget-view', { name: view.name })}
                onClick={() => saved.forget(view)}
              >
                <Icon name="close" small />
              </button>
            ) : null}
          </span>
        ))}
      </fieldset>
      {address !== '' && !current ? (
        <SaveView full={saved.full} onSave={(title) => saved.save({ name: title, search: address })} />
      ) : null}
    </div>
  );
}

function Count({ value }: { value: number | undefined }) {
  const { language } = useText();
  if (value === undefined) return null;
  return <span className="small tertiary">{new Intl.NumberFormat(language).format(value)}</span>;
}
