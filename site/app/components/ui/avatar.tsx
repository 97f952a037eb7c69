import * as styles from './avatar.module.css';
/** Initials in a circle. `hue` (1 to 6) is the person's place in order of joining; without it the circle is neutral. */
export function Avatar({ name, hue, large = false }: { name: string; hue?: number; large?: boolean }) {
  return (
    <span
      className={styles.avatar}
      data-hue={hue === undefined ? undefined : ((hue - 1) % 6) + 1}
      data-size={large ? 'lg' : undefined}
      aria-hidden="true"
    >
      {initials(name)}
    </span>
  );
}

/** Up to two initials: first and last word. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => (word ?? '').charAt(0).toUpperCase()).join('');
}
