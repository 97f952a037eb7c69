import { basename } from 'node:path';

/**
 * The name that a class of a CSS module has in the page. It can be read, and it stays: `ui-card` in the kit,
 * elsewhere the file and what the class is in there, or the file alone where both are the same word.
 */
export function scopedName(name: string, file: string): string {
  if (file.includes('/components/ui/')) return `ui-${name}`;
  const component = basename(file, '.module.css');
  return name === component ? name : `${component}-${name}`;
}
