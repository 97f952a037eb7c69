/** The word with a capital first letter. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A number of two digits at least: "04". */
export function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** How people refer to an incident: # and the last four characters of its id. */
export function shortId(id: string): string {
  return `#${id.slice(-4)}`;
}
