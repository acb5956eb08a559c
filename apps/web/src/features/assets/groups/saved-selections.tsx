import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { SaveView, useSavedViews } from '../../../shared/ui/list/saved-views.tsx';

/** Named sets of assets. The browser stores them for every asset picker. */
export function SavedSelections({
  chosen,
  onChoose,
}: {
  chosen: ReadonlySet<number>;
  onChoose: (ids: readonly number[]) => void;
}) {
  const { text } = useText();
  const { views, full, save, forget } = useSavedViews('asset-selections');
  if (views.length === 0 && chosen.size === 0) return null;
  return (
    <div className="saved-selections">
      {views.map((view) => (
        <span key={view.name} className="tag">
          <Button variant="link" onClick={() => onChoose(view.search.split(',').map(Number))}>
            {view.name}
          </Button>
          <Button
            variant="quiet"
            size="small"
            icon
            aria-label={text('assets.picker.forget', { name: view.name })}
            onClick={() => forget(view)}
          >
            <Icon name="close" small />
          </Button>
        </span>
      ))}
      {chosen.size > 0 ? (
        <SaveView
          label={text('assets.picker.save')}
          full={full}
          onSave={(name) => save({ name, search: [...chosen].join(',') })}
        />
      ) : null}
    </div>
  );
}
