import * as styles from './kbd.module.css';
/** The key that does the same. Hidden from assistive technology, which has its own ways. */
export function Kbd({ children, className = '' }: { children: string; className?: string }) {
  return (
    <span className={`${styles.kbd} ${className}`} aria-hidden="true">
      {children}
    </span>
  );
}
