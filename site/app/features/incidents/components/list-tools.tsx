import type { Ref } from 'react';
import { Button } from '~/components/ui/button';
import * as fieldKit from '~/components/ui/field.module.css';
import { Icon } from '~/components/ui/icon';
import { Kbd } from '~/components/ui/kbd';
import { Segmented } from '~/components/ui/segmented';
import type { Filter } from '../model/filter';
import * as styles from './list-tools.module.css';

const filters = [
  { value: 'all', content: 'All' },
  { value: 'open', content: 'Open' },
  { value: 'closed', content: 'Closed' },
] as const;

interface ListToolsProps {
  text: string;
  filter: Filter;
  searchRef: Ref<HTMLInputElement>;
  onText: (text: string) => void;
  onFilter: (filter: Filter) => void;
  /** What the head of the table does where there is room for one; absent when nothing is shown. */
  onSelectAll?: () => void;
}

/** Search and filter above the list. */
export function ListTools({ text, filter, searchRef, onText, onFilter, onSelectAll }: ListToolsProps) {
  return (
    <div className={styles.listTools}>
      <label className={fieldKit.field}>
        <Icon name="search" />
        <input
          ref={searchRef}
          type="search"
          maxLength={200}
          placeholder="Search title, description or service"
          aria-label="Search incidents"
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
        <Kbd className="hide-phone">/</Kbd>
      </label>
      <Segmented label="Filter" choices={filters} value={filter} onChoose={onFilter} />
      {onSelectAll && (
        <Button className={styles.selectAll} onClick={onSelectAll}>
          Select all
        </Button>
      )}
    </div>
  );
}
