/** One page of a list, as the server gives it: what begins at the cursor of the address, at most 500 rows. */
export function answerPage<List extends object = never>(
  url: string,
  field: keyof List & string,
  rows: readonly unknown[],
  size = 500,
): List {
  const asked = new URL(url).searchParams;
  const start = Number(asked.get('cursor')?.replace('after-', '') ?? 0);
  const end = start + size;
  const next_cursor = end < rows.length ? `after-${end}` : undefined;
  return { [field]: rows.slice(start, end), next_cursor } as List;
}
