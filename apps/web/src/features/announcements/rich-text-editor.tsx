import { Editor } from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';
import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import type { ControlProps } from '../../shared/ui/form/field-frame.tsx';
import { Icon } from '../../shared/ui/icon.tsx';

const ADDRESS = /^(https?:\/\/|mailto:|tel:)\S+$/i;
const EMAIL = /^[^\s@/]+@[^\s@/]+$/;

/** Returns the typed address of a link with its protocol; null if it is none. */
function addressOf(typed: string): string | null {
  const address = typed.trim();
  if (EMAIL.test(address)) return `mailto:${address}`;
  if (/^www\.\S+$/i.test(address)) return `https://${address}`;
  return ADDRESS.test(address) ? address : null;
}

/** The elements that contracts/rich-text.ts allows, and no others. */
const EXTENSIONS = [
  StarterKit.configure({
    code: false,
    codeBlock: false,
    horizontalRule: false,
    heading: { levels: [3] },
    link: { openOnClick: false, HTMLAttributes: { rel: null, target: null } },
  }),
];

export interface RichTextEditorProps {
  /** The text at first. */
  initial: string;
  control: ControlProps;
  label: string;
  isWrong: boolean;
  /** Called with the text as HTML; '' if it is empty. */
  onChange: (html: string) => void;
}

/** Editor for formatted text. Loaded on demand, as its library is large. */
export default function RichTextEditor({ initial, control, label, isWrong, onChange }: RichTextEditorProps) {
  const { text } = useText();
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [link, setLink] = useState<string | null>(null);
  const [isLinkWrong, setLinkWrong] = useState(false);
  const tell = useRef(onChange);
  tell.current = onChange;
  const start = useRef({ initial, label, id: control.id });

  useEffect(() => {
    if (!host.current) return;
    const made = new Editor({
      element: host.current,
      extensions: EXTENSIONS,
      content: start.current.initial,
      // The style sheet of the feature has these rules; the security policy refuses those of the library.
      injectCSS: false,
      editorProps: {
        attributes: {
          id: start.current.id,
          class: 'announcement-text announcement-editable',
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-label': start.current.label,
        },
      },
      onUpdate: ({ editor: changed }) => tell.current(changed.isEmpty ? '' : changed.getHTML()),
      onTransaction: redraw,
    });
    setEditor(made);
    return () => made.destroy();
  }, []);

  const run = (change: (chain: ReturnType<Editor['chain']>) => ReturnType<Editor['chain']>) => () => {
    if (editor) change(editor.chain().focus()).run();
  };
  const tools = [
    { key: 'bold', sign: <b>B</b>, act: run((chain) => chain.toggleBold()) },
    { key: 'italic', sign: <i>I</i>, act: run((chain) => chain.toggleItalic()) },
    { key: 'underline', sign: <u>U</u>, act: run((chain) => chain.toggleUnderline()) },
    { key: 'heading', sign: 'H', act: run((chain) => chain.toggleHeading({ level: 3 })) },
    {
      key: 'bullets',
      name: 'bulletList',
      sign: <Icon name="bullets" />,
      act: run((chain) => chain.toggleBulletList()),
    },
    {
      key: 'numbers',
      name: 'orderedList',
      sign: <Icon name="numbers" />,
      act: run((chain) => chain.toggleOrderedList()),
    },
    { key: 'quote', name: 'blockquote', sign: '”', act: run((chain) => chain.toggleBlockquote()) },
  ] as const;

  function openLink() {
    setLinkWrong(false);
    setLink(link === null ? String(editor?.getAttributes('link').href ?? '') : null);
  }
  function putLink() {
    const address = addressOf(link ?? '');
    setLinkWrong(address === null);
    if (address === null || !editor) return;
    const chain = editor.chain().focus().extendMarkRange('link');
    if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({
        type: 'text',
        text: address,
        marks: [{ type: 'link', attrs: { href: address } }],
      });
    else chain.setLink({ href: address });
    chain.run();
    setLink(null);
  }
  function linkKey(event: KeyboardEvent) {
    if (event.key === 'Enter') {
      event.preventDefault();
      putLink();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      setLink(null);
    }
  }

  return (
    <div className={isWrong ? 'announcement-editor field-wrong' : 'announcement-editor'}>
      <div
        className="announcement-editor-tools"
        role="toolbar"
        aria-label={text('announcements.editor.tools')}
      >
        {tools.map(({ key, sign, act, ...named }) => (
          <Button
            key={key}
            variant="quiet"
            icon
            aria-label={text(`announcements.editor.${key}`)}
            title={text(`announcements.editor.${key}`)}
            aria-pressed={editor?.isActive('name' in named ? named.name : key) ?? false}
            onClick={act}
          >
            {sign}
          </Button>
        ))}
        <Button
          variant="quiet"
          aria-pressed={editor?.isActive('link') ?? false}
          aria-expanded={link !== null}
          onClick={openLink}
        >
          {text('announcements.editor.link')}
        </Button>
      </div>
      {link === null ? null : (
        <div className="announcement-editor-link">
          <div className={isLinkWrong ? 'field field-wrong' : 'field'}>
            <input
              // biome-ignore lint/a11y/noAutofocus: the button was pressed to type here.
              autoFocus
              type="text"
              inputMode="url"
              aria-label={text('announcements.editor.link.address')}
              aria-invalid={isLinkWrong}
              placeholder="https://example.com"
              value={link}
              onChange={(event) => setLink(event.target.value)}
              onKeyDown={linkKey}
            />
          </div>
          <Button onClick={putLink}>{text('announcements.editor.link.set')}</Button>
          {editor?.isActive('link') ? (
            <Button
              onClick={() => {
                editor.chain().focus().extendMarkRange('link').unsetLink().run();
                setLink(null);
              }}
            >
              {text('announcements.editor.link.remove')}
            </Button>
          ) : null}
          {isLinkWrong ? (
            <p className="small field-fault" role="alert">
              {text('announcements.editor.link.wrong')}
            </p>
          ) : null}
        </div>
      )}
      <div ref={host} />
    </div>
  );
}
