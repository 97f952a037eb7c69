import { useEffect, useState } from 'react';
import { copy } from '~/lib/copy';
import { Button } from './button';

const confirmFor = 2000;

/** Copies a text, and says for two seconds that it did. */
export function CopyButton({ text, word = 'Copy' }: { text: string; word?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), confirmFor);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      look="quiet"
      size="sm"
      icon={copied ? 'check' : 'copy'}
      labels={[word, 'Copied']}
      onClick={async () => setCopied(await copy(text, { quiet: true }))}
    >
      {copied ? 'Copied' : word}
    </Button>
  );
}
