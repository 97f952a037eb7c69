/** A piece of a mail's text: words, or an address to follow. */
export interface Piece {
  text: string;
  href: string | null;
  /** Where the piece begins in the text. */
  at: number;
}

const address = /https?:\/\/[^\s<>"]+/g;
// A sentence that ends with an address must not make the dot part of it.
const trailing = /[.,;:!?)\]]+$/;

/** Cuts a text so that every web address in it can be drawn as a link. Joined, the pieces are the text. */
export function withLinks(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(address)) {
    const href = match[0].replace(trailing, '');
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), href: null, at: from });
    pieces.push({ text: href, href, at: match.index });
    from = match.index + href.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), href: null, at: from });
  return pieces;
}

/** The name in a mail address such as `"Mara" <mara@example.com>`; the address itself when there is none. */
export function readerOf(mailAddress: string): string {
  const name = /^"?([^"<]+?)"?\s*<[^>]+>$/.exec(mailAddress.trim())?.[1];
  return name?.trim() || mailAddress;
}
