import * as fieldKit from '~/components/ui/field.module.css';
import { Icon } from '~/components/ui/icon';

/** The field that narrows the cards and the senders while typing. */
export function IntegrationSearch({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <div className={fieldKit.field}>
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search integrations"
        placeholder="Search integrations"
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
