import * as styles from './code-block.module.css';
import { CopyButton } from './copy-button';

/** Code to copy. The button confirms for two seconds. */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  return (
    <figure className={styles.codeBlock}>
      <header>
        <span className="mono">{title}</span>
        <CopyButton text={code} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}
