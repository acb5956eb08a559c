import './detail.css';

/** Returns the initials of the first and the last word, or one character of a Chinese name. */
function initials(name: string): string {
  if (/\p{Script=Han}/u.test(name)) return [...name.trim()].at(-1) ?? '';
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** The avatar image of a user, or the initials. */
export function Avatar({ name, image, small = false }: { name: string; image: string; small?: boolean }) {
  const className = small ? 'avatar avatar-small' : 'avatar';
  if (image !== '') return <img className={className} src={image} alt="" />;
  return (
    <span className={className} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
