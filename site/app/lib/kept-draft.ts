import { useEffect, useState } from 'react';
import { halfWritten, keepHalfWritten } from './half-written';
import { currentIdentity } from './identity';

// By what they are for.
const onScreen = new Set<string>();

/** What was begun in this tab when its session ended, or it was loaded again; null when nothing. */
export function keptDraft<B>(what: string | undefined): B | null {
  try {
    return what ? JSON.parse(halfWritten(what) || 'null') : null;
  } catch {
    return null;
  }
}

/**
 * Keeps what is begun for as long as it is not stored, and as who began it. Who leaves its page gives it up,
 * unless the session went. While its editor is only taken away, because the role fell, it stays.
 */
export function useKeptDraft(what: string | undefined, begun: object | null): void {
  // Another tab may have switched a moment ago: nothing is written as who is signed in by then.
  const [by] = useState(currentIdentity);
  useEffect(() => {
    if (what && by === currentIdentity()) keepHalfWritten(what, begun ? JSON.stringify(begun) : '');
  }, [what, by, begun]);
  useEffect(() => {
    const { pathname } = location;
    if (what) onScreen.add(what);
    return () => {
      if (what) onScreen.delete(what);
      if (what && pathname !== location.pathname && by === currentIdentity()) keepHalfWritten(what, '');
    };
  }, [what, by]);
}

/** Gives up what is begun on screen, before the session in which it was begun is another one. */
export function giveUpDrafts(): void {
  for (const what of onScreen) keepHalfWritten(what, '');
}
