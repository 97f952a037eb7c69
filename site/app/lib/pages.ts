import { type Call, call } from './api';

/** The answer of a list call. */
export interface Page {
  next_cursor?: string;
}

/** Reads a list to its end, one page after the other, and returns the answers of all its pages. */
export async function callPages<Answer extends Page>(request: Call): Promise<Answer[]> {
  const pages: Answer[] = [];
  let cursor = '';
  do {
    const page: Answer = await call<Answer>({ ...request, path: withCursor(request.path, cursor) });
    pages.push(page);
    cursor = page.next_cursor ?? '';
  } while (cursor !== '');
  return pages;
}

/** The address of the page of a list that begins at a cursor; of the first page without one. */
export function withCursor(path: string, cursor: string): string {
  if (cursor === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}
