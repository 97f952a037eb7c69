import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Avatar } from './avatar';
import { IconButton } from './button';
import * as fieldStyles from './field.module.css';
import { Icon, type IconName } from './icon';
import * as styles from './search-select.module.css';

/** Something that can be chosen. People show an avatar, other things an icon. */
export interface Choice {
  id: string;
  word: string;
  /** Choices of one group stand together under its name. */
  group?: string;
  icon?: IconName;
  hue?: number;
}

interface SearchSelectProps {
  label: string;
  /** Exactly one: it stands in the field itself, and another choice replaces it. */
  single?: boolean;
  choices: readonly Choice[];
  chosen: readonly Choice[];
  onChange: (chosen: readonly Choice[]) => void;
  placeholder?: string;
  /** A sentence under the field; it marks the field invalid. */
  error?: string;
  /** What else to say of a chosen one, beside its name. */
  note?: (choice: Choice) => ReactNode;
}

// More than fit on a screen help nobody; typing narrows.
const most = 50;

/** Several out of many, or one, found by typing. Arrows move, Enter chooses, Backspace takes the last one back. */
export function SearchSelect({
  label,
  single = false,
  choices,
  chosen,
  onChange,
  placeholder,
  error,
  note,
}: SearchSelectProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const matches = open ? matching(choices, single ? [] : chosen, text) : [];
  const only = single ? chosen[0]?.word : undefined;
  const shown = matches.slice(0, most);
  const current = shown[Math.min(at, shown.length - 1)];
  const look = (words: string) => {
    setText(words);
    setAt(0);
    setOpen(true);
  };
  const choose = (choice: Choice) => {
    onChange(single ? [choice] : [...chosen, choice]);
    setText('');
    setAt(0);
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(open && shown.length > 0 ? (at + step + shown.length) % shown.length : 0);
    if (step || (event.key === 'Enter' && !open)) setOpen(true);
    else if (event.key === 'Enter' && current) choose(current);
    else if (event.key === 'Escape' && open) setOpen(false);
    else if (event.key === 'Backspace' && text === '' && !single) return onChange(chosen.slice(0, -1));
    else if (event.key !== 'Enter') return;
    event.preventDefault();
  };
  useScrollTo(current && optionId(id, current));
  return (
    <div className={styles.searchSelect}>
      <label className={fieldStyles.label} htmlFor={id}>
        {label}
      </label>
      {!single && (
        <Chips
          label={label}
          chosen={chosen}
          note={note}
          onRemove={(choice) => onChange(chosen.filter((one) => one.id !== choice.id))}
        />
      )}
      <div className={error ? `${fieldStyles.field} ${fieldStyles.invalid}` : fieldStyles.field}>
        <Icon name="search" />
        <input
          id={id}
          role="combobox"
          type="text"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls={`${id}-list`}
          aria-activedescendant={current && optionId(id, current)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          placeholder={only ?? placeholder}
          value={open ? text : (only ?? text)}
          // Selected, so that what is typed replaces it.
          onFocus={(event) => single && event.target.select()}
          onChange={(event) => look(event.target.value)}
          onKeyDown={onKey}
          onClick={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            if (single) setText('');
          }}
        />
      </div>
      {open && (
        <Options
          id={id}
          label={label}
          shown={shown}
          all={matches.length}
          current={current}
          onChoose={choose}
        />
      )}
      {error && (
        <p className={fieldStyles.fieldError} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** The choices that are not chosen and contain the text in name or group, those that begin with it first. */
export function matching(choices: readonly Choice[], chosen: readonly Choice[], text: string): Choice[] {
  const taken = new Set(chosen.map((choice) => choice.id));
  const wanted = plain(text.trim());
  const found = choices.filter(
    ({ id, word, group = '' }) => !taken.has(id) && plain(`${word} ${group}`).includes(wanted),
  );
  if (wanted === '') return found;
  const begins = ({ word }: Choice) => plain(word).startsWith(wanted);
  return [...found.filter(begins), ...found.filter((choice) => !begins(choice))];
}

// Nobody types the underscore of a zone.
function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', ' ');
}

function Chips({
  label,
  chosen,
  note,
  onRemove,
}: {
  label: string;
  chosen: readonly Choice[];
  note?: (choice: Choice) => ReactNode;
  onRemove: (choice: Choice) => void;
}) {
  if (chosen.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label={`${label}: chosen`}>
      {chosen.map((choice) => (
        <li key={choice.id}>
          <Sign choice={choice} />
          <span className={styles.word}>{choice.word}</span>
          {note?.(choice)}
          <IconButton icon="x" size="sm" label={`Remove ${choice.word}`} onClick={() => onRemove(choice)} />
        </li>
      ))}
    </ul>
  );
}

function Options({
  id,
  label,
  shown,
  all,
  current,
  onChoose,
}: {
  id: string;
  label: string;
  shown: readonly Choice[];
  all: number;
  current: Choice | undefined;
  onChoose: (choice: Choice) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useFloating(box, id);
  const groups = new Map<string, Choice[]>();
  for (const choice of shown) {
    const name = choice.group ?? '';
    groups.set(name, [...(groups.get(name) ?? []), choice]);
  }
  return (
    // Pressing the mouse would take the focus from the input, and the list would close before the click.
    // biome-ignore lint/a11y/noStaticElementInteractions: it keeps the focus, and does nothing else.
    <div
      ref={box}
      className={styles.options}
      popover="manual"
      onMouseDown={(event) => event.preventDefault()}
    >
      {all > 0 && (
        <div id={`${id}-list`} role="listbox" aria-label={label}>
          {[...groups].map(([name, group]) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options is not a fieldset.
            <div key={name} role="group" aria-label={name || label}>
              {name && <div className={styles.group}>{name}</div>}
              {group.map((choice) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the current option.
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys.
                <div
                  key={choice.id}
                  id={optionId(id, choice)}
                  role="option"
                  className={styles.option}
                  aria-selected={choice === current}
                  onClick={() => onChoose(choice)}
                >
                  <Sign choice={choice} />
                  <span className={styles.word}>{choice.word}</span>
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      {all === 0 && <p className={styles.none}>Nothing by that name.</p>}
      {all > shown.length && <p className={styles.none}>{all - shown.length} more. Type to narrow.</p>}
    </div>
  );
}

function Sign({ choice }: { choice: Choice }) {
  return choice.icon ? <Icon name={choice.icon} /> : <Avatar name={choice.word} hue={choice.hue} />;
}

function optionId(id: string, choice: Choice): string {
  return `${id}-${choice.id}`;
}

function useScrollTo(id: string | undefined): void {
  useEffect(() => {
    if (id) document.getElementById(id)?.scrollIntoView?.({ block: 'nearest' });
  }, [id]);
}

const gap = 4;
const tallest = 288;

// In the top layer, so that no card or dialog cuts it off, and nothing below moves when it closes:
// a press on a button would close the list first and then miss the button.
function useFloating(box: RefObject<HTMLElement | null>, anchorId: string): void {
  useLayoutEffect(() => {
    const [list, anchor] = [box.current, document.getElementById(anchorId)?.parentElement];
    if (!list || !anchor) return;
    const follow = () => place(list, anchor.getBoundingClientRect());
    list.showPopover?.();
    follow();
    window.addEventListener('resize', follow);
    document.addEventListener('scroll', follow, true);
    return () => {
      window.removeEventListener('resize', follow);
      document.removeEventListener('scroll', follow, true);
    };
  });
}

// Below the field, or above it where there is more room.
function place(list: HTMLElement, field: DOMRect): void {
  const [below, above] = [window.innerHeight - field.bottom - 2 * gap, field.top - 2 * gap];
  const up = below < tallest && above > below;
  list.style.left = `${field.left}px`;
  list.style.width = `${field.width}px`;
  list.style.maxHeight = `${Math.min(tallest, up ? above : below)}px`;
  list.style.top = up ? 'auto' : `${field.bottom + gap}px`;
  list.style.bottom = up ? `${window.innerHeight - field.top + gap}px` : 'auto';
}
