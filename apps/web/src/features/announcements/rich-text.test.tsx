import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RichText } from './rich-text.tsx';

it('formatting is drawn, and links open in a new tab', () => {
  render(
    <RichText html='<h3>Plan</h3><p>One <strong>two</strong></p><ul><li><p><a href="https://example.com/">three</a></p></li></ul>' />,
  );
  expect(screen.getByRole('heading', { name: 'Plan', level: 3 })).toBeTruthy();
  expect(screen.getByText('two').tagName).toBe('STRONG');
  const link = screen.getByRole('link', { name: 'three' });
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toContain('noopener');
});

it.each([
  '<img src=x onerror="window.planted = true">',
  '<script>window.planted = true</script>',
  '<svg onload="window.planted = true"></svg>',
  '<iframe srcdoc="<script>parent.planted = true</script>"></iframe>',
  '<p onclick="window.planted = true" style="position:fixed">a</p>',
  '<form action="https://evil.example"><button>a</button></form>',
  '<a href="javascript:window.planted = true">a</a>',
  '<a href="//evil.example">a</a>',
])('%s is not drawn, even if the server had stored it', (html) => {
  const { container } = render(<RichText html={html} />);
  expect(container.querySelector('img, script, svg, iframe, form, button, a, style')).toBeNull();
  for (const element of container.querySelectorAll('.announcement-text *'))
    expect(element.getAttributeNames()).toEqual([]);
  expect((window as { planted?: boolean }).planted).toBeUndefined();
});
