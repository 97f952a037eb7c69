import { type KeyboardEvent, type MouseEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { IconButton } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import { Kbd } from '~/components/ui/kbd';
import { useSettledPress } from '~/lib/settled-press';
import { capitalised } from '~/lib/words';
import { type Entry, found } from '../model/entries';
import * as styles from './palette.module.css';
import { useEntries } from './use-entries';

interface PaletteProps {
  /** What the pages cannot be asked for by an address. */
  actions: readonly Entry[];
  onClose: () => void;
}

/** Finds anything by typing: incidents, services, schedules, people, pages and what can be done. */
export function Palette({ actions, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  // An id, because what comes above it takes its place in the list.
  const [chosen, setChosen] = useState<string | null>(null);
  const { entries, searching, unread } = useEntries(actions, text);
  const shown = found(entries, text);
  const at = chosen === null ? 0 : shown.findIndex((entry) => entry.id === chosen);
  // Once it has gone nothing is chosen: Enter means nobody's guess.
  const current = shown[at];
  if (current && chosen === null) setChosen(current.id);
  const id = useId();
  const box = useOpenDialog();
  const choose = ({ to, run }: Entry) => {
    onClose();
    if (to) navigate(to);
    run?.();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen(shown.at(at < 0 && step < 0 ? -1 : (at + step) % shown.length)?.id ?? null);
    else if (event.key !== 'Enter' || !current) return;
    else if ((event.ctrlKey || event.metaKey) && current.acknowledge) {
      current.acknowledge();
      onClose();
    } else choose(current);
    event.preventDefault();
  };
  return (
    <dialog
      ref={box}
      className={styles.palette}
      aria-label="Find anything"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A press on the backdrop has the dialog itself as its target.
      onPointerDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className={styles.ask}>
        <Icon name="search" />
        <input
          role="combobox"
          type="text"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Find an incident, a service, a schedule, a page"
          aria-label="Find anything"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-found`}
          aria-activedescendant={current && `${id}-${current.id}`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(null);
          }}
          onKeyDown={onKey}
        />
        <IconButton icon="x" label="Close" onClick={onClose} />
      </div>
      {/* Another text makes another list: nobody aims at what stood there before. */}
      <Found key={text} id={id} shown={shown} current={current} onChoose={choose} />
      <p className={styles.said} role="status">
        {said(text.trim(), { searching, unread, nothing: shown.length === 0 })}
      </p>
      <footer className={`${styles.foot} hide-phone`}>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> move
        </span>
        <span>
          <Kbd>Enter</Kbd> open
        </span>
        {current?.acknowledge && (
          <span>
            <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> acknowledge
          </span>
        )}
      </footer>
    </dialog>
  );
}

interface Search {
  searching: boolean;
  unread: readonly string[];
  nothing: boolean;
}

// That nothing matches is known only when everything was searched.
function said(text: string, { searching, unread, nothing }: Search): string {
  if (text === '') return '';
  if (searching) return 'Searching';
  if (unread.length > 0) return `${capitalised(unread.join(', '))} could not be searched.`;
  return nothing ? `Nothing matches "${text}".` : '';
}

interface FoundProps {
  id: string;
  shown: readonly Entry[];
  current: Entry | undefined;
  onChoose: (entry: Entry) => void;
}

function Found({ id, shown, current, onChoose }: FoundProps) {
  const settled = useSettledPress('', shown.map((entry) => entry.id).join(' '));
  return (
    <div className={styles.found} id={`${id}-found`} role="listbox" aria-label="Found">
      {[...new Set(shown.map(({ group }) => group))].map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a listbox.
        <div key={group} role="group" aria-label={group}>
          <p aria-hidden="true">{group}</p>
          {shown
            .filter((entry) => entry.group === group)
            .map((entry) => (
              <Option
                key={entry.id}
                id={`${id}-${entry.id}`}
                entry={entry}
                selected={entry === current}
                onChoose={settled(() => onChoose(entry))}
              />
            ))}
        </div>
      ))}
    </div>
  );
}

function Option({
  id,
  entry,
  selected,
  onChoose,
}: {
  id: string;
  entry: Entry;
  selected: boolean;
  onChoose: (event: MouseEvent) => void;
}) {
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (selected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    // The field keeps the focus and works the list by its own keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      className={styles.option}
      aria-selected={selected}
      onClick={onChoose}
    >
      <span className={styles.sign} data-state={entry.state}>
        <Icon name={entry.icon} />
      </span>
      <span className={styles.word}>{entry.word}</span>
      {entry.note && <span className={styles.note}>{entry.note}</span>}
      {entry.keys && (
        <span className={`${styles.keys} hide-phone`}>
          {entry.keys.split(' ').map((key) => (
            <Kbd key={key}>{key.toUpperCase()}</Kbd>
          ))}
        </span>
      )}
    </div>
  );
}

function useOpenDialog() {
  const box = useRef<HTMLDialogElement>(null);
  // A layout effect, because only a dialog that is still in the page gives the focus back.
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    dialog?.querySelector('input')?.focus();
    return () => dialog?.close();
  }, []);
  return box;
}
