import { useEffect, useState } from 'react';
import { copy } from '~/lib/copy';
import { Button } from './button';

const confirmFor = 2000;

interface CopyButtonProps {
  /** What is copied, or how it is had; null when it could not be. */
  text: string | (() => Promise<string | null>);
  word?: string;
}

/** Copies a text, and says for two seconds that it did. */
export function CopyButton({ text, word = 'Copy' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmFor);
    return () => clearTimeout(timer);
  }, [copied]);
  const press = async () => {
    const whole = typeof text === 'string' ? text : await text();
    if (whole !== null) setCopied(await copy(whole, { quiet: true }));
  };
  return (
    <Button look="quiet" size="sm" icon={copied ? 'check' : 'copy'} labels={[word, 'Copied']} onClick={press}>
      {copied ? 'Copied' : word}
    </Button>
  );
}
