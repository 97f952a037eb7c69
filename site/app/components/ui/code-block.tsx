import { useEffect, useState } from 'react';
import { copy } from '~/lib/copy';
import { Button } from './button';
import * as styles from './code-block.module.css';

const confirmFor = 2000;

/** Code to copy. The button confirms for two seconds. */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmFor);
    return () => clearTimeout(timer);
  }, [copied]);
  const onCopy = async () => setCopied(await copy(code, { quiet: true }));
  return (
    <figure className={styles.codeBlock}>
      <header>
        <span className="mono">{title}</span>
        <Button look="quiet" size="sm" icon={copied ? 'check' : 'copy'} labels={['Copied']} onClick={onCopy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}
