import * as styles from './code-block.module.css';
import { CopyButton } from './copy-button';

interface CodeBlockProps {
  title: string;
  code: string;
  /** How the whole is had where the code shows a shortened secret. */
  whole?: () => Promise<string | null>;
}

/** Code to copy. The button confirms for two seconds. */
export function CodeBlock({ title, code, whole }: CodeBlockProps) {
  return (
    <figure className={styles.codeBlock}>
      <header>
        <span className="mono">{title}</span>
        <CopyButton text={whole ?? code} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}
