import { TextField } from '~/components/ui/field';
import { currentSession } from '~/lib/session';

interface OwnPasswordProps {
  label?: string;
  name?: string;
  /** What is typed, where no form reads it. */
  value?: string;
  onType?: (password: string) => void;
}

/** Asks for the reader's own password; the address is there for password managers, which go by it. */
export function OwnPassword({ label = 'Your password', name, value, onType }: OwnPasswordProps) {
  return (
    <>
      <input type="hidden" name="email" autoComplete="username" value={currentSession()?.user.email ?? ''} />
      <TextField
        label={label}
        name={name}
        type="password"
        autoComplete="current-password"
        required
        value={value}
        onChange={onType && ((event) => onType(event.target.value))}
      />
    </>
  );
}
