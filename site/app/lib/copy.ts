import { toast } from './toast';

/** Puts a text on the clipboard, and says so. `quiet`: the caller confirms it itself; a failure is always said. */
export async function copy(text: string, { quiet = false } = {}): Promise<boolean> {
  const copied = (await written(text)) || copiedByHand(text);
  if (!copied)
    toast({
      kind: 'failure',
      title: 'Not copied',
      detail: 'The browser keeps its clipboard closed here. Copy it by hand.',
    });
  else if (!quiet) toast({ kind: 'success', title: 'Copied to clipboard' });
  return copied;
}

// Plain http off loopback has no navigator.clipboard.
async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// The old way, which works without https. The field stands beside what has the focus, because
// everything outside an open dialog can take none.
function copiedByHand(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  (focused?.closest('dialog, [popover]') ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
