import type { ComponentProps } from 'react';
import { Button } from './button';

interface SubmitProps {
  /** What is done, as the button says it: "Save team". */
  children: string;
  /** What it says meanwhile. */
  doing: string;
  pending: boolean;
  disabled?: boolean;
  size?: ComponentProps<typeof Button>['size'];
}

/** The button that sends a form. It keeps its width while it says something else. */
export function Submit({ children, doing, pending, disabled = false, size }: SubmitProps) {
  return (
    <Button
      type="submit"
      look="primary"
      size={size}
      disabled={pending || disabled}
      labels={[doing, children]}
    >
      {pending ? doing : children}
    </Button>
  );
}
