import type { Brand } from '@isotherm/contracts/brands';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { BrandMark, Icon } from '../../../shared/ui/icon.tsx';
import type { BrandForm } from './brand-form.ts';

/** Preview of the login page and the menu while a brand is edited. */
export function BrandPreview({ brand }: { brand: Brand | null }) {
  const { text } = useText();
  const form = useFormContext().values as Partial<BrandForm>;
  const title = form.title || text('settings.brand.untitled');
  const entity = form.copyrightEntity || title;
  return (
    <aside className="brand-preview" aria-label={text('settings.brand.preview')}>
      <h3>{text('settings.brand.preview')}</h3>
      <div className="brand-preview-tab">
        <Icon name="page" small />
        <span className="ellipsis">{form.pageTitle || title}</span>
      </div>
      <div className="brand-preview-login">
        <div className="brand-preview-name">
          <Logo src={brand?.loginLogo} />
          {title}
        </div>
        <span className="brand-preview-field" />
        <span className="brand-preview-field" />
        <span className="brand-preview-button">{text('login.submit')}</span>
        <div className="brand-preview-links">
          {form.showAppDownload && form.appDownloadUrl ? <span>{text('login.app')}</span> : null}
          {form.wechatAccount ? <span>{text('login.wechat')}</span> : null}
        </div>
        {form.supportNote ? <p className="brand-preview-note">{form.supportNote}</p> : null}
        <p className="brand-preview-foot">
          © {entity}
          {form.filing ? ` · ${form.filing}` : ''}
        </p>
      </div>
      <div className="brand-preview-menus">
        <div className="brand-preview-menu">
          <div className="brand-preview-name">
            <Logo src={brand?.menuLogo} />
            <span className="ellipsis">{title}</span>
          </div>
          <span className="brand-preview-entry" />
          <span className="brand-preview-entry" />
        </div>
        <div className="brand-preview-menu brand-preview-collapsed">
          {[...(form.collapsedTitle ?? '')].length <= 4 && !brand?.menuLogo ? (
            <strong>{form.collapsedTitle}</strong>
          ) : (
            <Logo src={brand?.menuLogo} />
          )}
          <span className="brand-preview-entry" />
          <span className="brand-preview-entry" />
        </div>
      </div>
    </aside>
  );
}

function Logo({ src }: { src: string | undefined }) {
  return src ? <img className="brand-preview-logo" src={src} alt="" /> : <BrandMark />;
}
