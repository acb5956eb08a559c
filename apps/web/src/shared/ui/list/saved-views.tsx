import './list.css';
import Popover from 'antd/es/popover';
import { type FormEvent, useId, useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useStored } from '../stored.ts';

export interface SavedView {
  name: string;
  /** The part of the address that belongs to the list. */
  search: string;
}
const MOST = 12;
const LONGEST_NAME = 40;

function areViews(value: unknown): value is SavedView[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each?.name === 'string' && typeof each?.search === 'string')
  );
}

const NONE: SavedView[] = [];

/** Hook for named sets of filters, which the browser stores for each list. */
export function useSavedViews(name: string) {
  const [views, store] = useStored(`isotherm.views.${name}`, NONE, areViews);
  return {
    views,
    full: views.length >= MOST,
    save: (view: SavedView) => store([...views.filter((each) => each.name !== view.name), view]),
    forget: (view: SavedView) => store(views.filter((each) => each !== view)),
  };
}

export function SaveView({
  onSave,
  full,
  label,
}: {
  onSave: (name: string) => void;
  full: boolean;
  /** Label of the button if something other than a view is saved. */
  label?: string;
}) {
  const { text } = useText();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
    setOpen(false);
  }
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      trigger="click"
      placement="bottomRight"
      arrow={false}
      content={
        <form className="list-save-view" onSubmit={submit}>
          <label className="field-label" htmlFor={id}>
            {text('common.list.view-name')}
          </label>
          <div className="row">
            <span className="field grow">
              <input
                id={id}
                value={name}
                maxLength={LONGEST_NAME}
                onChange={(event) => setName(event.target.value)}
              />
            </span>
            <Button type="submit" variant="primary" disabled={name.trim() === '' || full}>
              {text('common.action.save')}
            </Button>
          </div>
          <p className="small tertiary">
            {full ? text('common.list.views-full', { count: MOST }) : text('common.list.view-kept')}
          </p>
        </form>
      }
    >
      <button type="button" className="list-view-save" aria-expanded={open}>
        <Icon name="bookmark" />
        {label ?? text('common.list.save-view')}
      </button>
    </Popover>
  );
}
