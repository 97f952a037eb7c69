import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useGone } from './after-close';
import { fieldReason, reasonOf } from './api';
import { changedFields, type FieldWords, onTop as fieldsOnTop, isConflict, theirChanges } from './edits';
import { currentIdentity } from './identity';
import { keptDraft, useKeptDraft } from './kept-draft';
import { useLeaveGuard } from './leave-guard';
import { toast } from './toast';

interface Editing<S, T, V, A> {
  /** What is stored, as it was read; for something new, what it begins as. */
  stored: S;
  draftOf: (stored: S) => T;
  /** Shows what is stored until somebody writes. Otherwise it stays as it was when it was opened. */
  follows?: boolean;
  /** How a draft is stored, to tell whether it was changed. */
  storedAs?: (draft: T) => object;
  /** What is sent, or the sentence that says what keeps the draft from being sent. */
  request: (draft: T, base: S) => V | string;
  save: Pick<UseMutationResult<A, Error, V>, 'mutateAsync' | 'reset' | 'isPending' | 'error'>;
  /** `stays`: the reader wrote on after it was sent, or went elsewhere, and is led nowhere. */
  onSaved: (answer: A, stays: boolean) => void;
  /** What is stored by an answer. What was written while it was saved goes on from there. */
  storedBy?: (answer: A) => S;
  /** What it is kept as over the end of a session; it must survive JSON. Without, it is lost then. */
  what?: string;
  /** Reads what somebody else has stored meanwhile. */
  fetchNow?: (base: S) => Promise<S | undefined>;
  /** The fields in words, for two people who edit it at once. */
  words?: (theirs: S, base: S) => readonly FieldWords<T>[];
  /** What somebody else stored, with the changes from here on top. */
  onTop?: (base: T, mine: T, theirs: T) => T;
}

interface Begun<S, T> {
  base: S;
  first: T;
  draft: T;
}

type TextField<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

/**
 * Something that is being written and not stored yet. The request carries the version that the draft
 * began from; what somebody else stored meanwhile is shown beside it, and the reader decides.
 */
export function useDraft<S, T extends object, V extends object, A>(editing: Editing<S, T, V, A>) {
  const { stored, draftOf, follows = false, storedAs = (draft: T) => draft, request, save, what } = editing;
  // What the draft began as, and what it is by now; null while nobody wrote and it follows.
  const [begun, setBegun] = useState<Begun<S, T> | null>(
    () => keptDraft(what) ?? (follows ? null : beginAt(stored)),
  );
  const [theirs, setTheirs] = useState<{ of: S } | null>(null);
  const [tried, setTried] = useState(false);
  // Refused fields are marked until they are changed.
  const [sent, setSent] = useState<T | null>(null);
  const { onTop = fieldsOnTop, words = () => [] } = editing;
  const { base, first, draft } = begun ?? beginAt(stored);
  const newest = useRef(draft);
  newest.current = draft;
  const dirty = draft !== first && changedFields(storedAs(first), storedAs(draft)).length > 0;
  useKeptDraft(what, dirty ? begun : null);
  const letGo = useLeaveGuard(dirty, save.isPending && sent === draft);
  const gone = useGone();

  function beginAt(of: S): Begun<S, T> {
    const first = draftOf(of);
    return { base: of, first, draft: first };
  }

  const change = (next: T | ((now: T) => T)) =>
    setBegun((now) => {
      const before = now ?? beginAt(stored);
      return { ...before, draft: typeof next === 'function' ? next(before.draft) : next };
    });
  const set = (fields: Partial<T>) => change((now) => ({ ...now, ...fields }));

  const submit = (event?: FormEvent): boolean => {
    event?.preventDefault();
    setTried(true);
    const asked = request(draft, base);
    if (typeof asked === 'string') return false;
    setSent(draft);
    const by = currentIdentity();
    save.mutateAsync(asked).then(
      (answer) => {
        // It concerns nobody who signed in since.
        if (by !== currentIdentity()) return;
        const more = newest.current !== draft;
        // Sent again before its page is left, it is a change of what is stored now.
        const next = editing.storedBy ? beginAt(editing.storedBy(answer)) : { base, first: draft, draft };
        if (!more) setBegun(follows ? null : next);
        else if (editing.storedBy) setBegun({ ...next, draft: onTop(draft, newest.current, next.first) });
        setTried(false);
        const left = gone.current || (!more && letGo());
        // Unless it is said with more words.
        if (left) toast({ kind: 'success', title: 'Your changes are saved.' });
        editing.onSaved(answer, more || left);
      },
      async (error) => {
        if (!isConflict(error) || gone.current) return;
        const now = await editing.fetchNow?.(base).catch(() => undefined);
        if (now !== undefined) setTheirs({ of: now });
      },
    );
    return true;
  };

  // After a conflict: the draft is based on what somebody else stored.
  const goOn = (pick: (theirs: T) => T) => {
    if (!theirs) return;
    const next = beginAt(theirs.of);
    setBegun({ ...next, draft: pick(next.first) });
    setTheirs(null);
    save.reset();
  };
  const conflict = theirs && {
    changes: theirChanges(words(theirs.of, base), first, draftOf(theirs.of), draft),
    onKeepMine: () => goOn((their) => onTop(first, draft, their)),
    onTakeTheirs: () => (follows ? discard() : goOn((their) => their)),
  };

  /** Gives up what was written. */
  const discard = () => {
    setBegun(follows ? null : beginAt(base));
    setTheirs(null);
    setTried(false);
    save.reset();
  };

  const asked = tried ? request(draft, base) : null;
  const fault = typeof asked === 'string' ? asked : '';
  const errorOf = (field: keyof T & string) =>
    sent && sent[field] === draft[field] ? fieldReason(save.error, field) : undefined;

  return {
    draft,
    base,
    change,
    set,
    submit,
    discard,
    tried,
    dirty,
    pending: save.isPending,
    conflict,
    /** Why it is not stored, for people; empty while nothing keeps it from that. */
    failure: fault || (save.error && !conflict ? reasonOf(save.error) : ''),
    errorOf,
    /** What a field of text needs. */
    text: (name: TextField<T>) => ({
      name,
      value: String(draft[name]),
      error: errorOf(name),
      onChange: (event: { target: { value: string } }) =>
        set({ [name]: event.target.value } as unknown as Partial<T>),
    }),
  };
}
