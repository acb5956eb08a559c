import './announcements.css';
import type { AnnouncementPopup as Popup } from '@isotherm/contracts/announcements';
import { useQuery } from '@tanstack/react-query';
import Modal from 'antd/es/modal';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button, buttonClass } from '../../shared/ui/button.tsx';
import { announcementPopupsQuery, useMarks } from './announcements.queries.ts';
import { RichText } from './rich-text.tsx';

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/**
 * Announcements with popup, one after another. The server gives each to one console of the user once, so only a visible page
 * asks for them.
 */
export function AnnouncementPopups() {
  const { text, time } = useViewer();
  const isVisible = useSyncExternalStore(subscribe, () => document.visibilityState === 'visible');
  const { data } = useQuery({ ...announcementPopupsQuery, enabled: isVisible });
  const [waiting, setWaiting] = useState<readonly Popup[]>([]);
  const { mark } = useMarks();
  useEffect(() => {
    if (data && data.length > 0)
      setWaiting((old) => [...old, ...data.filter(({ id }) => !old.some((each) => each.id === id))]);
  }, [data]);
  const [popup] = waiting;
  if (!popup) return null;
  const close = () => setWaiting(waiting.slice(1));
  return (
    <Modal
      open
      width={640}
      title={popup.title}
      onCancel={close}
      footer={
        <>
          <Button onClick={close}>{text('announcements.popup.later')}</Button>
          <Link className={buttonClass()} to={`/announcement/list?announcement=${popup.id}`} onClick={close}>
            {text('announcements.popup.open')}
          </Link>
          <Button
            variant="primary"
            onClick={() => {
              close();
              void mark(popup.id, true);
            }}
          >
            {text('announcements.popup.close')}
          </Button>
        </>
      }
    >
      <p className="small secondary announcement-popup-trace">
        {popup.organizationName} · <span className="number">{time(popup.publishedAt, 'date-time')}</span>
      </p>
      <RichText html={popup.body} />
    </Modal>
  );
}
