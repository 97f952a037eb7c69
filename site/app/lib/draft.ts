import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldReason, reasonOf } from './api';
import { changedFields, type FieldWords, onTop as fieldsOnTop, isConflict, theirChanges } from './edits';

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
  save: Pick<UseMutationResult<A, Error, V>, 'mutate' | 'reset' | 'isPending' | 'error'>;
  onSaved: (answer: A) => void;
  /** Reads what somebody else has stored meanwhile. */
  fetchNow?: () => Promise<S | undefined>;
  /** The fields in words, for two people who edit it at once. */
  words?: (theirs: S, base: S) => readonly FieldWords<T>[];
  /** What somebody else stored, with the changes from here on top. */
  onTop?: (base: T, mine: T, theirs: T) => T;
}

interface Begun<S, T> {
  base: S;
  first: T;
  draft: T;
  /** `first` is stored, though not read again yet, and more was written meanwhile. */
  saved?: boolean;
}

type TextField<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

/**
 * Something that is being written and not stored yet. The request carries the version that the draft
 * began from; what somebody else stored meanwhile is shown beside it, and the reader decides.
 */
export function useDraft<S, T extends object, V extends object, A>(editing: Editing<S, T, V, A>) {
  const { stored, draftOf, follows = false, storedAs = (draft: T) => draft, request, save } = editing;
  // What the draft began as, and what it is by now; null while nobody wrote and it follows.
  const [begun, setBegun] = useState<Begun<S, T> | null>(() => (follows ? null : beginAt(stored)));
  const [theirs, setTheirs] = useState<{ of: S } | null>(null);
  const [tried, setTried] = useState(false);
  // Refused fields are marked until they are changed.
  const [sent, setSent] = useState<T | null>(null);
  const { onTop = fieldsOnTop, words = () => [] } = editing;
  // What was written while it was saved goes on from what is stored by then.
  if (begun?.saved && begun.base !== stored) {
    const next = beginAt(stored);
    setBegun({ ...next, draft: onTop(begun.first, begun.draft, next.first) });
  }
  const { base, first, draft } = begun ?? beginAt(stored);

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
    save.mutate(asked, {
      onSuccess: (answer) => {
        if (follows)
          setBegun((now) =>
            now === null || now.draft === draft ? null : { ...now, first: draft, saved: true },
          );
        setTried(false);
        editing.onSaved(answer);
      },
      onError: async (error) => {
        if (!isConflict(error)) return;
        const now = await editing.fetchNow?.().catch(() => undefined);
        if (now !== undefined) setTheirs({ of: now });
      },
    });
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
    setBegun(follows ? null : beginAt(stored));
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
    dirty: draft !== first && changedFields(storedAs(first), storedAs(draft)).length > 0,
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
