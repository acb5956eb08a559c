import type { WechatBinding, WechatCode } from '@isotherm/contracts/wechat';
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useViewer } from '../format/viewer.tsx';
import { Button } from '../ui/button.tsx';
import { FailureNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';

/** Interval at which the page asks whether a shown QR code was scanned, ms. */
const LOOK_EVERY_MS = 3_000;
const QR_WIDTH = 220;

/** Shows whether a person is bound to a WeChat user, and binds the person by a QR code. */
export function WechatBindingPanel({
  queryKey,
  load,
  createCode,
  unbind,
}: {
  queryKey: QueryKey;
  load: (signal: AbortSignal) => Promise<WechatBinding>;
  createCode: () => Promise<WechatCode>;
  unbind: () => Promise<unknown>;
}) {
  const { text, time } = useViewer();
  const queries = useQueryClient();
  const [code, setCode] = useState<(WechatCode & { since: string | null }) | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => load(signal),
    refetchInterval: code ? LOOK_EVERY_MS : false,
  });
  const isScanned =
    code !== null && data !== undefined && data.boundAt !== null && data.boundAt !== code.since;
  useEffect(() => {
    if (!isScanned) return;
    setCode(null);
    toast('success', text('wechat.bound.done'));
  }, [isScanned, text]);
  if (error) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  if (!data.isOffered) return <p className="secondary">{text('wechat.not-offered')}</p>;
  return (
    <>
      <p className="secondary">
        {data.boundAt === null
          ? text('wechat.unbound')
          : text(data.isSubscribed ? 'wechat.bound' : 'wechat.unsubscribed', {
              since: time(data.boundAt, 'date-time'),
            })}
      </p>
      {code ? (
        <figure>
          <QrCode text={code.url} />
          <figcaption className="small secondary">
            {text('wechat.scan', { time: time(code.expiresAt, 'time-seconds') })}
          </figcaption>
        </figure>
      ) : null}
      <div className="user-foot">
        {data.boundAt !== null ? (
          <Button
            variant="quiet"
            onClick={() =>
              void unbind()
                .then(() => toast('success', text('wechat.unbind.done')))
                .then(() => queries.invalidateQueries({ queryKey }))
            }
          >
            {text('wechat.unbind')}
          </Button>
        ) : null}
        <Button
          variant="primary"
          onClick={() => void createCode().then((made) => setCode({ ...made, since: data.boundAt }))}
        >
          {text(data.boundAt === null ? 'wechat.bind' : 'wechat.bind-again')}
        </Button>
      </div>
    </>
  );
}

function QrCode({ text: content }: { text: string }) {
  const { text } = useViewer();
  const [picture, setPicture] = useState('');
  useEffect(() => {
    let isCurrent = true;
    void import('qrcode')
      .then((qr) => qr.toDataURL(content, { margin: 1, width: QR_WIDTH * 2 }))
      .then((made) => {
        if (isCurrent) setPicture(made);
      });
    return () => {
      isCurrent = false;
    };
  }, [content]);
  return picture === '' ? (
    <div className="skeleton" style={{ width: QR_WIDTH, height: QR_WIDTH }} />
  ) : (
    <img src={picture} width={QR_WIDTH} height={QR_WIDTH} alt={text('wechat.code')} />
  );
}
